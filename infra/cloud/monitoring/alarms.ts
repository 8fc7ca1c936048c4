import type { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type MetricName, UNREAD_SECRETS } from '../../../shared/runtime/metrics.ts';
import { PUBLISHER } from '../../jobs.ts';
import { functionName } from '../../stack-names.ts';
import type { Settings } from '../settings.ts';
import {
  type AlarmRow,
  failedShare,
  iteratorAge,
  type Monitored,
  type OwnMetricName,
  ownMetric,
  type Stage,
  sumOfTable,
} from './alarm.ts';

type Watch = Pick<AlarmRow<Stage>, 'minutes' | 'periods' | 'silence'>;

/** Goes off when a job reports a number above 0; a job that does not run has no data. */
const reported = (name: MetricName, watch: Watch) => ({
  name,
  metric: ownMetric(name, Stats.MAXIMUM),
  above: 0,
  ...watch,
});

/** Goes off when functions or the gateway count more in a period; there is no data without any. */
const counted = (name: OwnMetricName, above: number, minutes: number) => ({
  name,
  metric: ownMetric(name, Stats.SUM),
  above,
  minutes,
});

const HOURLY: Watch = { minutes: 60 };

const isCollected = ({ payments }: Settings): boolean => payments.provider !== 'none';

const reputation = (rate: string) => (_: unknown, period: Duration) =>
  new Metric({ namespace: 'AWS/SES', metricName: `Reputation.${rate}`, statistic: Stats.MAXIMUM, period });

/** SES judges the whole account as one, in the region where it sends. */
export const SENDING_ALARMS: readonly AlarmRow<Stage>[] = [
  {
    name: 'bounces',
    metric: reputation('BounceRate'),
    above: 0.04,
    minutes: 60,
    why: 'More than 4 % of mails bounce; from 5 % on SES reviews the account.',
    todo: 'Read the bounce notices, which name the addresses.',
  },
  {
    name: 'complaints',
    metric: reputation('ComplaintRate'),
    above: 0.0008,
    minutes: 60,
    why: 'More than 0.08 % of mails are reported as spam; from 0.1 % on SES reviews the account.',
    todo: 'Read the notices of complaints.',
  },
];

