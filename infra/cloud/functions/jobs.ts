import type { ScheduledHandler } from '../../job-schedules.ts';
import { PUBLISHER, type StreamSource, WEBHOOKS } from '../../stream-jobs.ts';
import {
  business,
  catalog,
  catalogListing,
  documents,
  documentVersions,
  eventBus,
  failedRecords,
  globalInvoice,
  invoiceFiles,
  invoicing,
  mail,
  records,
  tableStream,
  transactions,
  whereBus,
  whereCollected,
} from './needs.ts';
import { type FunctionRow, orderWrites, settledPayments } from './route-functions.ts';

type JobRow = FunctionRow & { readonly handler: `functions/jobs/${string}.ts` };
export type TimedJob = JobRow & {
  readonly handler: ScheduledHandler;
  /** Stream records that also start it at once; it works the same as on schedule. */
  readonly startedBy?: StreamSource;
};
export type StreamJob = JobRow & { readonly source: StreamSource };
type Job = JobRow | TimedJob | StreamJob;

export const timedJobs: readonly TimedJob[] = [
  {
    handler: 'functions/jobs/sweep-documents.ts',
    memoryMb: 512,
    timeoutSeconds: 900,
    needs: [
      documentVersions,
      documents('DeleteObjectVersion'),
      records('BatchGetItem', 'DOCUMENT'),
      transactions(['PutItem'], 'DOCUMENT'),
    ],
  },
  {
    handler: 'functions/jobs/erase-retained.ts',
    memoryMb: 512,
    timeoutSeconds: 900,
    needs: [
      business,
      documentVersions,
      documents('DeleteObjectVersion'),
      invoiceFiles('DeleteObjectVersion'),
      records('Query', 'RETAINED'),
      records('GetItem', 'ORDER', 'CLIENT'),
      transactions(['PutItem'], 'ORDER'),
      transactions(['PutItem', 'DeleteItem'], 'INVOICES', 'RETAINED'),
      transactions(['DeleteItem'], 'DOCUMENT', 'HASH'),
    ],
  },
  {
    handler: 'functions/jobs/watch-catalog.ts',
    memoryMb: 1_024,
    timeoutSeconds: 30,
    needs: [catalog, catalogListing],
  },
  {
    handler: 'functions/jobs/run-due-tasks.ts',
    memoryMb: 1_024,
    timeoutSeconds: 300,
    needs: [
      business,
      mail,
      invoicing('issuing'),
      invoiceFiles('GetObject', 'PutObject'),
      records('Query', 'INVOICES'),
      records('GetItem', 'ORDER', 'CLIENT'),
      ...orderWrites({ puts: ['OPEN', 'LEDGER'], rows: ['INVOICES', 'UNINVOICED'] }),
      // A credit note of a global invoice waits for its part.
      records('GetItem', 'GLOBAL'),
      whereCollected(records('Query', 'PAYMENTS')),
      ...settledPayments,
    ],
  },
  {
    handler: 'functions/jobs/issue-globals.ts',
    memoryMb: 1_024,
    timeoutSeconds: 900,
    needs: [
      business,
      globalInvoice,
      invoicing('issuing'),
      invoiceFiles('PutObject'),
      records('Query', 'GLOBAL', 'UNINVOICED'),
      records('GetItem', 'GLOBAL', 'ORDER', 'CLIENT'),
      records('BatchGetItem', 'ORDER'),
      ...orderWrites({ puts: ['OPEN', 'LEDGER', 'GLOBAL'], rows: ['INVOICES', 'UNINVOICED'] }),
    ],
  },
  {
    handler: 'functions/jobs/deliver-webhooks.ts',
    startedBy: WEBHOOKS,
    // It signs and encrypts for many endpoints at once.
    memoryMb: 1_024,
    timeoutSeconds: 900,
    needs: [
      tableStream,
      mail,
      records('Query', 'WEBHOOKS', 'FEED', 'QUEUES', 'DELIVERIES'),
      records('GetItem', 'SECRET'),
      records('BatchGetItem', 'QUEUES', 'FEED'),
      records('UpdateItem', 'WEBHOOKS'),
      records('BatchWriteItem', 'DELIVERIES'),
      transactions(['PutItem', 'DeleteItem'], 'QUEUES'),
    ],
  },
];

export const streamJobs: readonly StreamJob[] = [
  {
    handler: PUBLISHER.handler,
    source: PUBLISHER,
    memoryMb: 1_024,
    timeoutSeconds: 60,
    needs: [
      tableStream,
      failedRecords,
      records('GetItem', 'FEED'),
      records('BatchWriteItem', 'UNPUBLISHED'),
      transactions(['PutItem'], 'FEED'),
      transactions(['UpdateItem'], 'FEED', 'ORDER'),
      records('Query', 'ORDER'),
      whereBus(eventBus),
      // Events that the bus refused.
      whereBus(records('Query', 'UNPUBLISHED')),
      whereBus(records('BatchGetItem', 'ORDER')),
    ],
  },
];

/** Only in stages that scan documents. */
export const scanJob: JobRow = {
  handler: 'functions/jobs/record-scan.ts',
  memoryMb: 512,
  timeoutSeconds: 30,
  needs: [records('GetItem', 'DOCUMENT', 'ORDER', 'CLIENT'), transactions(['PutItem'], 'ORDER', 'OPEN')],
};

export const jobs: readonly Job[] = [...timedJobs, ...streamJobs, scanJob];
