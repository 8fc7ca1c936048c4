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
  /** Invoices whose outcome at the provider is unknown. */
  'unsettledInvoices',
  /** Invoices of paid credit orders that still lack their payment complement. */
  'complementDue',
  /** Invoices of cancelled orders whose receiver refused the cancellation. */
  'cancellationRejected',
  /** API keys that used up half of their monthly quota today. */
  'quotasHalfUsed',
] as const;
export type MetricName = (typeof METRIC_NAMES)[number];

export const reportMetrics = (metrics: Readonly<Partial<Record<MetricName, number>>>): void =>
  logInfo('metrics', metrics);
