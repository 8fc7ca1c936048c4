import { Duration } from 'aws-cdk-lib';
import type { Figure } from '../../../shared/runtime/metrics.ts';
import {
  business,
  catalog,
  catalogListing,
  documents,
  documentVersions,
  invoicing,
  mail,
  records,
  transactions,
} from './needs.ts';
import type { FunctionRow } from './route-functions.ts';

/** A function that a clock calls. */
export type Job = FunctionRow & {
  readonly handler: `functions/jobs/${string}.ts`;
  readonly every: Duration;
  /** What it reports at every run, for the alarms. */
  readonly figures: readonly Figure[];
};

// Finds invoices that are due, and brings them on.
const DUE_INVOICES = [
  business,
  mail,
  records('Query', 'INVOICES'),
  records('GetItem', 'ORDER'),
  transactions(['PutItem', 'DeleteItem'], 'ORDER', 'INVOICES'),
];

export const jobs: readonly Job[] = [
  {
    handler: 'functions/jobs/sweep-documents.ts',
    every: Duration.hours(1),
    memoryMb: 512,
    timeoutSeconds: 900,
    figures: [],
    needs: [
      documentVersions,
      documents('DeleteObjectVersion'),
      records('BatchGetItem', 'DOCUMENT'),
      transactions(['PutItem'], 'DOCUMENT'),
    ],
  },
  {
    handler: 'functions/jobs/watch-catalog.ts',
    every: Duration.minutes(15),
    memoryMb: 1_024,
    timeoutSeconds: 30,
    figures: ['catalogAgeHours'],
    needs: [catalog, catalogListing],
  },
  {
    handler: 'functions/jobs/settle-invoices.ts',
    every: Duration.minutes(5),
    memoryMb: 1_024,
    timeoutSeconds: 300,
    figures: ['unsettledInvoices', 'complementDue', 'cancellationRejected'],
    needs: [invoicing('issuing'), ...DUE_INVOICES],
  },
  {
    handler: 'functions/jobs/send-mail.ts',
    every: Duration.minutes(1),
    memoryMb: 1_024,
    timeoutSeconds: 90,
    figures: ['unsentMail'],
    needs: [invoicing('reading'), ...DUE_INVOICES],
  },
];
