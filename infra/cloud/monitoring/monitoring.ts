import { Duration, Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import {
  METRIC_NAMES,
  REQUEST_METRICS,
  type RequestMetricName,
  UNREAD_SECRETS,
} from '../../../shared/runtime/metrics.ts';
import type { PharmacyApi } from '../api/api.ts';
import type { PharmacyFunction } from '../functions/function.ts';
import { mailStackRegion } from '../mail/sender.ts';
import type { Settings } from '../settings.ts';
import { getNamespace } from '../stage.ts';
import { AlarmTopic, addAlarms, COUNTED_STATUSES, iteratorAge, type Monitored, ownMetric } from './alarm.ts';
import { SENDING_ALARMS, STAGE_ALARMS } from './alarms.ts';

type Shown = Monitored & { readonly api: PharmacyApi; readonly functions: readonly PharmacyFunction[] };

export class Monitoring extends Construct {
  readonly topic: AlarmTopic;

  constructor(scope: Construct, id: string, shown: Shown) {
    super(scope, id);
    const { settings, api } = shown;
    this.topic = new AlarmTopic(this, 'Alarms', settings);
    countAnswers(api.accessLog, settings);
    const sending = settings.sender && !mailStackRegion(settings) ? SENDING_ALARMS : [];
    const alarms = addAlarms(this, [...STAGE_ALARMS, ...sending], { of: shown, topic: this.topic });
    const dashboard = new Dashboard(this, 'Dashboard', {
      // "All dashboards in your account are global, not region-specific" (CloudWatch's PutDashboard).
      dashboardName: `pharmacy-${settings.stage}-${Stack.of(this).region}`,
      defaultInterval: Duration.hours(12),
    });
    for (const row of [[showAlarms(alarms, settings)], ...listGraphs(shown)]) dashboard.addWidgets(...row);
  }
}

function countAnswers(accessLog: ILogGroup, settings: Settings): void {
  for (const status of COUNTED_STATUSES) {
    accessLog.addMetricFilter(`answered${status}`, {
      // API Gateway writes a status as text.
      filterPattern: FilterPattern.stringValue('$.status', '=', String(status)),
      metricNamespace: getNamespace(settings),
      metricName: `answered${status}`,
      metricValue: '1',
    });
  }
}

const WIDTH = 12;
const FIVE_MINUTES = Duration.minutes(5);

// Dashboards show alarms of several regions (AWS, "Using Amazon CloudWatch alarms"), but it is undocumented for this widget.
function showAlarms(alarms: IAlarm[], settings: Settings): IWidget {
  const region = mailStackRegion(settings);
  const title = region ? `Alarms; bounces and complaints are in ${region}` : 'Alarms';
  return new AlarmStatusWidget({ title, alarms, width: 2 * WIDTH, height: 4 });
}

const graph = (title: string, left: IMetric[]): IWidget => new GraphWidget({ title, left, width: WIDTH });
const getName = ({ node }: PharmacyFunction) => node.id;

const listGraphs = (shown: Shown): IWidget[][] => {
  const {
    settings,
    api: { rest },
    functions,
    table,
    publisher,
    deadLetters,
  } = shown;
  return [
    [
      graph('Requests, and those refused or failed', [
        rest.metricCount(),
        rest.metricClientError(),
        rest.metricServerError(),
      ]),
      graph('Latency, ms', [rest.metricLatency({ statistic: 'p50' }), rest.metricLatency({ statistic: 'p99' })]),
      graph(
        'Refused requests',
        COUNTED_STATUSES.map((status) => ownMetric(`answered${status}`, Stats.SUM)(shown, FIVE_MINUTES)),
      ),
      ...graphRequestMetrics(settings),
    ],
    [
      graph('Errors of functions', [
        ...functions.map((fn) => fn.lambda.metricErrors({ label: getName(fn) })),
        new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: Stats.SUM, label: 'throttles' }),
        ownMetric(UNREAD_SECRETS, Stats.SUM)(shown, FIVE_MINUTES),
      ]),
      graph(
        'Duration of functions, p99, ms',
        functions.map((fn) => fn.lambda.metricDuration({ statistic: 'p99', label: getName(fn) })),
      ),
    ],
    [
      graph('Units of the table', [table.metricConsumedReadCapacityUnits(), table.metricConsumedWriteCapacityUnits()]),
      graph(
        'Conflicts and throttling of the table',
        ['TransactionConflict', 'ReadThrottleEvents', 'WriteThrottleEvents'].map((name) =>
          table.metric(name, { statistic: Stats.SUM }),
        ),
      ),
    ],
    [
      graph(
        'Metrics of jobs',
        METRIC_NAMES.map((name) => ownMetric(name, Stats.MAXIMUM)(shown, FIVE_MINUTES)),
      ),
      graph('Age of the oldest record of the stream that waits, ms', [iteratorAge(publisher, FIVE_MINUTES)]),
      graph('Failed jobs', [deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM })]),
    ],
  ];
};

const TITLES: Readonly<Record<RequestMetricName, string>> = {
  answers5xx: 'Answers 5xx',
  expected5xx: 'Answers 5xx that are no faults',
  takenContacts: 'E-mails and phones that somebody else has',
  invalidCoupons: 'Invalid coupons',
  unsignedCalls: 'Calls without the signature of the payment provider',
};

/** The graphs by dimension. Their values are not known in advance, so the graphs search for them. */
const graphRequestMetrics = (settings: Settings): IWidget[] =>
  Object.entries(REQUEST_METRICS).flatMap(([name, sets]) => {
    const fields = sets.flat();
    if (fields.length === 0) return [];
    const search = `{"${getNamespace(settings)}",${fields.join(',')}} MetricName="${name}"`;
    const expression = `SEARCH('${search}', 'Sum', 300)`;
    return graph(`${TITLES[name as RequestMetricName]}, by ${fields.join(' and ')}`, [
      new MathExpression({ expression, usingMetrics: {}, label: '' }),
    ]);
  });
