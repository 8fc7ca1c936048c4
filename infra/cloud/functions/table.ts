import type { ServedRoute } from '../../../shared/api/routes.ts';
import type { RecordKind } from '../../../shared/store/keys.ts';
import type { JobHandler } from '../../jobs.ts';
import {
  catalog,
  catalogListing,
  deadLetter,
  documentVersions,
  eventBus,
  failedRecords,
  invoiceFiles,
  invoicing,
  mail,
  type Need,
  payments,
  prescriptions,
  records,
  sealKeys,
  shortages,
  tableStream,
  tokenKeys,
  variables,
  whereBus,
  whereCollected,
} from './needs.ts';

export type FunctionRow = {
  /** 1,024 by default. */
  readonly memoryMb?: number;
  /** 10 by default: a request is answered within 7 s (`shared/http/route.ts`), and the gateway waits for 29 s. */
  readonly timeoutSeconds?: number;
  readonly needs: readonly Need[];
};

const client = records.get('KEY', 'CLIENT');
// The public key verifies the token. The user is read for each token, because it may have been revoked.
const user = records.get('SIGNER', 'USER');
const AUTHENTICATION: Readonly<Record<ServedRoute['authentication'], readonly Need[]>> = {
  none: [],
  key: [],
  client: [client],
  user: [client, user],
};

const STATUS_ROWS: readonly RecordKind[] = ['PAIR', 'OPEN', 'INVOICES', 'UNINVOICED'];

/** For functions that record the payment provider's answers: they move the order, and free its stock, but change no lines. */
const settlingPayments: readonly Need[] = [
  payments,
  ...whereCollected(
    records.get('ORDER'),
    records.put('ORDER', 'TILL'),
    records.putDelete(...STATUS_ROWS, 'PAYMENTS'),
    records.update('COUNT', 'STOCK'),
  ),
];

/**
 * The needs besides authentication. Each write of an order rewrites its row in the queue (OPEN), which shows what it waits for; a
 * write of a finished order checks that its patient is not being erased.
 */
