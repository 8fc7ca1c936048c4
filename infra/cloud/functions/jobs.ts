import type { RecordKind } from '../../../shared/store/keys.ts';
import type { ScheduledHandler } from '../../job-schedules.ts';
import { PUBLISHER, type StreamSource } from '../../stream-jobs.ts';
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
  webhookDelivery,
  whereBus,
  whereCollected,
} from './needs.ts';
import { type FunctionRow, orderWrites, settledPayments } from './route-functions.ts';

/** A function that no route calls. */
type JobRow = FunctionRow & { readonly handler: `functions/jobs/${string}.ts` };
/** A function that runs on a schedule. */
export type TimedJob = JobRow & { readonly handler: ScheduledHandler };
/** A function that runs on the records of the table's stream. */
export type StreamJob = JobRow & { readonly source: StreamSource };
/** A function that other functions invoke. */
export type InvokedJob = JobRow;
type Job = TimedJob | StreamJob | InvokedJob;

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
    handler: 'functions/jobs/wake-webhooks.ts',
    memoryMb: 512,
    timeoutSeconds: 60,
    needs: [
      webhookDelivery,
      mail,
      records('Query', 'WEBHOOKS', 'FEED'),
      records('GetItem', 'FEED'),
      records('UpdateItem', 'WEBHOOKS'),
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
      records('Query', 'ORDER', 'WEBHOOKS'),
      webhookDelivery,
      whereBus(eventBus),
      // What the bus did not take.
      whereBus(records('Query', 'UNPUBLISHED')),
      whereBus(records('BatchGetItem', 'ORDER')),
    ],
  },
];

/** An invocation of it delivers to one endpoint, and waits for its receiver for most of its time. */
export const deliveryJob: InvokedJob = {
  handler: 'functions/jobs/deliver-webhooks.ts',
  memoryMb: 512,
  timeoutSeconds: 900,
  needs: [
    records('Query', 'LANES', 'DELIVERIES', 'FEED'),
    records('GetItem', 'WEBHOOKS', 'SECRET'),
    records('BatchGetItem', 'LANES', 'DELIVERIES', 'FEED'),
    records('UpdateItem', 'WEBHOOKS'),
    records('BatchWriteItem', 'LANES', 'DELIVERIES'),
    transactions(['PutItem', 'DeleteItem'], 'LANES'),
  ],
};

/** The jobs of every stage. */
export const jobs: readonly Job[] = [...timedJobs, ...streamJobs, deliveryJob];
