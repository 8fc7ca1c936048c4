import { isDeepStrictEqual } from 'node:util';
import { Refusal, unavailable } from '../domain/refusal.ts';
import { patientCheck } from '../people/patients.ts';
import { getStockProduct, stockWrites } from '../stock/stock.ts';
import { keyName, toKey } from '../store/keys.ts';
import { ABSENT, type Item, type Table, type Write } from '../store/table.ts';
import { ConditionFailed } from '../store/table-failures.ts';
import { countInViews, countRedemption, countWrites } from './lists/counters.ts';
import { listItems } from './lists/entries.ts';
import { isPatientErased, type Order } from './order.ts';
import { type Act, eventWrites, type Happening } from './order-events.ts';
import { getOrder, nextVersion, toOrderItem } from './orders.ts';
import { takeBackWrite, toDispensedProducts, toDispensing } from './rows/dispensing-rows.ts';
import { claimWrite, toDocumentMarks, toDocumentUses, toRetainedRow } from './rows/document-rows.ts';
import { toInvoiceRequestRows, toInvoiceRow, toLedgerRows, toUninvoicedRow } from './rows/invoice-rows.ts';
import { tillWrites, toExceptionRows, toWatchRow } from './rows/payment-rows.ts';
import { isFinished } from './rules/status.ts';

type ToItems = (order: Order) => readonly Item[];
const TO_ROWS: readonly ToItems[] = [
  listItems,
  toInvoiceRow,
  toInvoiceRequestRows,
  toUninvoicedRow,
  toLedgerRows,
  toRetainedRow,
  toWatchRow,
  toExceptionRows,
  toDispensedProducts,
];

/**
 * Returns everything in the table that follows from one order, apart from the order itself. The only derivation: whatever
 * writes, checks or repairs the items of an order uses it.
 */
export const deriveItems = (order: Order) => ({
  rows: TO_ROWS.flatMap((toItems) => toItems(order)),
  /** The verdicts on its documents, by their hashes. */
  uses: toDocumentUses(order),
  /** The claims to its documents, which no other order may have. */
  marks: toDocumentMarks(order),
  /** The record of what it dispensed, which outlives the order's return and erasure. */
  dispensing: toDispensing(order),
  counts: [...countInViews(order), ...countRedemption(order)],
});

const NOTHING: ReturnType<typeof deriveItems> = { rows: [], uses: [], marks: [], dispensing: [], counts: [] };

/**
 * The conditions fail if another order has one of the documents, the coupon is spent, or too little is left in stock. `before` is
 * null for a new order.
 */
export function derivedWrites(before: Order | null, after: Order): Write[] {
  const [old, next] = [before ? deriveItems(before) : NOTHING, deriveItems(after)];
  const [rows, marks, dispensing] = [
    compareItems([...old.uses, ...old.rows], [...next.uses, ...next.rows]),
    compareItems(old.marks, next.marks),
    compareItems(old.dispensing, next.dispensing),
  ];
  const takenBack = isPatientErased(after) ? [] : dispensing.gone;
  return [
    ...marks.put.map(claimWrite),
    ...[...rows.put, ...dispensing.put].map((Item) => ({ Put: { Item } })),
    ...[...rows.gone, ...marks.gone].map((item) => ({ Delete: { Key: toKey(item) } })),
    ...takenBack.map((record) => takeBackWrite(record, after.updatedAt)),
    ...countWrites(old.counts, next.counts),
    ...stockWrites(before, after),
  ];
}

function compareItems(before: readonly Item[], after: readonly Item[]) {
  const old = new Map(before.map((item) => [keyName(item), item]));
  const next = new Set(after.map(keyName));
  return {
    put: after.filter((item) => !isDeepStrictEqual(old.get(keyName(item)), item)),
    gone: before.filter((item) => !next.has(keyName(item))),
  };
}

/**
 * Returns the writes of a new order with its derived items. The conditions fail if the id is taken or the coupon is spent.
 * `patientWrites` belong in the same transaction, so that nothing is written for a patient who is being erased.
 */
export function createOrderWrites(order: Order): Write[] {
  const act = { by: { user: order.updatedBy.id }, now: new Date(order.createdAt) };
  const events: Happening[] = [{ what: 'created' }, ...(order.invoice ? [{ what: 'invoice_requested' } as const] : [])];
  return [
    { Put: { Item: toOrderItem(order), ConditionExpression: ABSENT } },
    ...eventWrites(order, act, events),
    ...derivedWrites(null, order),
  ];
}

/**
 * Returns the writes of the next version `after` with its events. The first condition fails if the order changed since it
 * was read, the last one if its patient is being erased: an unfinished order stops the erasure, and the order of an erased
 * patient has no copies of them, so both go without it.
 */
export const changeOrderWrites = (before: Order, after: Order, act: Act, ...events: Happening[]): Write[] => [
  ...replaceOrderWrites(before, after, act, ...events),
  ...(isFinished(before.orderStatus) && !isPatientErased(after)
    ? [patientCheck({ clientId: after.clientId, id: after.patient.id })]
    : []),
];

/** Leaves out the check of the patient, for transactions that already have a condition on them. */
export function replaceOrderWrites(before: Order, after: Order, act: Act, ...events: Happening[]): Write[] {
  const values = { ':before': before.version };
  const isUnchanged = { ConditionExpression: 'version = :before', ExpressionAttributeValues: values };
  return [
    { Put: { Item: toOrderItem(after), ...isUnchanged } },
    ...eventWrites(after, act, events),
    ...tillWrites(before, after, act),
    ...derivedWrites(before, after),
  ];
}

type WriteOutcome = { readonly isWritten: boolean; readonly lacking: readonly number[] };

/** `lacking`: the products of which too little is left in stock, if nothing else refused the writes. */
export async function tryOrderWrites(table: Table, writes: readonly Write[]): Promise<WriteOutcome> {
  try {
    await table.transact(writes);
    return { isWritten: true, lacking: [] };
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const products = error.failed.map((index) => getStockProduct(writes[index]));
    const lacking = products.filter((product) => product !== undefined);
    return { isWritten: false, lacking: lacking.length === products.length ? lacking : [] };
  }
}

/**
 * Writes the next version of an order and its events. Throws `order_changed_meanwhile` if it changed since it was read, or
 * `out_of_stock`.
 */
export async function commit(
  table: Table,
  before: Order,
  changes: Order,
  act: Act,
  ...events: Happening[]
): Promise<Order> {
  const after = nextVersion(before, changes);
  const { isWritten, lacking } = await tryOrderWrites(table, changeOrderWrites(before, after, act, ...events));
  if (!isWritten) throw new Refusal(lacking.length > 0 ? 'out_of_stock' : 'order_changed_meanwhile');
  return after;
}

// An order changes rarely, so ten conflicts in a row mean that something else is wrong.
const TRIES = 10;

/**
 * Changes an order under optimistic locking: `change` returns undefined if another change came first, and runs again on the
 * fresh order. Throws Refusal `unavailable` after ten conflicts in a row.
 */
export async function retryOnConflict<Result>(
  table: Table,
  lastRead: Order,
  change: (order: Order) => Promise<Result | undefined>,
): Promise<Result> {
  let order: Order | undefined = lastRead;
  for (let tries = 1; tries <= TRIES; tries++) {
    const result = await change(order);
    if (result !== undefined) return result;
    order = await getOrder(table, order);
    if (!order) throw new Refusal('not_found');
  }
  throw unavailable();
}
