import { invoiceRowWrites } from '../invoices/invoice-rows.ts';
import { counterWrites } from '../order-lists/counters.ts';
import { listWrites } from '../order-lists/entries.ts';
import { ABSENT, type Write } from '../table.ts';
import { orderMark } from './document-marks.ts';
import type { Order } from './order.ts';
import { checkHistory } from './order-history.ts';
import { toOrderItem } from './order-item.ts';
import { redemptionWrites } from './redemptions.ts';

/**
 * Returns the writes of a new order with its list entries and counters. Their conditions fail if the id is taken or its
 * coupon is spent. Throws an Error if its history does not tell its creation.
 */
export function createOrderWrites(order: Order): Write[] {
  checkHistory(null, order);
  return [{ Put: { Item: toOrderItem(order), ConditionExpression: ABSENT } }, ...writesBesideOrder(null, order)];
}

/**
 * Returns the writes that replace `before` by its next version `after`, with the same people. The first condition fails
 * if the order was changed meanwhile. Throws an Error if the history of `after` does not tell what has changed.
 */
export function changeOrderWrites(before: Order, after: Order): Write[] {
  checkHistory(before, after);
  return [replacement(before, after), ...writesBesideOrder(before, after)];
}

/** Returns the writes of everything that follows from an order; `before` is null if it is new. */
const writesBesideOrder = (before: Order | null, after: Order): Write[] => [
  ...documentMarks(after, before?.prescriptions ?? []),
  ...listWrites(before, after),
  ...counterWrites(before, after),
  ...invoiceRowWrites(before, after),
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
