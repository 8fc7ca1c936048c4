import type { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName, RequestMetricName, UNREAD_SECRETS } from '../../../shared/runtime/metrics.ts';
import type { OrdersTable } from '../data.ts';
import type { PharmacyFunction } from '../functions/function.ts';
import type { DeadLetters } from '../functions/job-functions.ts';
import type { Settings } from '../settings.ts';
import { getNamespace } from '../stage.ts';

export type Stage = { readonly settings: Settings };
export type Monitored = Stage & {
  readonly table: OrdersTable;
  readonly api: { readonly rest: RestApi };
  readonly publisher: PharmacyFunction;
  readonly deadLetters: DeadLetters;
};

/** Counted in the access log, as the gateway itself gives these answers, too. */
export const COUNTED_STATUSES = [401, 403, 429] as const;
export type OwnMetricName =
  | MetricName
  | RequestMetricName
  | typeof UNREAD_SECRETS
  | `answered${(typeof COUNTED_STATUSES)[number]}`;

export const ownMetric =
  (metricName: OwnMetricName, statistic: string) =>
  ({ settings }: Stage, period: Duration): Metric =>
    new Metric({ namespace: getNamespace(settings), metricName, statistic, period });

/** The age in milliseconds of the oldest unhandled record in the stream. */
export const iteratorAge = ({ lambda }: PharmacyFunction, period: Duration): Metric =>
  lambda.metric('IteratorAge', { statistic: Stats.MAXIMUM, period, label: lambda.node.id });

export const reputation = (rate: string) => (_: unknown, period: Duration) =>
  new Metric({ namespace: 'AWS/SES', metricName: `Reputation.${rate}`, statistic: Stats.MAXIMUM, period });

/** The gateway counts its own failures, such as time-outs, but also expected 5xx answers of functions. */
export function failedShare(stage: Monitored, period: Duration): IMetric {
  const { rest } = stage.api;
  const sum = { statistic: Stats.SUM, period };
  const failed = new MathExpression({
    expression: 'answered - FILL(expected, 0)',
    usingMetrics: {
      answered: rest.metricServerError(sum),
      expected: ownMetric('expected5xx', Stats.SUM)(stage, period),
    },
    period,
  });
  return new MathExpression({
    // A few failures among many requests mean little; half of all is an alarm at any hour, even 1 of 1.
    expression: 'IF(failed >= 5 || failed / requests >= 0.5, failed / requests, 0)',
    usingMetrics: { failed, requests: rest.metricCount(sum) },
    period,
  });
}

/**
 * Sums metrics of the table. Alarms on metrics of `AWS/DynamoDB` keep their state while data is missing, whatever
 * `TreatMissingData` is (PutMetricAlarm), and these metrics have data only for events. FILL also sets a period whose data is
 * late to 0 (AWS, "Using math expressions with CloudWatch metrics"), so one of three may be too low.
 */
export const sumOfTable =
  (metrics: Readonly<Record<string, string>>) =>
  ({ table }: Monitored, period: Duration): IMetric =>
    new MathExpression({
      expression: Object.keys(metrics)
        .map((id) => `FILL(${id}, 0)`)
        .join(' + '),
      usingMetrics: Object.fromEntries(
        Object.entries(metrics).map(([id, name]) => [id, table.metric(name, { statistic: Stats.SUM, period })]),
      ),
      period,
    });
