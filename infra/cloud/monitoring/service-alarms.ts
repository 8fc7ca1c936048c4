import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { UNREAD_SECRETS } from '../../../shared/runtime/metrics.ts';
import type { OrdersTable } from '../data.ts';
import type { PharmacyFunction } from '../functions/function.ts';
import type { DeadLetters } from '../functions/job-functions.ts';
import type { Settings } from '../settings.ts';
import { type AlarmRow, every } from './alarm.ts';
import { requestMetric, unreadSecrets } from './metrics.ts';

const sumOver = (minutes: number) => ({ statistic: Stats.SUM, ...every(minutes) });

/** Alarms on AWS services' own metrics. Thresholds are shares, milliseconds or counts. */
export const serviceAlarms = (
  settings: Settings,
  monitored: { api: RestApi; table: OrdersTable; deadLetters: DeadLetters },
): AlarmRow[] => [
  ...requestAlarms(settings, monitored.api),
  ...tableAlarms(monitored.table),
  {
    name: 'dead-letters',
    metric: monitored.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, ...every(5) }),
    above: 0,
    meaning: 'A job failed. The message in the queue names it, its log says why; purge the queue when it is fixed.',
  },
];

const requestAlarms = (settings: Settings, api: RestApi): AlarmRow[] => [
  {
    name: 'failures',
    metric: new MathExpression({
      // A few failures among many requests mean little; half of all is an alarm at any hour, even 1 of 1.
      expression: 'IF(failed >= 5 || failed / requests >= 0.5, failed / requests, 0)',
      usingMetrics: { failed: failedRequests(settings, api), requests: api.metricCount(sumOver(15)) },
      ...every(15),
    }),
    above: 0.01,
    meaning:
      'More than 1 % of the requests of 15 minutes, or half of a few, failed with 5xx. Look for "request failed" in the logs of the functions.',
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

/** The gateway counts its own failures, such as time-outs, but also expected 5xx answers of functions. */
const failedRequests = (settings: Settings, api: RestApi): MathExpression =>
  new MathExpression({
    expression: 'answered - FILL(expected, 0)',
    usingMetrics: {
      answered: api.metricServerError(sumOver(15)),
      expected: requestMetric('expected5xx', settings).with(every(15)),
    },
    ...every(15),
  });

/**
 * Alarms on metrics of `AWS/DynamoDB` keep their state while data is missing, whatever `TreatMissingData` is (PutMetricAlarm),
 * and these metrics have data only for events. FILL also sets a period whose data is late to 0 (AWS, "Using math expressions
 * with CloudWatch metrics"), so one of three may be too low.
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

/** SES judges the whole account as one. */
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

const LATE_MS = 5 * 60 * 1_000;

/** The age in milliseconds of the oldest unhandled record in the stream. */
export const iteratorAge = ({ lambda }: PharmacyFunction, minutes: number): Metric =>
  lambda.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: Duration.minutes(minutes), label: lambda.node.id });

export const streamAlarms = (streaming: readonly PharmacyFunction[]): AlarmRow[] =>
  streaming.map((fn) => ({
    name: `late-${fn.node.id}`,
    metric: iteratorAge(fn, 5),
    above: LATE_MS,
    periods: 2,
    meaning: `Records of the table's stream wait for ${fn.node.id}. Its log says why; after 20 hours they are given up, into the bucket for documents under aws/lambda/.`,
  }));

type GuessingMetricName = Exclude<Parameters<typeof requestMetric>[0], 'answers5xx' | 'expected5xx'>;
type GuessingAlarm = Pick<AlarmRow, 'above' | 'meaning'> & { readonly minutes: number };

const ROWS: Readonly<Record<GuessingMetricName, GuessingAlarm>> = {
  answered401: {
    // A session gets one when its token expires, after 15 minutes; one address may guess 500 in 5 minutes.
    above: 250,
    minutes: 5,
    meaning:
      'More than 250 requests in 5 minutes were answered 401. Somebody guesses passwords or tokens: the logs of the functions name the clients.',
  },
  answered403: {
    // A working client gets none; one whose key was removed tries every few seconds.
    above: 150,
    minutes: 5,
    meaning:
      'More than 150 requests in 5 minutes were answered 403. Somebody guesses API keys, or a client still sends a retired one.',
  },
  answered429: {
    // One a second, far above callers that respect `Retry-After`.
    above: 300,
    minutes: 5,
    meaning:
      'More than 300 requests in 5 minutes were answered 429. The access log names the key; talk to its client, or disable it.',
  },
  takenContacts: {
    // People mistype an address now and then; a list of addresses has hundreds.
    above: 60,
    minutes: 60,
    meaning:
      'More than 60 orders in an hour had an e-mail or phone of somebody else. Somebody may try out who is a patient: the dashboard shows the client.',
  },
  invalidCoupons: {
    // At this rate, guessing a code of six letters takes a century.
    above: 300,
    minutes: 60,
    meaning: 'More than 300 invalid coupons in an hour. Somebody guesses codes: the dashboard shows the API key.',
  },
  unsignedCalls: {
    // The address is public; the provider itself repeats each of its calls.
    above: 10,
    minutes: 60,
    meaning:
      'More than 10 calls in an hour to the address of the payment provider had no valid signature. Run doctor: its secret may have been changed.',
  },
};

/** Alarms on waves of refusals, which somebody causes; a single guess is refused anyway. */
export const guessingAlarms = (settings: Settings): AlarmRow[] =>
  (Object.entries(ROWS) as [GuessingMetricName, GuessingAlarm][])
    // Without a payment provider there is no address for its calls.
    .filter(([name]) => name !== 'unsignedCalls' || settings.payments.provider !== 'none')
    .map(([name, { minutes, ...row }]) => ({
      name,
      metric: requestMetric(name, settings).with(every(minutes)),
      ...row,
    }));

export const secretAlarm = (settings: Settings): AlarmRow => ({
  name: UNREAD_SECRETS,
  metric: unreadSecrets(settings).with(every(15)),
  // A single slow read is repeated 10 s later. After an hour without, users get 503, and no invoice is issued.
  above: 2,
  meaning:
    'Functions could not read a secret three times in 15 minutes, and stop an hour after they last could. Run doctor, and repair the secret.',
});