const ROUTES: Readonly<Record<ServedRoute['handler'], readonly Need[]>> = {
  'functions/token/issue.ts': [
    tokenKeys,
    variables('tokens'),
    records.get('LOGIN', 'SOURCE', 'EMAIL', 'USER'),
    // Login attempts, and passwords hashed anew.
    records.update('LOGIN', 'SOURCE', 'USER'),
    // The public key of the tokens that it signs.
    records.batchWrite('SIGNER'),
  ],
  'functions/password/request.ts': [records.update('LOGIN'), records.put('PASSWORDS')],
  'functions/password/set.ts': [records.get('LINK'), records.delete('LINK'), records.update('USER')],
  'functions/products/detail.ts': [catalog, client],
  'functions/me/update.ts': [
    variables('business'),
    records.query('USER'),
    records.update('USER'),
    records.check('USER'),
    records.putDelete('PHONE'),
    records.batchWrite('NAME'),
  ],
  'functions/me/export.ts': [
    catalog,
    prescriptions('GetObject'),
    invoiceFiles('GetObject'),
    records.query('USER', 'CREATED'),
    records.batchGet('ORDER'),
  ],
  'functions/me/detail.ts': [records.query('USER')],
  'functions/payment-methods/list.ts': [catalog, variables('collecting')],
  'functions/products/availability.ts': [catalog, records.query('STOCK')],
  'functions/events/list.ts': [records.query('FEED'), records.get('FEED')],
  'functions/orders/calculate.ts': [catalog, sealKeys, variables('business', 'quotes')],
  'functions/orders/create.ts': [
    ...[catalog, sealKeys, mail, payments, invoicing, variables('business', 'userLimits')],
    prescriptions('PutObject', 'GetObject', 'DeleteObject'),
    invoiceFiles('PutObject', 'GetObject'),
    records.get('ORDER', 'COUPON'),
    records.batchGet('EMAIL', 'PHONE', 'IDEMPOTENCY', 'DELAYS', 'STOCK'),
    records.query('ORDER', 'NAME', 'CREATED', 'INVOICES'),
    records.put('USER', 'EMAIL', 'DOCUMENT', 'HASH', 'IDEMPOTENCY'),
    records.putDelete('INVOICES', 'UNINVOICED', 'PHONE'),
    records.update('COUNT', 'COUPON', 'USER', 'IDS', 'DELAYS', 'STOCK'),
    records.check('USER'),
    records.batchWrite('NAME'),
    records.put('ORDER', 'CREATED', 'PAIR', 'OPEN', 'LEDGER'),
    // A payment that the provider refuses at once is rejected, and the order leaves its pair of statuses.
    ...whereCollected(records.delete('PAIR'), records.putDelete('PAYMENTS')),
  ],
  'functions/orders/list.ts': [
    variables('business'),
    records.get('DELAYS', 'EMAIL', 'PHONE'),
    records.batchGet('ORDER'),
    records.query('CREATED', 'PAIR', 'COUNT', 'NAME', 'ORDER'),
  ],
  'functions/orders/detail.ts': [
    catalog,
    prescriptions('GetObject'),
    invoiceFiles('GetObject'),
    records.query('ORDER'),
  ],
  'functions/orders/events.ts': [records.query('ORDER')],
  'functions/orders/update.ts': [
    ...[catalog, payments, variables('business')],
    prescriptions('GetObject'),
    invoiceFiles('GetObject'),
    records.batchGet('STOCK'),
    records.query('ORDER'),
    // Changing an order issues no document, so the ledger stays unchanged.
    records.put('ORDER'),
    records.putDelete(...STATUS_ROWS),
    records.update('COUNT', 'COUPON', 'IDS', 'STOCK'),
    // A reference that is to be withdrawn may turn out to be paid.
    ...whereCollected(records.get('ORDER'), records.put('TILL'), records.putDelete('PAYMENTS')),
  ],
  'functions/orders/pay.ts': [
    catalog,
    records.query('ORDER'),
    // Elsewhere no order is collected, and none is answered.
    ...whereCollected(prescriptions('GetObject'), records.update('IDS')),
    ...settlingPayments,
  ],
  // Public: it reads the order that a signed call names, and the client, whose writes may be paused.
  'functions/payments/stripe.ts': [records.query('ORDER'), records.get('CLIENT'), ...settlingPayments],
  'functions/orders/add-prescriptions.ts': [
    ...[catalog, variables('business')],
    prescriptions('PutObject', 'GetObject', 'DeleteObject'),
    records.get('IDEMPOTENCY'),
    records.query('ORDER'),
    records.put('ORDER', 'OPEN', 'DOCUMENT', 'HASH', 'IDEMPOTENCY'),
    records.update('IDS'),
  ],
  'functions/orders/request-invoice.ts': [
    ...[catalog, mail, invoicing, variables('business', 'userLimits')],
    prescriptions('GetObject'),
    invoiceFiles('PutObject'),
    // An unknown id of tax data counts as a wrong password.
    records.get('ORDER', 'LOGIN', 'SOURCE'),
    records.query('ORDER', 'INVOICES'),
    records.put('ORDER', 'OPEN', 'LEDGER', 'USER'),
    records.putDelete('INVOICES', 'UNINVOICED'),
    records.update('USER', 'IDS', 'LOGIN', 'SOURCE'),
    records.check('USER'),
  ],
};

// These hash passwords, issue documents, or read prescriptions. Lambda gives one vCPU at 1,769 MB and less below: CPU-bound work
// ends sooner at the same price. A second vCPU would be idle, since a function answers one request at a time.
const WHOLE_PROCESSOR_MB = 1_769;
const CPU_BOUND: readonly string[] = [
  'functions/token/issue.ts',
  'functions/password/set.ts',
  'functions/orders/create.ts',
  'functions/orders/add-prescriptions.ts',
  'functions/orders/request-invoice.ts',
];

/** Throws if a handler has no row and reads more than the catalog. */
export function routeFunction({ handler, authentication, contract }: ServedRoute): FunctionRow {
  const own = ROUTES[handler] ?? (contract.caching === 'catalog' ? [catalog] : undefined);
  if (!own) throw new Error(`infra/cloud/functions/table.ts does not say what ${handler} needs`);
  const needs = [variables('origins'), ...AUTHENTICATION[authentication], ...own];
  return { needs, ...(CPU_BOUND.includes(handler) && { memoryMb: WHOLE_PROCESSOR_MB }) };
}

