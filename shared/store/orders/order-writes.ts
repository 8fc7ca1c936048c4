import { invoiceRowWrites } from '../invoices/invoice-rows.ts';
import { counterWrites } from '../order-lists/order-counters.ts';
import { rowWrites } from '../order-lists/order-rows.ts';
import { ABSENT, type Write } from '../table.ts';
import { orderMark } from './document-marks.ts';
import type { Order } from './order.ts';
import { orderItem } from './orders.ts';

/** Returns the writes of a new order with its list rows and counters. Their conditions fail if the id is taken. */
export function createOrderWrites(order: Order): Write[] {
  return [
    { Put: { Item: orderItem(order), ConditionExpression: ABSENT } },
    ...documentMarks(order, []),
    ...rowWrites(order),
    ...counterWrites(order, null),
    ...invoiceRowWrites(null, order),
  ];
}

/**
 * Returns the writes that replace `before` by its next version `after`, with the same people. The first condition fails
 * if the order was changed meanwhile.
 */
export function changeOrderWrites(before: Order, after: Order): Write[] {
  return [
    replacement(before, after),
    ...documentMarks(after, before.prescriptions),
    ...rowWrites(after),
    ...counterWrites(after, before),
    ...invoiceRowWrites(before, after),
  ];
}

/** Returns the writes of a change that lists and counters do not show, which is one of the invoice. */
export function changeInvoiceWrites(before: Order, after: Order): Write[] {
  return [replacement(before, after), ...invoiceRowWrites(before, after)];
}

const replacement = (before: Order, after: Order): Write => ({
  Put: {
    Item: orderItem(after),
    ConditionExpression: 'version = :before',
    ExpressionAttributeValues: { ':before': before.version },
  },
});

function documentMarks(order: Order, marked: Order['prescriptions']): Write[] {
  const isMarked = new Set(marked.map(({ documentKey }) => documentKey));
  const unmarked = order.prescriptions.filter(({ documentKey }) => !isMarked.has(documentKey));
  return unmarked.map(({ documentKey }) => orderMark(documentKey, order));
}
