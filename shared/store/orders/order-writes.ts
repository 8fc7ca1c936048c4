import { invoiceRowWrites } from '../invoices/invoice-rows.ts';
import { ledgerWrites } from '../invoices/ledger.ts';
import { uninvoicedRowWrites } from '../invoices/uninvoiced-rows.ts';
import { counterWrites } from '../order-lists/counters.ts';
import { listWrites } from '../order-lists/entries.ts';
import { patientCheck } from '../people/patients.ts';
import { dispensingWrites } from '../prescriptions/dispensings.ts';
import { documentUseWrites } from '../prescriptions/document-uses.ts';
import { ABSENT, type Write } from '../table.ts';
import { orderMark } from './document-marks.ts';
import { isPatientErased, type Order } from './order.ts';
import { checkHistory } from './order-history.ts';
import { toOrderItem } from './order-item.ts';
import { redemptionWrites } from './redemptions.ts';

/**
 * Returns the writes of a new order with its list entries and counters. Their conditions fail if the id is taken or its
 * coupon is spent. Those of `patientWrites` belong into the same transaction, so that nobody's data is written who is being
 * erased. Throws an Error if its history does not tell its creation.
 */
export function createOrderWrites(order: Order): Write[] {
  checkHistory(null, order);
  return [{ Put: { Item: toOrderItem(order), ConditionExpression: ABSENT } }, ...writesBesideOrder(null, order)];
}

/**
 * Returns the writes that replace `before` by its next version `after`, with the same people. The first condition fails
 * if the order was changed meanwhile, the last one if its patient is being erased. An order whose patient was erased has no
 * copies of them, and still moves. Throws an Error if the history of `after` does not tell what has changed.
 */
export const changeOrderWrites = (before: Order, after: Order): Write[] => [
  ...replaceOrderWrites(before, after),
  ...(isPatientErased(after) ? [] : [patientCheck({ clientId: after.clientId, id: after.patient.id })]),
];

/** Returns the same writes without the check of the patient, for transactions that have a condition on them already. */
export function replaceOrderWrites(before: Order, after: Order): Write[] {
  checkHistory(before, after);
  return [replacement(before, after), ...writesBesideOrder(before, after)];
}

/** Returns the writes of everything that follows from an order; `before` is null if it is new. */
const writesBesideOrder = (before: Order | null, after: Order): Write[] => [
  ...documentMarks(after, before?.prescriptions ?? []),
  ...documentUseWrites(before, after),
  ...dispensingWrites(before, after),
  ...listWrites(before, after),
  ...counterWrites(before, after),
  ...invoiceRowWrites(before, after),
  ...uninvoicedRowWrites(before, after),
  ...ledgerWrites(before, after),
  ...redemptionWrites(before, after),
];

const replacement = (before: Order, after: Order): Write => ({
  Put: {
    Item: toOrderItem(after),
    ConditionExpression: 'version = :before',
    ExpressionAttributeValues: { ':before': before.version },
  },
});

function documentMarks(order: Order, marked: Order['prescriptions']): Write[] {
  const isMarked = new Set(marked.map(({ documentKey }) => documentKey));
  const unmarked = order.prescriptions.filter(({ documentKey }) => !isMarked.has(documentKey));
  return unmarked.map(({ documentKey }) => orderMark(documentKey, order));
}
