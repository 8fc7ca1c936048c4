import { EVENT_START, partitionStart, type RecordKind, STORE_START } from '../shared/store/keys.ts';

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
export const SCHEDULED_HANDLERS = Object.keys(JOB_MINUTES) as ScheduledHandler[];

/** A function on the stream of the table, which gets some of its records, each after those before it. */
export type StreamSource = {
  readonly handler: `functions/jobs/${string}.ts`;
  readonly kind: RecordKind;
  /** It gets only new items whose sort keys begin with this. */
  readonly newItems: string;
  /** It also gets levels of stock that are new, or whose `available` becomes or was 0. */
  readonly stock?: true;
};

export const STOCK_LEVELS = { pk: partitionStart('STOCK'), sk: STORE_START } as const;

export const PUBLISHER = {
  handler: 'functions/jobs/publish-events.ts',
  kind: 'ORDER',
  newItems: EVENT_START,
  stock: true,
} as const satisfies StreamSource;
/** Also runs on its schedule, where it does the same. */
export const WEBHOOKS = {
  handler: 'functions/jobs/deliver-webhooks.ts',
  kind: 'FEED',
  newItems: EVENT_START,
} as const satisfies StreamSource;

/** Runs only in stages that scan documents. */
export const SCAN_HANDLER = 'functions/jobs/record-scan.ts';

export type JobHandler = ScheduledHandler | typeof PUBLISHER.handler | typeof SCAN_HANDLER;
export const JOB_HANDLERS: readonly JobHandler[] = [...SCHEDULED_HANDLERS, PUBLISHER.handler, SCAN_HANDLER];
