import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';

let read = (): Date => new Date();

/** The only source of the current time. */
export const now = (): Date => read();

/** Stops the clock at an instant for tests, or restarts it. */
export function setClock(instant?: Date): void {
  read = instant ? () => new Date(instant) : () => new Date();
}

type Deadline = { readonly signal: AbortSignal; readonly endsAt: number };

const deadlines = new AsyncLocalStorage<Deadline>();

/** Runs a request with a deadline; `signal` cancels its calls. */
export const runWithDeadline = <Result>(signal: AbortSignal, remainingMs: number, work: () => Result): Result =>
  deadlines.run({ signal, endsAt: performance.now() + remainingMs }, work);

/** Returns the current request's remaining whole milliseconds; Infinity for jobs and commands. */
export const timeLeftMs = (): number =>
  // AbortSignal.timeout throws on a fraction.
  Math.floor((deadlines.getStore()?.endsAt ?? Number.POSITIVE_INFINITY) - performance.now());

/** Returns the option that cancels a call to AWS at the request's deadline. */
export function callLimit(): { readonly abortSignal?: AbortSignal } {
  const deadline = deadlines.getStore();
  return deadline ? { abortSignal: deadline.signal } : {};
}

/** Waits for the work, or returns `otherwise` after `ms`; the work then continues, and its failure is ignored. */
export async function within<Result, Otherwise>(
  ms: number,
  work: Promise<Result>,
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  if (ms === Number.POSITIVE_INFINITY) return work;
  const timer = new AbortController();
  const timeout = pause(Math.max(0, ms), otherwise, { signal: timer.signal });
  timeout.catch(() => undefined);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    timer.abort();
  }
}
