import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
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
