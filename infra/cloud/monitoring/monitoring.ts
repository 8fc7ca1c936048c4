import { Duration, Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
  Metric,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { METRIC_NAMES } from '../../../shared/runtime/metrics.ts';
import type { PharmacyApi } from '../api/api.ts';
import type { PharmacyFunction } from '../functions/function.ts';
import type { DeadLetters } from '../functions/job-functions.ts';
import { mailStackRegion } from '../mail/sender.ts';
import type { Resources } from '../resources.ts';
import type { Settings } from '../settings.ts';
import { AlarmTopic, addAlarm } from './alarm.ts';
import { jobAlarms } from './job-alarms.ts';
import { addAnswerMetrics, jobMetric, requestGraphs, unreadSecrets } from './metrics.ts';
import {
  guessingAlarms,
  iteratorAge,
  secretAlarm,
  sendingAlarms,
  serviceAlarms,
  streamAlarms,
} from './service-alarms.ts';

export class Monitoring extends Construct {
  readonly topic: AlarmTopic;

  constructor(scope: Construct, id: string, monitored: Monitored) {
    super(scope, id);
    const { resources, streaming, api } = monitored;
    const { settings, table } = resources;
    this.topic = new AlarmTopic(this, 'Alarms', settings);
    addAnswerMetrics(api.accessLog, settings);
    const rows = [
      ...serviceAlarms(settings, { ...monitored, api: api.rest, table }),
      ...streamAlarms(streaming),
      ...(settings.sender && !mailStackRegion(settings) ? sendingAlarms() : []),
      ...guessingAlarms(settings),
      secretAlarm(settings),
      ...jobAlarms(settings),
    ];
    const alarms = rows.map((row) => addAlarm(this, row, { stage: settings.stage, topic: this.topic }));
    new PharmacyDashboard(this, 'Dashboard', { ...monitored, alarms });
  }
}

type Monitored = {
  readonly resources: Resources;
  readonly api: PharmacyApi;
  readonly functions: readonly PharmacyFunction[];
  /** Those of the functions that run on the table's stream. */
  readonly streaming: readonly PharmacyFunction[];
  readonly deadLetters: DeadLetters;
};

const WIDTH = 12;
const graph = (title: string, left: IMetric[]): IWidget => new GraphWidget({ title, left, width: WIDTH });
const getName = ({ node }: PharmacyFunction) => node.id;

class PharmacyDashboard extends Dashboard {
  constructor(scope: Construct, id: string, { alarms, ...monitored }: Monitored & { alarms: IAlarm[] }) {
    super(scope, id, {
      // "All dashboards in your account are global, not region-specific" (CloudWatch's PutDashboard).
      dashboardName: `pharmacy-${monitored.resources.settings.stage}-${Stack.of(scope).region}`,
      defaultInterval: Duration.hours(12),
    });
    const title = alarmsTitle(monitored.resources.settings);
    this.addWidgets(new AlarmStatusWidget({ title, alarms, width: 2 * WIDTH, height: 4 }));
    this.addWidgets(...requests(monitored));
    this.addWidgets(...functions(monitored));
    this.addWidgets(...table(monitored));
    this.addWidgets(...jobs(monitored));
  }
}

// Dashboards show alarms of several regions (AWS, "Using Amazon CloudWatch alarms"), but it is undocumented for this widget.
function alarmsTitle(settings: Settings): string {
  const region = mailStackRegion(settings);
  return region ? `Alarms; bounces and complaints are in ${region}` : 'Alarms';
}

const requests = ({ api: { rest: api }, resources }: Monitored) => [
  graph('Requests, and those refused or failed', [api.metricCount(), api.metricClientError(), api.metricServerError()]),
  graph('Latency, ms', [api.metricLatency({ statistic: 'p50' }), api.metricLatency({ statistic: 'p99' })]),
  ...requestGraphs(resources.settings).map(({ title, metrics }) => graph(title, metrics)),
];

const functions = ({ functions, resources: { settings } }: Monitored) => [
  graph('Errors of functions', [
    ...functions.map((fn) => fn.lambda.metricErrors({ label: getName(fn) })),
    new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: Stats.SUM, label: 'throttles' }),
    unreadSecrets(settings),
  ]),
  graph(
    'Duration of functions, p99, ms',
    functions.map((fn) => fn.lambda.metricDuration({ statistic: 'p99', label: getName(fn) })),
  ),
];

const table = ({ resources: { table } }: Monitored) => [
  graph('Units of the table', [table.metricConsumedReadCapacityUnits(), table.metricConsumedWriteCapacityUnits()]),
  graph('Conflicts and throttling of the table', [
    table.metric('TransactionConflict', { statistic: Stats.SUM }),
    table.metric('ReadThrottleEvents', { statistic: Stats.SUM }),
    table.metric('WriteThrottleEvents', { statistic: Stats.SUM }),
  ]),
];

const jobs = ({ resources: { settings }, deadLetters, streaming }: Monitored) => [
  graph(
    'Metrics of jobs',
    METRIC_NAMES.map((name) => jobMetric(name, settings)),
  ),
  graph(
    'Age of the oldest record of the stream that waits, ms',
    streaming.map((fn) => iteratorAge(fn, 5)),
  ),
  graph('Failed jobs', [deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM })]),
];
