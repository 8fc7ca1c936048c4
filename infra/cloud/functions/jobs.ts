import { JOB_MINUTES, type ScheduledHandler } from '../../job-schedules.ts';
import { PUBLISHER, type StreamSource, WEBHOOKS } from '../../stream-jobs.ts';

export type TimedJob = {
  readonly handler: ScheduledHandler;
  /** Stream records that also start it at once; it works the same as on schedule. */
  readonly startedBy?: StreamSource;
};
/** Only in stages that scan documents. */
export const SCAN_HANDLER = 'functions/jobs/record-scan.ts';
export type JobHandler = ScheduledHandler | typeof PUBLISHER.handler | typeof SCAN_HANDLER;

export const timedJobs: readonly TimedJob[] = (Object.keys(JOB_MINUTES) as ScheduledHandler[]).map((handler) =>
  handler === WEBHOOKS.handler ? { handler, startedBy: WEBHOOKS } : { handler },
);

export const streamJobs = [PUBLISHER];

export const jobs: readonly { readonly handler: JobHandler }[] = [
  ...timedJobs,
  ...streamJobs,
  { handler: SCAN_HANDLER },
];
