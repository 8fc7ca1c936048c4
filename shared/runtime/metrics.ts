import { channel } from 'node:diagnostics_channel';
import { metricsConfig } from './config.ts';
import { logInfo } from './log.ts';

/**
 * The metrics that jobs report at each run. Each is a field of a log line, from which the stack makes a CloudWatch
 * metric; the alarms have these names.
 */
export const METRIC_NAMES = [
  /** Hours since the current catalog was published. */
  'catalogAgeHours',
  /** Mails of issued invoices that SES has not taken yet. */
  'unsentMail',
  /** Tax documents whose outcome at the provider is unknown, or of which nothing is issued yet. */
  'unsettledInvoices',
  /** Orders with a tax document that nobody will issue any more without an operator. */
  'notIssued',
  /** Orders with a tax document that was issued with another total. */
  'totalDiffers',
  /** Orders whose invoice says paid in its month (PUE) and was not. */
  'pueUnpaid',
  /** Payment complements that are not issued two days before their last day, or later. */
  'complementDue',
  /** Invoices of cancelled orders whose receiver refused the cancellation. */
  'cancellationRejected',
  /** Parts of global invoices, and paid orders without any invoice, that need an operator. */
  'globalInvoicesLate',
  /** API keys that used up half of their monthly quota today. */
  'quotasHalfUsed',
  /** Versions of orders that could not be read, so that their events are not told. */
  'eventsUntold',
  /** Endpoints of webhooks that the service disabled in the last day. */
  'webhooksDisabled',
  /** Endpoints of webhooks for which an event was given up in the last day. */
  'webhooksGivenUp',
  /** Minutes for which the oldest event has waited for its first try, over all enabled endpoints. */
  'webhookBacklogMinutes',
] as const;
export type MetricName = (typeof METRIC_NAMES)[number];

export const reportMetrics = (metrics: Readonly<Partial<Record<MetricName, number>>>): void =>
  logInfo('metrics', metrics);

/** A metric that any function counts: failed reads of a secret. */
export const UNREAD_SECRETS = 'unreadSecrets';

/**
 * Adds 1 to a metric. CloudWatch takes it out of the log line by itself (embedded metric format): a metric filter for the
 * log of each function would be a resource each, and a stack may have 500.
 */
export function countMetric(name: typeof UNREAD_SECRETS): void {
  const { METRICS_NAMESPACE: Namespace } = metricsConfig();
  if (Namespace === undefined) return;
  const CloudWatchMetrics = [{ Namespace, Dimensions: [[]], Metrics: [{ Name: name, Unit: 'Count' }] }];
  logInfo('metrics', { _aws: { Timestamp: Date.now(), CloudWatchMetrics }, [name]: 1 });
}

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
