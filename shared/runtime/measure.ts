import { channel } from 'node:diagnostics_channel';

/** The duration of one part of a request, and the capacity that it consumed in DynamoDB. */
export type Measure = {
  readonly part: string;
  readonly durationMs: number;
  readonly roundTrips?: number;
  readonly readUnits?: number;
  readonly writeUnits?: number;
};

// Only the local server listens; on AWS nothing is measured.
const measures = channel('botica.measure');

export const isMeasured = (): boolean => measures.hasSubscribers;
export const publishMeasure = (measure: Measure): void => measures.publish(measure);
export const onMeasure = (listener: (measure: Measure) => void): void =>
  measures.subscribe((measure) => listener(measure as Measure));

/** Does the work and publishes its duration. */
export async function measure<Result>(part: string, work: () => Result | Promise<Result>): Promise<Result> {
  if (!isMeasured()) return work();
  const started = performance.now();
  try {
    return await work();
  } finally {
    publishMeasure({ part, durationMs: performance.now() - started });
  }
}
