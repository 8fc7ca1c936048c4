import { addMinutes } from '../../domain/working-day.ts';
import type { TaxDocument } from './tax-document.ts';

export type TaskName = keyof TaxDocument['tasks'];
type Task = NonNullable<TaxDocument['tasks'][TaskName]>;

/** A request lasts 10 s at most, so after a minute no request waits for the provider. */
export const FIRST_LOOK_MINUTES = 1;

// The receiver has three days to answer SAT (RMF 2.7.1.34), and a provider may be down for a night.
const LONGEST_PAUSE_MINUTES = 60;

/** 2, 4, 8 … minutes, at most an hour. */
export const getPauseMinutes = (tries: number): number => Math.min(2 ** (tries + 1), LONGEST_PAUSE_MINUTES);

export const setTask = (document: TaxDocument, name: TaskName, task: Task): TaxDocument => ({
  ...document,
  tasks: { ...document.tasks, [name]: task },
});

export const startTask = (document: TaxDocument, name: TaskName, dueAt: string): TaxDocument =>
  setTask(document, name, { tries: 0, dueAt });

/** Schedules the next try with exponential backoff. */
export function repeatTask(document: TaxDocument, name: TaskName, now: Date): TaxDocument {
  const tries = document.tasks[name]?.tries ?? 0;
  return setTask(document, name, { tries: tries + 1, dueAt: addMinutes(now, getPauseMinutes(tries)) });
}

export function endTask(document: TaxDocument, name: TaskName): TaxDocument {
  const { [name]: _, ...tasks } = document.tasks;
  return { ...document, tasks };
}