/** Thresholds are shares, milliseconds or counts. The guide's table (alarms.md) has the same rows. */
export const STAGE_ALARMS: readonly AlarmRow<Monitored>[] = [
  {
    name: 'failures',
    metric: failedShare,
    above: 0.01,
    minutes: 15,
    why: 'In 15 minutes more than 1 % of the requests (5 or more), or half of a few, were answered 5xx; not 503 `rebuilding`.',
    todo: '`logs` shows the failures with their stack traces.',
  },
  {
    name: 'latency',
    metric: ({ api }, period) => api.rest.metricLatency({ statistic: 'p99', period }),
    above: 3_000,
    minutes: 5,
    periods: 3,
    why: 'One request in a hundred has taken more than 3 s for 15 minutes.',
    todo: 'The dashboard shows which functions are slow.',
  },
  {
    name: 'throttled-functions',
    metric: (_, period) => LambdaFunction.metricAllThrottles({ period }),
    above: 0,
    minutes: 5,
    why: 'Lambda throttled functions of this account for lack of concurrency.',
    todo: 'Ask AWS for a higher quota.',
  },
  {
    name: 'throttled-table',
    metric: sumOfTable({ reads: 'ReadThrottleEvents', writes: 'WriteThrottleEvents' }),
    above: 0,
    minutes: 5,
    periods: 2,
    outOf: 3,
    why: 'DynamoDB throttles reads or writes. They are retried, and answered 503 if it lasts.',
    todo: 'Wait; before a launch, set warm throughput.',
  },
  {
    name: 'conflicts',
    metric: sumOfTable({ conflicts: 'TransactionConflict' }),
    above: 300,
    minutes: 5,
    periods: 2,
    outOf: 3,
    why: 'Transactions conflict more than once a second. They are retried.',
    todo: 'Find a client that sends everything at once.',
  },
  {
    name: 'dead-letters',
    metric: ({ deadLetters }, period) =>
      deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, period }),
    above: 0,
    minutes: 5,
    why: 'A job failed.',
    todo: 'The message in the queue names it, and its log says why. Fix the cause, then purge the queue.',
  },
  // A session gets a 401 when its token expires, after 15 minutes; one address may guess 500 in 5 minutes.
  {
    ...counted('answered401', 250, 5),
    why: 'More than 250 requests in 5 minutes were answered 401. Somebody guesses passwords or tokens.',
    todo: 'The access log names the keys (`gatewayKeyId`), the logs of the functions the clients and users.',
  },
  // A working client gets no 403; one whose key was removed tries every few seconds.
  {
    ...counted('answered403', 150, 5),
    why: 'More than 150 requests in 5 minutes were answered 403. Somebody guesses API keys, or a client still sends a retired one.',
    todo: 'The access log names the address (`sourceAddress`); turn `webAcl` on.',
  },
  // One a second, far above callers that respect `Retry-After`.
  {
    ...counted('answered429', 300, 5),
    why: 'More than 300 requests in 5 minutes were answered 429.',
    todo: 'The access log names the keys (`gatewayKeyId`). Ask the client to wait as `Retry-After` says, or disable it.',
  },
  // People mistype an address now and then; a list of addresses has hundreds.
  {
    ...counted('takenContacts', 60, 60),
    why: 'More than 60 orders in an hour had an e-mail or phone of somebody else, perhaps to learn who is a patient.',
    todo: 'The dashboard shows the client; `clients update <client> --enabled no`.',
  },
  // At this rate, guessing a code of six letters takes a century.
  {
    ...counted('invalidCoupons', 300, 60),
    why: 'More than 300 invalid coupons in an hour. Somebody guesses codes.',
    todo: 'The dashboard shows the API key. Change codes that are easily guessed.',
  },
  // The address is public; the provider itself repeats each of its calls.
  {
    ...counted('unsignedCalls', 10, 60),
    where: isCollected,
    why: 'More than 10 calls in an hour to the address of the payment provider had no valid signature.',
    todo: 'Run `doctor`: the secret of the endpoint may have been changed.',
  },
  // A single slow read is repeated 10 s later. After an hour without, users get 503, and no invoice is issued.
  {
    ...counted(UNREAD_SECRETS, 2, 15),
    why: 'Functions could not read a secret three times in 15 minutes, and stop an hour after they last could.',
    todo: 'Run `doctor`, and repair the secret: token keys, seal keys or the key of a provider.',
  },
  {
    name: `late-${functionName(PUBLISHER.handler)}`,
    metric: ({ publisher }, period) => iteratorAge(publisher, period),
    above: 5 * 60 * 1_000,
    minutes: 5,
    periods: 2,
    why: 'Records of the stream of the table have waited more than 5 minutes for `jobs-publish-events`.',
    todo: 'Its log says why. After 20 hours they are given up, and lie for 14 days in the bucket for documents under `aws/lambda/`: `events repair` publishes them.',
  },
  {
    ...reported('catalogAgeHours', { minutes: 30, periods: 2, silence: 'alarming' }),
    where: ({ catalogMaximumAgeDays }) => catalogMaximumAgeDays !== undefined,
    above: ({ catalogMaximumAgeDays = 0 }) => catalogMaximumAgeDays * 24,
    why: 'The catalog is older than the settings allow, cannot be opened, or there is none.',
    todo: '`catalog publish` or `catalog activate`.',
  },
  {
    ...reported('unsentMail', { minutes: 10, periods: 3, silence: 'alarming' }),
    why: 'Invoice mails have waited for half an hour, are unconfirmed, or were given up.',
    todo: 'See `invoices list`, check SES, then `invoices resend`.',
  },
  {
    ...reported('unsettledInvoices', { minutes: 10, periods: 3, silence: 'alarming' }),
    why: 'Invoices, complements or credit notes have not been issued for half an hour.',
    todo: 'See `invoices list`, and check that the provider answers.',
  },
  {
    ...reported('notIssued', HOURLY),
    why: 'A document was not issued, and no job tries again.',
    todo: 'See `invoices list --status not_issued`. Correct its reason, then `invoices issue` or `orders handled`.',
  },
  {
    ...reported('totalDiffers', HOURLY),
    why: 'A document was issued with another total than its sale, by a cent or more.',
    todo: 'See `invoices list --status total_differs`. Replace it, or `orders handled`.',
  },
  {
    ...reported('pueUnpaid', HOURLY),
    why: 'An invoice says paid in its month (PUE), and was not.',
    todo: 'See `invoices list --status pue_unpaid`. Replace it, or `orders handled`.',
  },
  {
    ...reported('complementDue', HOURLY),
    why: 'A payment complement is not issued, and its last day is in two days or past.',
    todo: 'See its reason in `invoices list`.',
  },
  {
    ...reported('cancellationRejected', HOURLY),
    why: 'A receiver rejected the cancellation of an invoice.',
    todo: 'See `invoices list`. Contact the receiver, then `orders handled`.',
  },
  {
    // Two runs of the hourly job, one of which may be late.
    ...reported('globalInvoicesLate', { minutes: 120, silence: 'alarming' }),
    why: 'A global invoice was refused or is late (SAT: 24 hours after its month), or paid orders of earlier months have no invoice.',
    todo: '`invoices global --period <month>`, then with `--issue`.',
  },
  {
    ...reported('paymentExceptions', HOURLY),
    where: isCollected,
    why: 'A payment waits for somebody: money beside the total, a dispute, a reference that was not made, a refund that failed.',
    todo: 'See `payments list`, then `orders handled`.',
  },
  {
    ...reported('eventsUnpublished', { minutes: 5 }),
    why: 'An event of an order could not be read, or the event bus did not take it.',
    todo: 'See `events repair` and the log of `jobs-publish-events`. Once the cause is mended, `events repair <order>`; what the bus did not take is put on it with the next events.',
  },
  {
    ...reported('webhooksDisabled', HOURLY),
    why: 'A webhook failed for a day or answered 410, and was disabled in the last day. Its owner was mailed.',
    todo: 'See `webhooks list`. Ask the owner, then `webhooks update <webhook> --enabled yes`.',
  },
  {
    ...reported('webhooksGivenUp', HOURLY),
    why: 'An event was given up in the last day, after three days of tries.',
    todo: '`webhooks list` shows the webhook. See `webhooks deliveries <id> --status given_up`, then `webhooks replay <id> --given-up`.',
  },
  {
    ...reported('webhookBacklogMinutes', { minutes: 5, periods: 3, silence: 'alarming' }),
    above: 15,
    why: 'Events have waited a quarter of an hour for their first try.',
    todo: 'See `webhooks list`: a thousand orders may wait for a receiver that fails. Else the log of `jobs-deliver-webhooks` says why.',
  },
];
