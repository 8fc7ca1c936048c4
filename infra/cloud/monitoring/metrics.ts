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

/** The maximum in each period; a job that does not run has no data. */
export const jobMetric = (metricName: MetricName, settings: Settings): Metric =>
  new Metric({ namespace: getNamespace(settings), metricName, statistic: Stats.MAXIMUM });

/** Counted in the access log, as the gateway itself gives these answers, too. */
const COUNTED_STATUSES = [401, 403, 429] as const;
type AnswerMetricName = `answered${(typeof COUNTED_STATUSES)[number]}`;

/** The number in each period; no data without any. */
export const requestMetric = (metricName: RequestMetricName | AnswerMetricName, settings: Settings): Metric =>
  new Metric({ namespace: getNamespace(settings), metricName, statistic: Stats.SUM });

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

// The field's values are not known in advance.
const searchMetrics = (search: string): IMetric =>
  new MathExpression({ expression: `SEARCH('${search}', 'Sum', 300)`, usingMetrics: {}, label: '' });

/** The number of failed reads in each period; no data without any. */
export const unreadSecrets = (settings: Settings): Metric =>
  new Metric({ namespace: getNamespace(settings), metricName: UNREAD_SECRETS, statistic: Stats.SUM });
