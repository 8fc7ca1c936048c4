import { Duration, type Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { METRIC_NAMES, REQUEST_METRICS, UNREAD_SECRETS } from '../../../shared/runtime/metrics.ts';
import type { Settings } from '../settings.ts';
import { getNamespace, mailStackRegion } from '../stage.ts';
import {
  AlarmTopic,
  addAlarms,
  COUNTED_STATUSES,
  iteratorAge,
  type Monitored,
  type OwnMetricName,
  ownMetric,
} from './alarm.ts';
import { SENDING_ALARMS, STAGE_ALARMS } from './alarms.ts';

/** Adds the alarms and the dashboard of a stage. The topic mails the operator. */
export function addMonitoring(stack: Stack, shown: Monitored): AlarmTopic {
  const { settings, api } = shown;
  const scope = new Construct(stack, 'Monitoring');
  const topic = new AlarmTopic(scope, 'Alarms', settings);
  for (const status of COUNTED_STATUSES) {
    api.accessLog.addMetricFilter(`answered${status}`, {
      // API Gateway writes a status as text.
      filterPattern: FilterPattern.stringValue('$.status', '=', String(status)),
      metricNamespace: getNamespace(settings),
      metricName: `answered${status}`,
      metricValue: '1',
    });
  }
  const sending = settings.sender && !mailStackRegion(settings) ? SENDING_ALARMS : [];
  const alarms = addAlarms(scope, [...STAGE_ALARMS, ...sending], { of: shown, topic });
  const dashboard = new Dashboard(scope, 'Dashboard', {
    // "All dashboards in your account are global, not region-specific" (CloudWatch's PutDashboard).
    dashboardName: `pharmacy-${settings.stage}-${stack.region}`,
    defaultInterval: Duration.hours(12),
  });
  const region = mailStackRegion(settings);
  const title = region ? `Alarms; bounces and complaints are in ${region}` : 'Alarms';
  dashboard.addWidgets(new AlarmStatusWidget({ title, alarms, width: 2 * WIDTH, height: 4 }));
  for (const row of listGraphs(shown)) dashboard.addWidgets(...row);
  return topic;
}

const WIDTH = 12;
const FIVE_MINUTES = Duration.minutes(5);

const graph = (title: string, ...left: IMetric[]): IWidget => new GraphWidget({ title, left, width: WIDTH });

function listGraphs(shown: Monitored): IWidget[][] {
  const { functions, table, publisher, deadLetters } = shown;
  const { rest } = shown.api;
  const own = (name: OwnMetricName, statistic: string) => ownMetric(name, statistic)(shown, FIVE_MINUTES);
  const ofFunctions = functions.map(({ lambda, node: { id: label } }) => ({ lambda, label }));
  const ofTable = (name: string): IMetric => table.metric(name, { statistic: Stats.SUM });
  return [
    [
      graph(
        'Requests, and those refused or failed',
        ...[rest.metricCount(), rest.metricClientError(), rest.metricServerError()],
      ),
      graph('Latency, ms', rest.metricLatency({ statistic: 'p50' }), rest.metricLatency({ statistic: 'p99' })),
      graph('Refused requests', ...COUNTED_STATUSES.map((status) => own(`answered${status}`, Stats.SUM))),
      ...graphRequestMetrics(shown.settings),
    ],
    [
      graph(
        'Errors of functions',
        ...ofFunctions.map(({ lambda, label }) => lambda.metricErrors({ label })),
        LambdaFunction.metricAllThrottles({ label: 'throttles' }),
        own(UNREAD_SECRETS, Stats.SUM),
      ),
      graph(
        'Duration of functions, p99, ms',
        ...ofFunctions.map(({ lambda, label }) => lambda.metricDuration({ statistic: 'p99', label })),
      ),
    ],
    [
      graph('Units of the table', table.metricConsumedReadCapacityUnits(), table.metricConsumedWriteCapacityUnits()),
      graph(
        'Conflicts and throttling of the table',
        ...['TransactionConflict', 'ReadThrottleEvents', 'WriteThrottleEvents'].map(ofTable),
      ),
    ],
    [
      graph('Metrics of jobs', ...METRIC_NAMES.map((name) => own(name, Stats.MAXIMUM))),
      graph('Age of the oldest record of the stream that waits, ms', iteratorAge(publisher, FIVE_MINUTES)),
      graph('Failed jobs', deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM })),
    ],
  ];
}

const SEARCHED = {
  answers5xx: 'Answers 5xx',
  takenContacts: 'E-mails and phones that somebody else has',
  invalidCoupons: 'Invalid coupons',
} as const;

/** The graphs by dimension, whose values are not known in advance. */
const graphRequestMetrics = (settings: Settings): IWidget[] =>
  Object.entries(SEARCHED).map(([name, title]) => {
    const fields = REQUEST_METRICS[name as keyof typeof SEARCHED].flat();
    const search = `{"${getNamespace(settings)}",${fields.join(',')}} MetricName="${name}"`;
    const expression = `SEARCH('${search}', 'Sum', 300)`;
    const metric = new MathExpression({ expression, usingMetrics: {}, label: '' });
    return graph(`${title}, by ${fields.join(' and ')}`, metric);
  });
