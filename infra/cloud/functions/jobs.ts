import { Duration } from 'aws-cdk-lib';
import type { MetricName } from '../../../shared/runtime/metrics.ts';
import {
  business,
  catalog,
  catalogListing,
  documents,
  documentVersions,
  invoicing,
  keyUsage,
  mail,
  records,
  transactions,
} from './needs.ts';
import type { FunctionRow } from './route-functions.ts';

/** A function that runs on a schedule. */
export type Job = FunctionRow & {
  readonly handler: `functions/jobs/${string}.ts`;
  readonly every: Duration;
  /** The metrics that each run reports; alarms go by them. */
  readonly metrics: readonly MetricName[];
};

// For jobs that find due invoices and update them.
const DUE_INVOICES = [
  business,
  mail,
  records('Query', 'INVOICES'),
  records('GetItem', 'ORDER'),
  transactions(['PutItem', 'DeleteItem', 'ConditionCheckItem'], 'ORDER', 'INVOICES', 'USER'),
];

export const jobs: readonly Job[] = [
  {
    handler: 'functions/jobs/sweep-documents.ts',
    every: Duration.hours(1),
    memoryMb: 512,
    timeoutSeconds: 900,
    metrics: [],
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
    metrics: ['catalogAgeHours'],
    needs: [catalog, catalogListing],
  },
  {
    handler: 'functions/jobs/watch-quotas.ts',
    every: Duration.hours(1),
    memoryMb: 512,
    timeoutSeconds: 60,
    metrics: ['quotasHalfUsed'],
    needs: [keyUsage],
  },
  {
    handler: 'functions/jobs/settle-invoices.ts',
    every: Duration.minutes(5),
    memoryMb: 1_024,
    timeoutSeconds: 300,
    metrics: ['unsettledInvoices', 'complementDue', 'cancellationRejected'],
    needs: [invoicing('issuing'), ...DUE_INVOICES],
  },
  {
    handler: 'functions/jobs/send-mail.ts',
    every: Duration.minutes(1),
    memoryMb: 1_024,
    timeoutSeconds: 90,
    metrics: ['unsentMail'],
    needs: [invoicing('reading'), ...DUE_INVOICES],
  },
];
