import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from '../../../shared/runtime/async.ts';
import { type Measure, onMeasure } from '../../../shared/runtime/metrics.ts';
import type { HttpAnswer } from './answers.ts';

const requests = new AsyncLocalStorage<Measure[]>();
const listen = once(() => onMeasure((measure) => requests.getStore()?.push(measure)));

/** Adds a `Server-Timing` header with the time of each part of the request and its DynamoDB units. */
export function withServerTiming<Visit>(answer: (visit: Visit) => Promise<HttpAnswer>) {
  listen();
  return async (visit: Visit): Promise<HttpAnswer> => {
    const measures: Measure[] = [];
    const startedAt = performance.now();
    const { headers, ...rest } = await requests.run(measures, () => answer(visit));
    const total = { part: 'total', durationMs: performance.now() - startedAt };
    return { ...rest, headers: { ...headers, 'Server-Timing': formatTimings([...measures, total]) } };
  };
}

/** Returns one entry per part, in the order of first use; repeated parts are summed. */
function formatTimings(measures: readonly Measure[]): string {
  return [...Map.groupBy(measures, ({ part }) => part)].map(([part, same]) => formatEntry(part, same)).join(', ');
}

function formatEntry(part: string, measures: readonly Measure[]): string {
  const sum = (name: Exclude<keyof Measure, 'part'>) =>
    measures.reduce((total, measure) => total + (measure[name] ?? 0), 0);
  const duration = `${part};dur=${sum('durationMs').toFixed(1)}`;
  if (sum('roundTrips') === 0) return duration;
  const [trips, read, written] = [sum('roundTrips'), sum('readUnits'), sum('writeUnits')];
  return `${duration};desc="round trips ${trips}, read units ${read}, write units ${written}"`;
}
