import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from '../../../shared/runtime/async.ts';
import { type Measure, onMeasure } from '../../../shared/runtime/metrics.ts';
import type { HttpAnswer } from './answers.ts';

const requests = new AsyncLocalStorage<Measure[]>();
const listen = once(() => onMeasure((measure) => requests.getStore()?.push(measure)));

/** Adds a `Server-Timing` header with the time of each part of the request and its DynamoDB units. */
export async function withServerTiming(answer: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  listen();
  const measures: Measure[] = [];
  const startedAt = performance.now();
  const { headers, ...rest } = await requests.run(measures, answer);
  measures.push({ part: 'total', durationMs: performance.now() - startedAt });
  // Repeated parts are summed, in the order of their first use.
  const entries = [...Map.groupBy(measures, ({ part }) => part)].map(([part, same]) => formatEntry(part, same));
  return { ...rest, headers: { ...headers, 'Server-Timing': entries.join(', ') } };
}

function formatEntry(part: string, measures: readonly Measure[]): string {
  const sum = (name: Exclude<keyof Measure, 'part'>) =>
    measures.reduce((total, measure) => total + (measure[name] ?? 0), 0);
  const duration = `${part};dur=${sum('durationMs').toFixed(1)}`;
  const trips = sum('roundTrips');
  if (trips === 0) return duration;
  return `${duration};desc="round trips ${trips}, read units ${sum('readUnits')}, write units ${sum('writeUnits')}"`;
}
