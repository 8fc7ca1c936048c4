import { Duration } from 'aws-cdk-lib';
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { StreamFunction } from '../functions/stream-function.ts';
import type { AlarmRow, JobAlarm } from './alarms.ts';

const LATE_MS = 5 * 60 * 1_000;

/** Returns how long the oldest record that a function has not handled has been in the stream, in milliseconds. */
export const iteratorAge = ({ function: { lambda } }: StreamFunction, minutes: number): Metric =>
  lambda.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: Duration.minutes(minutes), label: lambda.node.id });

/** Alarms on records that wait for a function on the stream. */
export const streamAlarms = (streaming: readonly StreamFunction[]): AlarmRow[] =>
  streaming.map((one) => ({
    name: `late-${one.function.node.id}`,
    metric: iteratorAge(one, 5),
    above: LATE_MS,
    periods: 2,
    meaning: `Records of the table's stream wait for ${one.function.node.id}. Its log says why; after 20 hours they are given up, into the bucket for documents under aws/lambda/.`,
  }));

export const EVENTS_UNTOLD: JobAlarm = {
  above: 0,
  minutes: 5,
  meaning:
    'A version of an order could not be read, and its events are not told. See `events untold` and the log of publish-events, and tell them with `events republish`.',
};
