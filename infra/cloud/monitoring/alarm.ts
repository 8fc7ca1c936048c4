import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** Mails its messages to the operator, once the address has confirmed the subscription. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { alarmAddress }: Settings) {
    super(scope, id, { enforceSSL: true });
    this.addSubscription(new EmailSubscription(alarmAddress));
    this.#allowAlarms();
  }

  /**
   * A topic with its own policy, here that of `enforceSSL`, loses SNS's default one, and CloudWatch's action fails
   * (repost.aws/knowledge-center/cloudwatch-receive-sns-for-alarm-trigger). `SnsAction` adds no permission; SES's event
   * destination does.
   */
  #allowAlarms(): void {
    const stack = Stack.of(this);
    const alarms = { service: 'cloudwatch', resource: 'alarm', resourceName: '*' };
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AllowAlarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': stack.account },
          ArnLike: { 'aws:SourceArn': stack.formatArn({ ...alarms, arnFormat: ArnFormat.COLON_RESOURCE_NAME }) },
        },
      }),
    );
  }
}

/**
 * Goes off when its metric is above the threshold in `periods` of the latest `outOf` periods. Late data only delays it: the
 * periods slide with each evaluation (EvaluationWindow), one a minute (AWS, "Limits" of alarms), and CloudWatch prefers an
 * earlier period's data to none (AWS, "How alarm state is evaluated when data is missing"). Where FILL hides missing data,
 * `outOf` leaves room for it.
 */
export type AlarmRow<Of> = {
  readonly name: string;
  readonly metric: (of: Of, period: Duration) => IMetric;
  readonly above: number | ((settings: Settings) => number);
  readonly minutes: number;
  /** 1 by default. */
  readonly periods?: number;
  /** `periods` by default. */
  readonly outOf?: number;
  /** Also mails when data stops, as of a job that no longer runs; otherwise a period without data is below the threshold. */
  readonly silence?: 'alarming';
  /** The stages that have it; all by default. */
  readonly where?: (settings: Settings) => boolean;
  readonly why: string;
  readonly todo: string;
};

type AlarmInputs<Of> = { readonly of: Of; readonly topic: AlarmTopic };

/** Adds the alarms of the rows that the stage has. */
export const addAlarms = <Of extends { readonly settings: Settings }>(
  scope: Construct,
  rows: readonly AlarmRow<Of>[],
  inputs: AlarmInputs<Of>,
): Alarm[] =>
  rows.filter(({ where }) => !where || where(inputs.of.settings)).map((row) => addAlarm(scope, row, inputs));

function addAlarm<Of extends { readonly settings: Settings }>(
  scope: Construct,
  { name, above, periods = 1, ...row }: AlarmRow<Of>,
  { of, topic }: AlarmInputs<Of>,
): Alarm {
  const alarm = new Alarm(scope, name, {
    alarmName: `pharmacy-${of.settings.stage}-${name}`,
    alarmDescription: `${row.why} ${row.todo}`,
    metric: row.metric(of, Duration.minutes(row.minutes)),
    threshold: typeof above === 'number' ? above : above(of.settings),
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: row.outOf ?? periods,
    datapointsToAlarm: periods,
    treatMissingData: row.silence ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
  });
  const action = new SnsAction(topic);
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
  // A new alarm has INSUFFICIENT_DATA until its first data and acts only on changes, so it is silent where BREACHING would go
  // off (aws-cloudformation/cloudformation-coverage-roadmap#2486). Later it returns there when BREACHING would go off, once
  // all data in the range is missing (AWS, "Configuring how CloudWatch alarms treat missing data").
  if (row.silence) alarm.addInsufficientDataAction(action);
  return alarm;
}
