import type { ServedRoute } from '../../../shared/api/routes.ts';
import type { RecordKind } from '../../../shared/store/keys.ts';
import {
  business,
  catalog,
  collecting,
  documents,
  invoiceFiles,
  invoicing,
  mail,
  type Need,
  origins,
  payments,
  priceHold,
  records,
  sealKeys,
  tokenKeys,
  tokenLifetime,
  transactions,
  userLimits,
  whereCollected,
} from './needs.ts';

export type FunctionRow = {
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  readonly needs: readonly Need[];
};

// Lambda gives one vCPU at 1,769 MB and less below: CPU-bound work ends sooner at the same price. A second vCPU would be idle,
// since a function answers one request at a time.
const WHOLE_PROCESSOR_MB = 1_769;
const MEMORY_MB = 1_024;
// A request is answered within 7 s (`shared/http/route.ts`); the gateway waits for 29 s.
const TIMEOUT_SECONDS = 10;

const row = (needs: readonly Need[], memoryMb = MEMORY_MB, timeoutSeconds = TIMEOUT_SECONDS): FunctionRow => ({
  needs,
  memoryMb,
  timeoutSeconds,
});

const client = records('GetItem', 'KEY', 'CLIENT');
// The public key verifies the token. The user is read for each token, because it may have been revoked.
const user = records('GetItem', 'SIGNER', 'USER');
const AUTHENTICATION: Readonly<Record<ServedRoute['authentication'], readonly Need[]>> = {
  none: [],
  key: [],
  client: [client],
  user: [client, user],
};

type OrderWrites = {
  readonly puts?: readonly RecordKind[];
  readonly rows?: readonly RecordKind[];
  readonly counters?: readonly RecordKind[];
};

/**
 * The rights to write orders. Each transaction checks the patient; puts or updates of a user are listed separately. An order
 * that keeps its status has its row in the queue (OPEN) rewritten, since that shows what it waits for.
 */
export const orderWrites = ({ puts = [], rows = [], counters = [] }: OrderWrites): Need[] => [
  transactions(['PutItem'], 'ORDER', ...puts),
  transactions(['ConditionCheckItem'], 'USER'),
  ...(rows.length > 0 ? [transactions(['PutItem', 'DeleteItem'], ...rows)] : []),
  ...(counters.length > 0 ? [transactions(['UpdateItem'], ...counters)] : []),
];

const paymentRows = whereCollected(transactions(['PutItem', 'DeleteItem'], 'PAYMENTS'));

/** For functions that record the provider's answers: they move the order and change no lines. */
export const settledPayments: readonly Need[] = [
  payments,
  ...[
    records('GetItem', 'ORDER'),
    transactions(['PutItem'], 'ORDER'),
    transactions(['PutItem', 'DeleteItem'], 'PAIR', 'OPEN', 'INVOICES', 'UNINVOICED', 'PAYMENTS'),
    transactions(['UpdateItem'], 'COUNT'),
  ].map(whereCollected),
];

