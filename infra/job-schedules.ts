/** The minutes between two runs of each scheduled job, on AWS and on the local server. */
export const JOB_MINUTES = {
  'functions/jobs/sweep-documents.ts': 60,
  // Lambda keeps a call for six hours at most (CreateEventInvokeConfig, MaximumEventAgeInSeconds).
  'functions/jobs/erase-retained.ts': 360,
  'functions/jobs/watch-catalog.ts': 15,
  'functions/jobs/run-due-tasks.ts': 5,
  'functions/jobs/issue-globals.ts': 60,
  'functions/jobs/deliver-webhooks.ts': 1,
} as const;

export type ScheduledHandler = keyof typeof JOB_MINUTES;
