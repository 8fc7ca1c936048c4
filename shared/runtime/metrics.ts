import { channel } from 'node:diagnostics_channel';
import type { MessageCode } from '../messages/messages.ts';
import { isFault, type RefusalCode } from '../messages/refusals.ts';
import { metricsConfig } from './config.ts';
import { type LogFields, logInfo, type RequestNotes, readRequestNotes } from './log.ts';

// CloudWatch extracts metrics from log lines: a metric filter per function would exceed a stack's 500 resources.

/** Reported by each run of a job; the alarms have these names. */
export const METRIC_NAMES = [
  /** Hours since the current catalog was published. */
  'catalogAgeHours',
  /** Mails of issued invoices that SES has not accepted yet. */
  'unsentMail',
  /** Tax documents of unknown outcome or not issued yet. */
  'unsettledInvoices',
  /** Orders with a tax document that only an operator can still have issued. */
  'notIssued',
  /** Orders with a tax document issued with another total. */
  'totalDiffers',
  /** Orders with an unpaid PUE invoice of a past month. */
  'pueUnpaid',
  /** Payment complements that are not issued two days before their deadline. */
  'complementDue',
  /** Invoices of cancelled orders whose receiver refused the cancellation. */
  'cancellationRejected',
  /** Parts of global invoices, and paid orders without an invoice, that need an operator. */
  'globalInvoicesLate',
  /** Orders whose payment needs an operator. */
  'paymentExceptions',
  /** Orders' events that could not be read, or that the event bus refused. */
  'eventsUnpublished',
  /** Webhook endpoints that the service disabled in the last day. */
  'webhooksDisabled',
  /** Webhook endpoints for which an event was given up in the last day. */
  'webhooksGivenUp',
  /** Minutes that the oldest event has waited for its first try, over all enabled endpoints. */
  'webhookBacklogMinutes',
] as const;
export type MetricName = (typeof METRIC_NAMES)[number];

export const reportMetrics = (metrics: Readonly<Partial<Record<MetricName, number>>>): void =>
  logInfo('metrics', {
    ...metrics,
    ...embed([{ Dimensions: [[]], Metrics: Object.keys(metrics).map((Name) => ({ Name })) }]),
  });

/** Counted by any function: failed reads of a secret. */
export const UNREAD_SECRETS = 'unreadSecrets';

export function countMetric(name: typeof UNREAD_SECRETS): void {
  if (metricsConfig().METRICS_NAMESPACE === undefined) return;
  logInfo('metrics', { ...embed([{ Dimensions: [[]], Metrics: [count(name)] }]), [name]: 1 });
}

/** Counted by requests' log lines, with sets of dimensions: [] is the total, and each value of another set is a billed metric. */
export const REQUEST_METRICS = {
  /** Unexpected 5xx answers by version, as a release's alarm watches only its own version. */
  answers5xx: [['function', 'version']],
  /** Expected 5xx answers, which the failure alarm subtracts from those that the gateway counts. */
  expected5xx: [[]],
  /** E-mails and phones of another user. */
  takenContacts: [[], ['clientId']],
  /** Unusable coupons, by key, since a quote does not look up its client. */
  invalidCoupons: [[], ['gatewayKeyId']],
  /** Unsigned calls to the payment provider's address. */
  unsignedCalls: [[]],
} as const satisfies Readonly<Record<string, readonly (readonly string[])[]>>;
export type RequestMetricName = keyof typeof REQUEST_METRICS;

type RequestFields = LogFields & { readonly status: number; readonly code?: RefusalCode | undefined };

export function logRequest(fields: RequestFields): void {
  const line = { ...fields, ...readRequestNotes() };
  logInfo('request', { ...line, ...countRequest(line) });
}

// Both codes occur only without other errors, so no other code precedes them.
const TAKEN: readonly (MessageCode | undefined)[] = ['email_taken', 'phone_taken'];

function countRequest(line: RequestFields & RequestNotes): LogFields {
  const isExpected = line.code !== undefined && !isFault(line.code);
  const flags = {
    answers5xx: line.status >= 500 && !isExpected,
    expected5xx: line.status >= 500 && isExpected,
    takenContacts: TAKEN.includes(line.codes?.[0]),
    invalidCoupons: line.invalidCoupon === true,
    unsignedCalls: line.code === 'call_not_signed',
  } satisfies Record<RequestMetricName, boolean>;
  const names = Object.keys(flags).filter((name) => flags[name as RequestMetricName]) as RequestMetricName[];
  if (names.length === 0) return {};
  const { METRICS_NAMESPACE, AWS_LAMBDA_FUNCTION_NAME } = metricsConfig();
  if (METRICS_NAMESPACE === undefined) return {};
  const fields: LogFields = { ...line, function: AWS_LAMBDA_FUNCTION_NAME };
  const isKnown = (set: readonly string[]): boolean => set.every((field) => fields[field] !== undefined);
  const directives = names.map((name) => ({
    Dimensions: REQUEST_METRICS[name].filter(isKnown),
    Metrics: [count(name)],
  }));
  const dimensions = directives.flatMap(({ Dimensions }) => Dimensions.flat());
  // CloudWatch takes only texts for dimensions.
  const texts = dimensions.map((field) => [field, String(fields[field])]);
  return { ...embed(directives), ...Object.fromEntries([...texts, ...names.map((name) => [name, 1])]) };
}

type Metric = { readonly Name: string; readonly Unit?: 'Count' };
type Directive = { readonly Metrics: readonly Metric[]; readonly Dimensions: readonly (readonly string[])[] };

const count = (Name: string): Metric => ({ Name, Unit: 'Count' });

/** Returns nothing without a namespace, as on the local server. */
function embed(directives: readonly Directive[]): LogFields {
  const { METRICS_NAMESPACE: Namespace } = metricsConfig();
  if (Namespace === undefined || directives.length === 0) return {};
  const CloudWatchMetrics = directives.map((directive) => ({ Namespace, ...directive }));
  return { _aws: { Timestamp: Date.now(), CloudWatchMetrics } };
}

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

export async function measure<Result>(part: string, work: () => Result | Promise<Result>): Promise<Result> {
  if (!isMeasured()) return work();
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    publishMeasure({ part, durationMs: performance.now() - startedAt });
  }
}
