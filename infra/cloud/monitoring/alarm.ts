import { Aws, Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { MetricName, RequestMetricName, UNREAD_SECRETS } from '../../../shared/runtime/metrics.ts';
import type { PharmacyApi } from '../api/api.ts';
import type { Resources } from '../data.ts';
import type { PharmacyFunction } from '../functions/function.ts';
import type { Settings } from '../settings.ts';
import { getNamespace } from '../stage.ts';

/** Mails its messages to the operator, once the address has confirmed the subscription. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { alarmAddress }: Settings) {
    super(scope, id, { enforceSSL: true });
    this.addSubscription(new EmailSubscription(alarmAddress));
    const { account, region } = Stack.of(this);
    // The policy of `enforceSSL` replaces SNS's default one, and `SnsAction` adds no permission
    // (repost.aws/knowledge-center/cloudwatch-receive-sns-for-alarm-trigger).
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AllowAlarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': account },
          ArnLike: { 'aws:SourceArn': `arn:${Aws.PARTITION}:cloudwatch:${region}:${account}:alarm:*` },
        },
      }),
    );
  }
}

export type Stage = { readonly settings: Settings };
export type Monitored = Resources & {
  readonly api: PharmacyApi;
  readonly functions: readonly PharmacyFunction[];
  readonly publisher: PharmacyFunction;
};

/**
 * Goes off when its metric is above the threshold in `periods` of the latest `outOf` periods. Late data only delays it, since
 * CloudWatch prefers an earlier period's data to none (AWS, "How alarm state is evaluated when data is missing"); where FILL
 * hides missing data, `outOf` leaves room for it.
 */
export type AlarmRow<Of> = {
  readonly name: string;
  readonly metric: (of: Of, period: Duration) => IMetric;
  readonly above: number | ((settings: Settings) => number);
  readonly minutes: number;
  readonly periods?: number;
  /** `periods` by default. */
  readonly outOf?: number;
  /** Also mails when data stops, as of a job that no longer runs; otherwise a period without data is below the threshold. */
  readonly silence?: 'alarming';
  readonly where?: (settings: Settings) => boolean;
  readonly why: string;
  readonly todo: string;
};

export function addAlarms<Of extends Stage>(
  scope: Construct,
  rows: readonly AlarmRow<Of>[],
  { of, topic }: { readonly of: Of; readonly topic: AlarmTopic },
): Alarm[] {
  const { settings } = of;
  const action = new SnsAction(topic);
  return rows
    .filter(({ where }) => !where || where(settings))
    .map(({ name, above, periods = 1, ...row }) => {
      const alarm = new Alarm(scope, name, {
        alarmName: `pharmacy-${settings.stage}-${name}`,
        alarmDescription: `${row.why} ${row.todo}`,
        metric: row.metric(of, Duration.minutes(row.minutes)),
        threshold: typeof above === 'number' ? above : above(settings),
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: row.outOf ?? periods,
        datapointsToAlarm: periods,
        treatMissingData: row.silence ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
      });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      // A new alarm waits in this state for its first data, silently, where BREACHING would go off
      // (aws-cloudformation/cloudformation-coverage-roadmap#2486), and returns to it when all data in the range is missing.
      if (row.silence) alarm.addInsufficientDataAction(action);
      return alarm;
    });
}

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
 * Alarms on metrics of `AWS/DynamoDB` keep their state while data is missing, whatever `TreatMissingData` is (PutMetricAlarm).
 * FILL also makes a period 0 whose data is late (AWS, "Using math expressions with CloudWatch metrics").
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
