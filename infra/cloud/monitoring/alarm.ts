import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** Mails its messages to the operator, once the address has confirmed the subscription; alarms may publish to it. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { alarmAddress }: Settings) {
    super(scope, id, { enforceSSL: true });
    this.addSubscription(new EmailSubscription(alarmAddress));
    this.#allowAlarms();
  }

  /**
   * Lets the alarms of this account publish. A topic with a policy of its own, here the one of `enforceSSL`, loses SNS's default
   * policy, and CloudWatch's action fails (repost.aws/knowledge-center/cloudwatch-receive-sns-for-alarm-trigger). `SnsAction`
   * adds no permission; the event destination of SES adds its own.
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
  /** Mails when data end that have once come; without it, a period without data counts as below the threshold. */
  readonly silence?: 'alarming';
  /** The text of the alarm mail: what happened, and what to do. */
  readonly meaning: string;
};

export const every = (minutes: number) => ({ period: Duration.minutes(minutes) });
/** Adds an alarm that mails the operator when it goes off and when it ends. */
export function addAlarm(
  scope: Construct,
  row: AlarmRow,
  { stage, topic }: Pick<Settings, 'stage'> & { topic: AlarmTopic },
) {
  const { periods = 1 } = row;
  const alarm = new Alarm(scope, row.name, {
    alarmName: `pharmacy-${stage}-${row.name}`,
    alarmDescription: row.meaning,
    metric: row.metric,
    threshold: row.above,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: row.outOf ?? periods,
    datapointsToAlarm: periods,
    treatMissingData: row.silence === 'alarming' ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
  });
  const action = new SnsAction(topic);
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
  // A new alarm has INSUFFICIENT_DATA until its first data, and acts on a change of state alone: it is silent where BREACHING
  // would ring (aws-cloudformation/cloudformation-coverage-roadmap#2486). Later it gets there when all data in the range are
  // missing, at the time when BREACHING would ring (AWS, "Configuring how CloudWatch alarms treat missing data").
  if (row.silence) alarm.addInsufficientDataAction(action);
  return alarm;
}
