import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { FIGURES, type Figure } from '../../../shared/runtime/metrics.ts';
import { jobs } from '../functions/jobs.ts';
import type { ScheduledJob } from '../functions/scheduled-job.ts';
import type { Settings } from '../settings.ts';

/** The figures that some job of this stack reports. */
export const reportedFigures = (): Figure[] =>
  FIGURES.filter((figure) => jobs.some(({ figures }) => figures.includes(figure)));

const namespaceOf = ({ stage }: Settings) => `Pharmacy/${stage}`;

/** What a figure was at most within each period; of a job that does not run there is none. */
export const figureMetric = (figure: Figure, settings: Settings): Metric =>
  new Metric({ namespace: namespaceOf(settings), metricName: figure, statistic: Stats.MAXIMUM });

/** Makes metrics of the figures in a job's log. */
export function measureFigures({ job, function: { log } }: ScheduledJob, settings: Settings): void {
  for (const figure of job.figures) {
    log.addMetricFilter(figure, {
      filterPattern: FilterPattern.exists(`$.${figure}`),
      metricNamespace: namespaceOf(settings),
      metricName: figure,
      metricValue: `$.${figure}`,
    });
  }
}
