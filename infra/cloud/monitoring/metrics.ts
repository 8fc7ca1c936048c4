import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import {
  type MetricName,
  REQUEST_METRICS,
  type RequestMetricName,
  UNREAD_SECRETS,
} from '../../../shared/runtime/metrics.ts';
import type { Settings } from '../settings.ts';
import { getNamespace } from '../stage.ts';

/** Returns the maximum of a job's metric in each period; a job that does not run has no data. */
export const jobMetric = (metricName: MetricName, settings: Settings): Metric =>
  new Metric({ namespace: getNamespace(settings), metricName, statistic: Stats.MAXIMUM });

/** The answers that the access log counts, as the gateway gives them itself, too. */
const COUNTED_STATUSES = [401, 403, 429] as const;
type AnswerMetricName = `answered${(typeof COUNTED_STATUSES)[number]}`;

/** Returns the number of such requests in each period; without any there is no data. */
export const requestMetric = (metricName: RequestMetricName | AnswerMetricName, settings: Settings): Metric =>
  new Metric({ namespace: getNamespace(settings), metricName, statistic: Stats.SUM });

/** Makes the metrics of the answers that the gateway counts. */
export function addAnswerMetrics(accessLog: ILogGroup, settings: Settings): void {
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

const TITLES: Readonly<Record<RequestMetricName, string>> = {
  answers5xx: 'Answers 5xx',
  expected5xx: 'Answers 5xx that are no faults',
  takenContacts: 'E-mails and phones that somebody else has',
  invalidCoupons: 'Invalid coupons',
  unsignedCalls: 'Calls without the signature of the payment provider',
};

/** Returns the graphs of the metrics: each by the values of its fields, or the whole. */
export const requestGraphs = (settings: Settings): { title: string; metrics: IMetric[] }[] => [
  {
    title: 'Refused requests',
    metrics: COUNTED_STATUSES.map((status) => requestMetric(`answered${status}`, settings)),
  },
  ...Object.entries(REQUEST_METRICS).flatMap(([name, sets]) => {
    const fields = sets.flat();
    if (fields.length === 0) return [];
    const search = `{"${getNamespace(settings)}",${fields.join(',')}} MetricName="${name}"`;
    return {
      title: `${TITLES[name as RequestMetricName]}, by ${fields.join(' and ')}`,
      metrics: [searchMetrics(search)],
    };
  }),
];

// The values of the field are not known before they occur.
const searchMetrics = (search: string): IMetric =>
  new MathExpression({ expression: `SEARCH('${search}', 'Sum', 300)`, usingMetrics: {}, label: '' });

/** Returns the number of failed reads in each period; without any there is no data. */
export const unreadSecrets = (settings: Settings): Metric =>
  new Metric({ namespace: getNamespace(settings), metricName: UNREAD_SECRETS, statistic: Stats.SUM });
