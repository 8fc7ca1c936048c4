import { channel } from 'node:diagnostics_channel';
import type { MessageCode } from '../messages/messages.ts';
import { isFault, type RefusalCode } from '../messages/refusals.ts';
import { metricsConfig } from './config.ts';
import { type LogFields, logInfo, type RequestNotes, readRequestNotes } from './log.ts';

/*
 * CloudWatch takes metrics out of log lines by itself (embedded metric format), so that the stack needs no metric filter for
 * the log of each function: a stack may have 500 resources. On the local server the lines have no such part.
 */

/** The metrics that jobs report at each run; the alarms have these names. */
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
  /** Orders whose payment waits for an operator. */
  'paymentExceptions',
  /** Events of orders that could not be read, or that the event bus did not take. */
  'eventsUnpublished',
  /** Endpoints of webhooks that the service disabled in the last day. */
  'webhooksDisabled',
  /** Endpoints of webhooks for which an event was given up in the last day. */
  'webhooksGivenUp',
  /** Minutes for which the oldest event has waited for its first try, over all enabled endpoints. */
  'webhookBacklogMinutes',
] as const;
export type MetricName = (typeof METRIC_NAMES)[number];

/** Writes the metrics of a run. */
export const reportMetrics = (metrics: Readonly<Partial<Record<MetricName, number>>>): void =>
  logInfo('metrics', {
    ...metrics,
    ...embed([{ Dimensions: [[]], Metrics: Object.keys(metrics).map((Name) => ({ Name })) }]),
  });

/** A metric that any function counts: failed reads of a secret. */
export const UNREAD_SECRETS = 'unreadSecrets';

/** Adds 1 to a metric. */
export function countMetric(name: typeof UNREAD_SECRETS): void {
  if (metricsConfig().METRICS_NAMESPACE === undefined) return;
  logInfo('metrics', { ...embed([{ Dimensions: [[]], Metrics: [count(name)] }]), [name]: 1 });
}

/**
 * The metrics that the log lines of requests count, each with its sets of dimensions: the empty set is the whole, and each
 * value of another is a metric of its own, with a price in hours in which it occurs.
 */
export const REQUEST_METRICS = {
  /** Answers 5xx that are faults, by version, as an alarm of a release watches its own version only. */
  answers5xx: [['function', 'version']],
  /** Answers 5xx that are none, which the alarm on failures takes off those that the gateway counts. */
  expected5xx: [[]],
  /** E-mails and phones that somebody else has. */
  takenContacts: [[], ['clientId']],
  /** Coupons that cannot be used, by key, since a quote does not look its client up. */
  invalidCoupons: [[], ['gatewayKeyId']],
  /** Calls to the address of the payment provider without its signature. */
  unsignedCalls: [[]],
} as const satisfies Readonly<Record<string, readonly (readonly string[])[]>>;
export type RequestMetricName = keyof typeof REQUEST_METRICS;

type RequestFields = LogFields & { readonly status: number; readonly code?: RefusalCode | undefined };

/** Writes the log line of the present request, with the metrics that it counts. */
export function logRequest(fields: RequestFields): void {
  const line = { ...fields, ...readRequestNotes() };
  logInfo('request', { ...line, ...countRequest(line) });
}

// Both codes are said only when nothing else is wrong, so no other code stands before them.
const TAKEN: readonly (MessageCode | undefined)[] = ['email_taken', 'phone_taken'];

function countRequest(line: RequestFields & RequestNotes): LogFields {
  const isExpected = line.code !== undefined && !isFault(line.code);
  const counted = {
    answers5xx: line.status >= 500 && !isExpected,
    expected5xx: line.status >= 500 && isExpected,
    takenContacts: TAKEN.includes(line.codes?.[0]),
    invalidCoupons: line.invalidCoupon === true,
    unsignedCalls: line.code === 'call_not_signed',
  } satisfies Record<RequestMetricName, boolean>;
  const names = Object.keys(counted).filter((name) => counted[name as RequestMetricName]) as RequestMetricName[];
  if (names.length === 0) return {};
  const { METRICS_NAMESPACE, AWS_LAMBDA_FUNCTION_NAME } = metricsConfig();
  if (METRICS_NAMESPACE === undefined) return {};
  const fields: LogFields = { ...line, function: AWS_LAMBDA_FUNCTION_NAME };
  const known = (set: readonly string[]): boolean => set.every((field) => fields[field] !== undefined);
  const directives = names.map((name) => ({ Dimensions: REQUEST_METRICS[name].filter(known), Metrics: [count(name)] }));
  const dimensions = directives.flatMap(({ Dimensions }) => Dimensions.flat());
  // CloudWatch takes only texts for dimensions.
  const texts = dimensions.map((field) => [field, String(fields[field])]);
  return { ...embed(directives), ...Object.fromEntries([...texts, ...names.map((name) => [name, 1])]) };
}

type Metric = { readonly Name: string; readonly Unit?: 'Count' };
type Directive = { readonly Metrics: readonly Metric[]; readonly Dimensions: readonly (readonly string[])[] };

const count = (Name: string): Metric => ({ Name, Unit: 'Count' });

/** Returns the part of a log line that CloudWatch reads as metrics; nothing where nobody reads it. */
function embed(directives: readonly Directive[]): LogFields {
  const { METRICS_NAMESPACE: Namespace } = metricsConfig();
  if (Namespace === undefined || directives.length === 0) return {};
  const CloudWatchMetrics = directives.map((directive) => ({ Namespace, ...directive }));
  return { _aws: { Timestamp: Date.now(), CloudWatchMetrics } };
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
