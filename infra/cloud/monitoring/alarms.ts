import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../../../shared/runtime/metrics.ts';
import type { DeadLetters } from '../functions/dead-letters.ts';
import type { OrdersTable } from '../orders-table.ts';
import type { Settings } from '../settings.ts';
import { jobMetric, reportedMetrics } from './metrics.ts';
import { EVENTS_UNTOLD } from './stream-alarms.ts';
import { WEBHOOK_ALARMS } from './webhook-alarms.ts';

/**
 * An alarm that goes off when its metric is above the threshold in the given number of periods. Late data delays it only:
 * the periods slide with each evaluation (EvaluationWindow's text), one a minute (AWS, "Limits" of alarms), and CloudWatch
 * prefers data of an earlier period to none (AWS, "How alarm state is evaluated when data is missing"). Where FILL hides
 * that data is missing, `outOf` leaves room for it.
 */
export type AlarmRow = {
  readonly name: string;
  readonly metric: IMetric;
  readonly above: number;
  /** The number of periods; 1 by default. */
  readonly periods?: number;
  /** The number of the latest periods among which they are; the same number by default. */
  readonly outOf?: number;
  /** Counts a period without data as above the threshold; without it, as below. */
  readonly silence?: 'alarming';
  /** The text of the alarm mail: what happened, and what to do. */
  readonly meaning: string;
};

export const every = (minutes: number) => ({ period: Duration.minutes(minutes) });
const sumOver = (minutes: number) => ({ statistic: Stats.SUM, ...every(minutes) });

/** Alarms on the metrics of AWS services. Thresholds are shares, milliseconds or counts. */
export const serviceAlarms = (monitored: {
  api: RestApi;
  table: OrdersTable;
  deadLetters: DeadLetters;
}): AlarmRow[] => [
  ...requestAlarms(monitored.api),
  ...tableAlarms(monitored.table),
  {
    name: 'dead-letters',
    metric: monitored.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, ...every(5) }),
    above: 0,
    meaning: 'A job failed. The message in the queue names it, its log says why; purge the queue when it is fixed.',
  },
];

const requestAlarms = (api: RestApi): AlarmRow[] => [
  {
    name: 'failures',
    metric: new MathExpression({
      // A few failures among many requests say little; half of all is an alarm at any hour, even 1 of 1.
      expression: 'IF(failed >= 5 || failed / requests >= 0.5, failed / requests, 0)',
      usingMetrics: { failed: api.metricServerError(sumOver(15)), requests: api.metricCount(sumOver(15)) },
      ...every(15),
    }),
    above: 0.01,
    meaning:
      'More than 1 % of the requests of 15 minutes, or half of a few, were answered 5xx. Look for "request failed" in the logs of the functions.',
  },
  {
    name: 'latency',
    metric: api.metricLatency({ statistic: 'p99', ...every(5) }),
    above: 3_000,
    periods: 3,
    meaning: 'One request in a hundred takes more than 3 s. The dashboard shows which functions are slow.',
  },
  {
    name: 'throttled-functions',
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...sumOver(5) }),
    above: 0,
    meaning: 'Lambda throttled functions of this account for lack of concurrency. Ask AWS for a higher quota.',
  },
];

/**
 * An alarm on a metric of `AWS/DynamoDB` keeps its state while data is missing, whatever `TreatMissingData` says
 * (PutMetricAlarm), and these metrics have data only while there is something to count. FILL also gives a period whose data
 * has not arrived yet the value 0 (AWS, "Using math expressions with CloudWatch metrics"), so one of three may be too low.
 */
const tableAlarms = (table: OrdersTable): AlarmRow[] => [
  {
    name: 'throttled-table',
    metric: new MathExpression({
      expression: 'FILL(reads, 0) + FILL(writes, 0)',
      usingMetrics: {
        reads: table.metric('ReadThrottleEvents', sumOver(5)),
        writes: table.metric('WriteThrottleEvents', sumOver(5)),
      },
      ...every(5),
    }),
    above: 0,
    periods: 2,
    outOf: 3,
    meaning: 'DynamoDB throttles reads or writes. They are retried, and answered 503 if it lasts.',
  },
  {
    name: 'conflicts',
    metric: new MathExpression({
      expression: 'FILL(conflicts, 0)',
      usingMetrics: { conflicts: table.metric('TransactionConflict', sumOver(5)) },
      ...every(5),
    }),
    above: 300,
    periods: 2,
    outOf: 3,
    meaning:
      'Transactions conflict more than once a second. They are retried; one client may be sending everything at once.',
  },
];

