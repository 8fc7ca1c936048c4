import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { AlarmRow } from './alarms.ts';
import type { AlarmTopic } from './topic.ts';

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
    treatMissingData: row.silence === 'alarming' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
  const action = new SnsAction(topic);
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
  return alarm;
}
