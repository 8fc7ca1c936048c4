import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { mailStackRegion } from '../mail/sender.ts';
import { addAlarm } from './alarm.ts';
import { jobAlarms, sendingAlarms, serviceAlarms } from './alarms.ts';
import { type Monitored, PharmacyDashboard } from './dashboard.ts';
import { guessingAlarms } from './guessing-alarms.ts';
import { addMetricFilters } from './metrics.ts';
import { addRequestMetrics } from './request-metrics.ts';
import { streamAlarms } from './stream-alarms.ts';
import { AlarmTopic } from './topic.ts';
import { secretAlarm } from './unread-secrets.ts';

/** The alarms that mail the operator, and the dashboard. */
export class Monitoring extends Construct {
  readonly topic: AlarmTopic;

  constructor(scope: Construct, id: string, monitored: Monitored) {
    super(scope, id);
    const { resources, jobFunctions, streaming, api, functions } = monitored;
    const { settings, table } = resources;
    this.topic = new AlarmTopic(this, 'Alarms', settings);
    for (const job of jobFunctions) addMetricFilters(job, settings);
    addRequestMetrics({ accessLog: api.accessLog, logOf: (name) => findLog(functions, name) }, settings);
    const services = serviceAlarms({ ...monitored, api: api.rest, table });
    const streams = streamAlarms(streaming);
    const sending = mailStackRegion(settings) ? [] : sendingAlarms();
    const rows = [
      ...services,
      ...streams,
      ...sending,
      ...guessingAlarms(settings),
      secretAlarm(settings),
      ...jobAlarms(settings),
    ];
    const alarms = rows.map((row) => addAlarm(this, row, { stage: settings.stage, topic: this.topic }));
    new PharmacyDashboard(this, 'Dashboard', { ...monitored, alarms });
  }
}

function findLog(functions: Monitored['functions'], name: string): ILogGroup {
  const found = functions.find(({ node }) => node.id === name);
  if (!found) throw new Error(`there is no function ${name}`);
  return found.log;
}
