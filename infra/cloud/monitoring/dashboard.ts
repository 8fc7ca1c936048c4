import { Duration } from 'aws-cdk-lib';
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
import type { Construct } from 'constructs';
import type { PharmacyFunction } from '../functions/function.ts';
import { figureMetric, reportedFigures } from './metrics.ts';
import type { Watched } from './monitoring.ts';

const WIDTH = 12;
const graph = (title: string, left: IMetric[]): IWidget => new GraphWidget({ title, left, width: WIDTH });
const nameOf = ({ node }: PharmacyFunction) => node.id;

/** The service on one page: whether anything is wrong, then requests, functions, table, jobs. */
export class PharmacyDashboard extends Dashboard {
  constructor(scope: Construct, id: string, { alarms, ...watched }: Watched & { alarms: IAlarm[] }) {
    super(scope, id, {
      dashboardName: `pharmacy-${watched.resources.settings.stage}`,
      defaultInterval: Duration.hours(12),
    });
    this.addWidgets(new AlarmStatusWidget({ alarms, width: 2 * WIDTH, height: 4 }));
    this.addWidgets(...requests(watched));
    this.addWidgets(...functions(watched));
    this.addWidgets(...table(watched));
    this.addWidgets(...work(watched));
  }
}

const requests = ({ api }: Watched) => [
  graph('Requests, and those refused or failed', [api.metricCount(), api.metricClientError(), api.metricServerError()]),
  graph('Latency, ms', [api.metricLatency({ statistic: 'p50' }), api.metricLatency({ statistic: 'p99' })]),
];

function functions({ functions, scheduled }: Watched) {
  const all = [...functions, ...scheduled.map((job) => job.function)];
  return [
    graph('Errors of functions', [
      ...all.map((one) => one.lambda.metricErrors({ label: nameOf(one) })),
      new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: Stats.SUM, label: 'throttles' }),
    ]),
    graph(
      'Duration of functions, p99, ms',
      all.map((one) => one.lambda.metricDuration({ statistic: 'p99', label: nameOf(one) })),
    ),
  ];
}

const table = ({ resources: { table } }: Watched) => [
  graph('Units of the table', [table.metricConsumedReadCapacityUnits(), table.metricConsumedWriteCapacityUnits()]),
  graph('Conflicts and throttling of the table', [
    table.metric('TransactionConflict', { statistic: Stats.SUM }),
    table.metric('ReadThrottleEvents', { statistic: Stats.SUM }),
    table.metric('WriteThrottleEvents', { statistic: Stats.SUM }),
  ]),
];

const work = ({ resources: { settings }, deadLetters }: Watched) => [
  graph(
    'What jobs count',
    reportedFigures().map((figure) => figureMetric(figure, settings)),
  ),
  graph('Failed jobs', [deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM })]),
];
