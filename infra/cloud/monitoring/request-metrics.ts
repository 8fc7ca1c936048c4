import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type IFilterPattern, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import type { Settings } from '../settings.ts';
import { getNamespace } from './metrics.ts';

/** A metric that counts log lines of requests, as a whole and perhaps by a field of the line. */
type RequestMetric = {
  readonly name: string;
  readonly title: string;
  readonly pattern: IFilterPattern;
  /** The functions whose logs are counted; the access log of the API if there are none. */
  readonly functions: readonly string[];
  /** Each value of this field is a metric too, with a price of its own. */
  readonly by?: 'clientId' | 'gatewayKeyId';
};

// API Gateway writes a status as text.
const answered = (status: number): IFilterPattern => FilterPattern.stringValue('$.status', '=', String(status));

// Both codes are said only when nothing else is wrong, so no other code stands before them.
const TAKEN: readonly MessageCode[] = ['email_taken', 'phone_taken'];
const isTaken = FilterPattern.any(...TAKEN.map((code) => FilterPattern.stringValue('$.codes[0]', '=', code)));

const REQUEST_METRICS = [
  { name: 'answered401', title: 'Answers 401', pattern: answered(401), functions: [] },
  { name: 'answered403', title: 'Answers 403', pattern: answered(403), functions: [] },
  { name: 'answered429', title: 'Answers 429', pattern: answered(429), functions: [] },
  {
    name: 'takenContacts',
    title: 'E-mails and phones that somebody else has',
    pattern: isTaken,
    functions: ['orders-create'],
    by: 'clientId',
  },
  {
    name: 'invalidCoupons',
    title: 'Invalid coupons',
    pattern: FilterPattern.booleanValue('$.invalidCoupon', true),
    functions: ['orders-calculate', 'orders-create'],
    // A quote does not look the client of the key up.
    by: 'gatewayKeyId',
  },
] as const satisfies readonly RequestMetric[];

export type RequestMetricName = (typeof REQUEST_METRICS)[number]['name'];

/** Returns the number of such requests in each period; without any there is no data. */
export const requestMetric = (metricName: RequestMetricName, settings: Settings): Metric =>
  new Metric({ namespace: getNamespace(settings), metricName, statistic: Stats.SUM });

type Logs = { readonly accessLog: ILogGroup; readonly logOf: (functionName: string) => ILogGroup };

/** Makes the metrics of the log lines of requests. */
export function addRequestMetrics({ accessLog, logOf }: Logs, settings: Settings): void {
  for (const { name, pattern, functions, by } of REQUEST_METRICS as readonly RequestMetric[]) {
    const logs = functions.length > 0 ? functions.map(logOf) : [accessLog];
    for (const log of logs) {
      const filter = { filterPattern: pattern, metricNamespace: getNamespace(settings), metricName: name };
      log.addMetricFilter(name, { ...filter, metricValue: '1' });
      if (by) log.addMetricFilter(`${name}-by`, { ...filter, metricValue: '1', dimensions: { [by]: `$.${by}` } });
    }
  }
}

/** Returns the graphs of the metrics: each by the values of its field, or the whole. */
export const requestGraphs = (settings: Settings): { title: string; metrics: IMetric[] }[] => [
  {
    title: 'Refused requests',
    metrics: WHOLE.map(({ name }) => requestMetric(name, settings)),
  },
  ...REQUEST_METRICS.filter((metric) => 'by' in metric).map(({ name, title, by }) => ({
    title: `${title}, by ${by}`,
    metrics: [searchMetrics(`{"${getNamespace(settings)}",${by}} MetricName="${name}"`)],
  })),
];

const WHOLE = REQUEST_METRICS.filter((metric) => !('by' in metric));

// The values of the field are not known before they occur.
const searchMetrics = (search: string): IMetric =>
  new MathExpression({ expression: `SEARCH('${search}', 'Sum', 300)`, usingMetrics: {}, label: '' });
