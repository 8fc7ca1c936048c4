import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Figure } from '../../../shared/runtime/metrics.ts';
import type { DeadLetters } from '../functions/dead-letters.ts';
import type { OrdersTable } from '../orders-table.ts';
import type { Settings } from '../settings.ts';
import { figureMetric, reportedFigures } from './metrics.ts';

/** Rings when the metric is above the threshold in each of so many periods of so many minutes. */
export type AlarmRow = {
  readonly name: string;
  readonly metric: IMetric;
  readonly above: number;
  readonly periods: number;
  /** What to make of a period of which nothing is known. */
  readonly silence: 'fine' | 'alarming';
  /** For the mail that it sends: what has happened, and what to do. */
  readonly meaning: string;
};

const every = (minutes: number) => ({ period: Duration.minutes(minutes) });
const sumOf = (minutes: number) => ({ statistic: Stats.SUM, ...every(minutes) });

/** What CloudWatch counts by itself; numbers are shares, milliseconds or occurrences. */
export const serviceAlarms = (watched: { api: RestApi; table: OrdersTable; deadLetters: DeadLetters }): AlarmRow[] => [
  ...requestAlarms(watched.api),
  ...tableAlarms(watched.table),
  ...sendingAlarms(),
  {
    name: 'dead-letters',
    metric: watched.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, ...every(5) }),
    above: 0,
    periods: 1,
    silence: 'fine',
    meaning: 'A job failed. The message in the queue names it, its log says why; purge the queue when it is mended.',
  },
];

const requestAlarms = (api: RestApi): AlarmRow[] => [
  {
    name: 'failures',
    metric: new MathExpression({
      // Of a handful of requests, one that fails is no share to be woken for.
      expression: 'IF(failed >= 5, failed / requests, 0)',
      usingMetrics: { failed: api.metricServerError(sumOf(5)), requests: api.metricCount(sumOf(5)) },
      ...every(5),
    }),
    above: 0.01,
    periods: 2,
    silence: 'fine',
    meaning: 'More than 1 % of requests are answered 5xx. Look for "request failed" in the logs of the functions.',
  },
  {
    name: 'latency',
    metric: api.metricLatency({ statistic: 'p99', ...every(5) }),
    above: 3_000,
    periods: 3,
    silence: 'fine',
    meaning: 'One request in a hundred takes more than 3 s. The dashboard shows which functions are slow.',
  },
  {
    name: 'throttled-functions',
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...sumOf(5) }),
    above: 0,
    periods: 1,
    silence: 'fine',
    meaning: 'Functions of this account were refused for want of concurrency. Ask AWS for a higher quota.',
  },
];

const tableAlarms = (table: OrdersTable): AlarmRow[] => [
  {
    name: 'throttled-table',
    metric: new MathExpression({
      expression: 'reads + writes',
      usingMetrics: {
        reads: table.metric('ReadThrottleEvents', sumOf(5)),
        writes: table.metric('WriteThrottleEvents', sumOf(5)),
      },
      ...every(5),
    }),
    above: 0,
    periods: 2,
    silence: 'fine',
    meaning: 'DynamoDB refuses reads or writes for their rate. They are tried again, and answered 503 when it lasts.',
  },
  {
    name: 'conflicts',
    metric: table.metric('TransactionConflict', sumOf(5)),
    above: 300,
    periods: 2,
    silence: 'fine',
    meaning:
      'Orders meet each other more than once a second. They are tried again; a client may be sending all at once.',
  },
];

const reputation = (metricName: string): Metric =>
  new Metric({ namespace: 'AWS/SES', metricName: `Reputation.${metricName}`, statistic: Stats.MAXIMUM, ...every(60) });

/** Of all that the account sends: SES judges it as one. */
const sendingAlarms = (): AlarmRow[] => [
  {
    name: 'bounces',
    metric: reputation('BounceRate'),
    above: 0.04,
    periods: 1,
    silence: 'fine',
    meaning: 'More than 4 % of mails come back; from 5 % on SES reviews the account. The returned mails say which.',
  },
  {
    name: 'complaints',
    metric: reputation('ComplaintRate'),
    above: 0.0008,
    periods: 1,
    silence: 'fine',
    meaning: 'More than 0.08 % of mails are called spam; from 0.1 % on SES reviews the account.',
  },
];

type FigureAlarm = Omit<AlarmRow, 'name' | 'metric'> & { readonly minutes: number };

/** What the jobs count. Where they report nothing any more, they do not run, which is alarming by itself. */
const figureAlarms = ({ catalogMaximumAgeDays }: Settings): Readonly<Record<Figure, FigureAlarm>> => ({
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
      'Mails of invoices wait since half an hour, or were given up. See `invoices list`, whether SES sends, and resend.',
  },
  unsettledInvoices: {
    above: 0,
    minutes: 10,
    periods: 3,
    silence: 'alarming',
    meaning:
      'Of some invoices nobody knows whether they were issued. See `invoices list`, and whether the provider answers.',
  },
  complementDue: {
    above: 0,
    minutes: 60,
    periods: 1,
    silence: 'fine',
    meaning:
      'Credit orders were paid and lack their payment complement. See `invoices list`, and issue them at the provider.',
  },
  cancellationRejected: {
    above: 0,
    minutes: 60,
    periods: 1,
    silence: 'fine',
    meaning: 'A receiver refused that an invoice be cancelled. See `invoices list`, and talk to them.',
  },
});

export function jobAlarms(settings: Settings): AlarmRow[] {
  const rows = figureAlarms(settings);
  return reportedFigures().map((figure) => {
    const { minutes, ...row } = rows[figure];
    return { name: figure, metric: figureMetric(figure, settings).with(every(minutes)), ...row };
  });
}