/** The needs besides authentication, except for handlers that only read the catalog. */
const ROWS: Readonly<Record<ServedRoute['handler'], FunctionRow>> = {
  'functions/token/issue.ts': row(
    [
      tokenKeys,
      tokenLifetime,
      records('GetItem', 'LOGIN', 'SOURCE', 'EMAIL', 'USER'),
      // Login attempts, and passwords hashed anew.
      records('UpdateItem', 'LOGIN', 'SOURCE', 'USER'),
      // The public key of the tokens that it signs.
      records('BatchWriteItem', 'SIGNER'),
    ],
    WHOLE_PROCESSOR_MB,
  ),
  'functions/orders/calculate.ts': row([catalog, business, sealKeys, priceHold]),
  'functions/orders/create.ts': row(
    [
      catalog,
      business,
      sealKeys,
      userLimits,
      documents('PutObject', 'GetObject', 'DeleteObject'),
      invoicing('issuing'),
      invoiceFiles('PutObject', 'GetObject'),
      mail,
      payments,
      records('BatchGetItem', 'EMAIL', 'PHONE', 'IDEMPOTENCY', 'DELAYS'),
      records('BatchWriteItem', 'NAME'),
      records('GetItem', 'ORDER', 'COUPON'),
      records('Query', 'ORDER', 'NAME', 'CREATED', 'INVOICES'),
      records('UpdateItem', 'IDS', 'DELAYS'),
      ...orderWrites({
        puts: ['CREATED', 'PAIR', 'OPEN', 'LEDGER', 'DOCUMENT', 'HASH', 'IDEMPOTENCY', 'USER', 'EMAIL'],
        rows: ['INVOICES', 'UNINVOICED', 'PHONE'],
        counters: ['COUNT', 'COUPON', 'USER'],
      }),
      // A payment that the provider refuses at once is rejected, and the order leaves its pair of statuses.
      whereCollected(transactions(['DeleteItem'], 'PAIR')),
      paymentRows,
    ],
    WHOLE_PROCESSOR_MB,
  ),
  'functions/orders/list.ts': row([
    business,
    records('Query', 'CREATED', 'PAIR', 'COUNT', 'NAME', 'ORDER'),
    records('GetItem', 'DELAYS', 'EMAIL', 'PHONE'),
    records('BatchGetItem', 'ORDER'),
  ]),
  'functions/orders/events.ts': row([records('Query', 'ORDER')]),
  'functions/events/list.ts': row([records('Query', 'FEED'), records('GetItem', 'FEED')]),
  'functions/payment-methods/list.ts': row([catalog, collecting]),
  'functions/me/detail.ts': row([records('Query', 'USER')]),
  'functions/orders/detail.ts': row([
    catalog,
    documents('GetObject'),
    invoiceFiles('GetObject'),
    records('Query', 'ORDER'),
  ]),
  'functions/orders/update.ts': row([
    catalog,
    business,
    documents('GetObject'),
    invoiceFiles('GetObject'),
    payments,
    records('Query', 'ORDER'),
    whereCollected(records('GetItem', 'ORDER')),
    records('UpdateItem', 'IDS'),
    // Changing an order issues no document, so the ledger stays unchanged.
    ...orderWrites({ rows: ['PAIR', 'OPEN', 'INVOICES', 'UNINVOICED'], counters: ['COUNT', 'COUPON'] }),
    paymentRows,
  ]),
  'functions/orders/pay.ts': row([
    catalog,
    // Elsewhere no order is collected, and none is answered.
    whereCollected(documents('GetObject')),
    records('Query', 'ORDER'),
    whereCollected(records('UpdateItem', 'IDS')),
    ...settledPayments,
  ]),
  // Public: it reads the order that a signed call names, and the client, whose writes may be paused.
  'functions/payments/stripe.ts': row([records('Query', 'ORDER'), records('GetItem', 'CLIENT'), ...settledPayments]),
  'functions/orders/add-prescriptions.ts': row(
    [
      catalog,
      business,
      documents('PutObject', 'GetObject', 'DeleteObject'),
      records('GetItem', 'IDEMPOTENCY'),
      records('Query', 'ORDER'),
      records('UpdateItem', 'IDS'),
      ...orderWrites({ puts: ['OPEN', 'DOCUMENT', 'HASH', 'IDEMPOTENCY'] }),
    ],
    WHOLE_PROCESSOR_MB,
  ),
  'functions/orders/request-invoice.ts': row(
    [
      catalog,
      business,
      userLimits,
      documents('GetObject'),
      invoicing('issuing'),
      invoiceFiles('PutObject'),
      mail,
      // An unknown id of tax data counts as a wrong password.
      records('GetItem', 'ORDER', 'LOGIN', 'SOURCE'),
      records('Query', 'ORDER', 'INVOICES'),
      records('UpdateItem', 'IDS', 'LOGIN', 'SOURCE'),
      ...orderWrites({ puts: ['OPEN', 'LEDGER', 'USER'], rows: ['INVOICES', 'UNINVOICED'], counters: ['USER'] }),
    ],
    WHOLE_PROCESSOR_MB,
  ),
};

const CATALOG_ROW = row([catalog]);

/** Throws if a handler has no row and reads more than the catalog. */
export function routeFunction({ handler, authentication, contract }: ServedRoute): FunctionRow {
  const functionRow = ROWS[handler] ?? (contract.caching === 'catalog' ? CATALOG_ROW : undefined);
  if (!functionRow) throw new Error(`infra/cloud/functions/route-functions.ts does not say what ${handler} needs`);
  return { ...functionRow, needs: [origins, ...AUTHENTICATION[authentication], ...functionRow.needs] };
}
