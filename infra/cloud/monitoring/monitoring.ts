import { Construct } from 'constructs';
import { mailStackRegion } from '../mail/sender.ts';
import { addAlarm } from './alarm.ts';
import { jobAlarms, sendingAlarms, serviceAlarms } from './alarms.ts';
import { type Monitored, PharmacyDashboard } from './dashboard.ts';
import { guessingAlarms } from './guessing-alarms.ts';
import { addAnswerMetrics } from './request-metrics.ts';
import { streamAlarms } from './stream-alarms.ts';
import { AlarmTopic } from './topic.ts';
import { secretAlarm } from './unread-secrets.ts';

/** The alarms that mail the operator, and the dashboard. */
export class Monitoring extends Construct {
  readonly topic: AlarmTopic;

  constructor(scope: Construct, id: string, monitored: Monitored) {
    super(scope, id);
    const { resources, streaming, api } = monitored;
    const { settings, table } = resources;
    this.topic = new AlarmTopic(this, 'Alarms', settings);
    addAnswerMetrics(api.accessLog, settings);
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
