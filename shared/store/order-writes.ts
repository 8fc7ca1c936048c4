import { orderMark } from './document-marks.ts';
import { counterWrites } from './order-counters.ts';
import { rowWrites } from './order-rows.ts';
import { type Order, orderItem } from './orders.ts';
import type { Write } from './table.ts';

/** The writes that make a new order, its rows in lists and its counts. None goes through if its id is taken. */
export function createOrderWrites(order: Order): Write[] {
  const isNew = { ConditionExpression: 'attribute_not_exists(pk)' };
  return [
    { Put: { Item: orderItem(order), ...isNew } },
    ...documentMarks(order, []),
    ...rowWrites(order),
    ...counterWrites(order.header, null),
  ];
}

/**
 * The writes that bring an order from `before` to `after`, which has the next version; its people stay.
 * The first condition fails if the order was changed meanwhile.
 */
export function changeOrderWrites(before: Order, after: Order): Write[] {
  const isUnchanged = {
    ConditionExpression: 'version = :before',
    ExpressionAttributeValues: { ':before': before.header.version },
  };
  return [
    { Put: { Item: orderItem(after), ...isUnchanged } },
    ...documentMarks(after, before.prescriptions),
    ...rowWrites(after),
    ...counterWrites(after.header, before.header),
  ];
}

function documentMarks({ header, prescriptions }: Order, marked: Order['prescriptions']): Write[] {
  const isMarked = new Set(marked.map(({ documentKey }) => documentKey));
  const unmarked = prescriptions.filter(({ documentKey }) => !isMarked.has(documentKey));
  return unmarked.map(({ documentKey }) => orderMark(documentKey, header));
}