const reputation = (metricName: string): Metric =>
  new Metric({ namespace: 'AWS/SES', metricName: `Reputation.${metricName}`, statistic: Stats.MAXIMUM, ...every(60) });

/** Alarms on the reputation of the whole account, which SES judges as one. */
export const sendingAlarms = (): AlarmRow[] => [
  {
    name: 'bounces',
    metric: reputation('BounceRate'),
    above: 0.04,
    meaning:
      'More than 4 % of mails bounce; from 5 % on SES reviews the account. The bounce notices say which addresses.',
  },
  {
    name: 'complaints',
    metric: reputation('ComplaintRate'),
    above: 0.0008,
    meaning: 'More than 0.08 % of mails are reported as spam; from 0.1 % on SES reviews the account.',
  },
];

export type JobAlarm = Omit<AlarmRow, 'name' | 'metric'> & { readonly minutes: number };

/** Alarms on the metrics of the jobs. Missing data can mean that a job does not run, which is an alarm by itself. */
const jobAlarmRows = ({ catalogMaximumAgeDays }: Settings): Readonly<Record<MetricName, JobAlarm>> => ({
  catalogAgeHours: {
    above: catalogMaximumAgeDays * 24,
    minutes: 30,
    periods: 2,
    silence: 'alarming',
    meaning:
      'The catalog is older than the settings allow, cannot be opened, or there is none. Publish or activate one.',
  },
  unsentMail: {
    above: 0,
    minutes: 5,
    periods: 6,
    silence: 'alarming',
    meaning:
      'Invoice mails have waited for half an hour, or were given up. See `invoices list`, check SES, and resend.',
  },
  unsettledInvoices: {
    above: 0,
    minutes: 10,
    periods: 3,
    silence: 'alarming',
    meaning:
      'Invoices, complements or credit notes have not been issued for half an hour. See `invoices list`, and check that the provider answers.',
  },
  notIssued: {
    above: 0,
    minutes: 60,
    meaning:
      'A document was not issued, and no job tries again. See `invoices list --status not_issued`; correct its reason, then `invoices issue`.',
  },
  totalDiffers: {
    above: 0,
    minutes: 60,
    meaning:
      'A document was issued with another total than its sale. See `invoices list --status total_differs`, and replace it.',
  },
  pueUnpaid: {
    above: 0,
    minutes: 60,
    meaning:
      'An invoice says paid in its month (PUE), and was not. See `invoices list --status pue_unpaid`, and replace it.',
  },
  complementDue: {
    above: 0,
    minutes: 60,
    meaning:
      'A payment complement is not issued, and its last day (`invoices list`) is in two days or past. See its reason there.',
  },
  cancellationRejected: {
    above: 0,
    minutes: 60,
    meaning: 'A receiver rejected the cancellation of an invoice. See `invoices list`, and contact them.',
  },
  globalInvoicesLate: {
    above: 0,
    // Two runs of the hourly job, one of which may come late.
    minutes: 120,
    silence: 'alarming',
    meaning:
      'A global invoice was refused or is late (SAT: 24 hours after its month), or paid orders of earlier months have no invoice. See `invoices global`.',
  },
  quotasHalfUsed: {
    above: 0,
    // Two runs of the hourly job, one of which may come late.
    minutes: 120,
    meaning:
      'An API key used up half of its monthly quota today. The log of watch-quotas names each; raise the limit, or ask.',
  },
  eventsUntold: EVENTS_UNTOLD,
  ...WEBHOOK_ALARMS,
});

export function jobAlarms(settings: Settings): AlarmRow[] {
  const rows = jobAlarmRows(settings);
  return reportedMetrics().map((name) => {
    const { minutes, ...row } = rows[name];
    return { name, metric: jobMetric(name, settings).with(every(minutes)), ...row };
  });
}
