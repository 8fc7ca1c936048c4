import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type AlarmRow, jobAlarms, serviceAlarms } from './alarms.ts';
import { type Monitored, PharmacyDashboard } from './dashboard.ts';
import { guessingAlarms } from './guessing-alarms.ts';
import { addMetricFilters } from './metrics.ts';
import { addRequestMetrics } from './request-metrics.ts';
import { AlarmTopic } from './topic.ts';

/** The alarms that mail the operator, and the dashboard. */
export class Monitoring extends Construct {
  readonly topic: AlarmTopic;
  readonly #action: SnsAction;
  readonly #stage: string;

  constructor(scope: Construct, id: string, monitored: Monitored) {
    super(scope, id);
    const { resources, scheduled, api, functions } = monitored;
    const { settings, table } = resources;
    this.#stage = settings.stage;
    this.topic = new AlarmTopic(this, 'Alarms', settings);
    this.#action = new SnsAction(this.topic);
    for (const job of scheduled) addMetricFilters(job, settings);
    addRequestMetrics({ accessLog: api.accessLog, logOf: (name) => findLog(functions, name) }, settings);
    const services = serviceAlarms({ ...monitored, api: api.rest, table });
    const rows = [...services, ...guessingAlarms(settings), ...jobAlarms(settings)];
    const alarms = rows.map((row) => this.#alarm(row));
    new PharmacyDashboard(this, 'Dashboard', { ...monitored, alarms });
  }

  #alarm({ name, metric, above, periods = 1, silence, meaning }: AlarmRow): Alarm {
    const alarm = new Alarm(this, name, {
      alarmName: `pharmacy-${this.#stage}-${name}`,
      alarmDescription: meaning,
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: silence === 'alarming' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(this.#action);
    alarm.addOkAction(this.#action);
    return alarm;
  }
}

function findLog(functions: Monitored['functions'], name: string): ILogGroup {
  const found = functions.find(({ node }) => node.id === name);
  if (!found) throw new Error(`there is no function ${name}`);
  return found.log;
}
