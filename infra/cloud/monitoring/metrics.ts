import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { METRIC_NAMES, type MetricName } from '../../../shared/runtime/metrics.ts';
import type { PharmacyFunction } from '../functions/function.ts';
import { jobs } from '../functions/jobs.ts';
import type { Settings } from '../settings.ts';

/** Returns the metrics that a job of this stack reports. */
export const reportedMetrics = (): MetricName[] =>
  METRIC_NAMES.filter((name) => jobs.some(({ metrics }) => metrics.includes(name)));

export const getNamespace = ({ stage }: Settings) => `Pharmacy/${stage}`;

/** Returns the maximum of a job's metric in each period; a job that does not run has no data. */
export const jobMetric = (metricName: MetricName, settings: Settings): Metric =>
  new Metric({ namespace: getNamespace(settings), metricName, statistic: Stats.MAXIMUM });

/** A job with its function. */
export type JobFunction = { readonly job: (typeof jobs)[number]; readonly function: PharmacyFunction };

/** Makes metrics of the numbers that a job writes to its log. */
export function addMetricFilters({ job, function: { log } }: JobFunction, settings: Settings): void {
  for (const metricName of job.metrics) {
    log.addMetricFilter(metricName, {
      // AWS's own pattern for a number (FilterAndPatternSyntaxForMetricFilters); `exists` compares with a text, "*".
      filterPattern: FilterPattern.literal(`{ $.${metricName} = * }`),
      metricNamespace: getNamespace(settings),
      metricName,
      metricValue: `$.${metricName}`,
    });
  }
}
