import { channel } from 'node:diagnostics_channel';

/** How long one part of a request took, and what it read and wrote in DynamoDB. */
export type Measure = {
  readonly part: string;
  readonly durationMs: number;
  readonly roundTrips?: number;
  readonly readUnits?: number;
  readonly writeUnits?: number;
};

// Only the local server listens: on AWS a measurement is the look whether anybody does.
const measures = channel('botica.measure');

export const isMeasured = (): boolean => measures.hasSubscribers;
export const tellMeasure = (measure: Measure): void => measures.publish(measure);
export const onMeasure = (listener: (measure: Measure) => void): void =>
  measures.subscribe((measure) => listener(measure as Measure));

/** Does the work and tells how long it took. */
export async function measured<Result>(part: string, work: () => Result | Promise<Result>): Promise<Result> {
  if (!isMeasured()) return work();
  const started = performance.now();
  try {
    return await work();
  } finally {
    tellMeasure({ part, durationMs: performance.now() - started });
  }
}