export const JOBS: Readonly<Record<JobHandler, FunctionRow>> = {
  'functions/jobs/sweep-documents.ts': {
    memoryMb: 512,
    timeoutSeconds: 900,
    needs: [
      deadLetter,
      documentVersions,
      prescriptions('DeleteObjectVersion'),
      records.batchGet('DOCUMENT'),
      records.put('DOCUMENT'),
    ],
  },
  'functions/jobs/erase-retained.ts': {
    memoryMb: 512,
    timeoutSeconds: 900,
    needs: [
      ...[deadLetter, documentVersions, variables('business')],
      prescriptions('DeleteObjectVersion'),
      invoiceFiles('DeleteObjectVersion'),
      records.get('ORDER', 'CLIENT'),
      records.query('RETAINED'),
      records.put('ORDER'),
      records.putDelete('INVOICES', 'RETAINED'),
      records.delete('DOCUMENT', 'HASH'),
    ],
  },
  'functions/jobs/record-scan.ts': {
    memoryMb: 512,
    timeoutSeconds: 30,
    needs: [deadLetter, records.get('DOCUMENT', 'ORDER', 'CLIENT'), records.put('ORDER', 'OPEN')],
  },
  'functions/jobs/watch-catalog.ts': { timeoutSeconds: 30, needs: [deadLetter, catalog, catalogListing] },
  'functions/jobs/run-due-tasks.ts': {
    timeoutSeconds: 300,
    needs: [
      ...[deadLetter, mail, invoicing, variables('business')],
      invoiceFiles('GetObject', 'PutObject'),
      // A credit note of a global invoice waits for its part.
      records.get('ORDER', 'CLIENT', 'GLOBAL'),
      records.query('INVOICES'),
      records.put('ORDER', 'OPEN', 'LEDGER'),
      records.putDelete('INVOICES', 'UNINVOICED'),
      records.check('USER'),
      ...whereCollected(records.query('PAYMENTS')),
      ...settlingPayments,
    ],
  },
  'functions/jobs/issue-globals.ts': {
    timeoutSeconds: 900,
    needs: [
      ...[deadLetter, invoicing, variables('business', 'globalInvoice')],
      invoiceFiles('PutObject'),
      records.get('GLOBAL', 'ORDER', 'CLIENT'),
      records.batchGet('ORDER'),
      records.query('GLOBAL', 'UNINVOICED'),
      records.put('ORDER', 'OPEN', 'LEDGER', 'GLOBAL'),
      records.putDelete('INVOICES', 'UNINVOICED'),
      records.check('USER'),
    ],
  },
  // It signs and encrypts for many endpoints at once.
  'functions/jobs/deliver-webhooks.ts': {
    timeoutSeconds: 900,
    needs: [
      ...[deadLetter, tableStream, mail],
      records.get('SECRET'),
      records.batchGet('QUEUES', 'FEED'),
      records.query('WEBHOOKS', 'FEED', 'QUEUES', 'DELIVERIES'),
      records.update('WEBHOOKS'),
      records.putDelete('QUEUES'),
      records.batchWrite('DELIVERIES'),
      // Links for passwords.
      records.query('PASSWORDS'),
      records.get('CLIENT', 'EMAIL', 'USER'),
      records.put('LINK'),
      records.batchWrite('PASSWORDS'),
    ],
  },
  'functions/jobs/publish-events.ts': {
    timeoutSeconds: 60,
    needs: [
      tableStream,
      failedRecords,
      records.get('FEED'),
      records.query('ORDER'),
      records.put('FEED'),
      records.update('FEED', 'ORDER'),
      records.batchWrite('UNPUBLISHED'),
      ...whereBus(eventBus),
      // Levels of stock that are new, end or begin again.
      shortages,
      records.query('STOCK'),
      // Events that the bus refused.
      ...whereBus(records.query('UNPUBLISHED'), records.batchGet('ORDER')),
    ],
  },
};
