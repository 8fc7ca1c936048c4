import { Refusal } from '../domain/fault.ts';
import type { OrderRow } from './order-rows.ts';
import type { Item } from './table.ts';

const RETRY_AFTER_SECONDS = 2;

/** The first so many items of a query, fetching no further page than they need. Refused when the time is up. */
export async function firstItems(
  many: number,
  { pages, deadline }: { pages: AsyncIterable<Item[]>; deadline: number },
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of pages) {
    for (const item of page) items.push(item);
    if (items.length >= many) return items.slice(0, many);
    if (Date.now() >= deadline) throw new Refusal('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  return items;
}

/** The row of a view that an item is, without its keys. */
export function rowOfItem(item: Item): OrderRow {
  const { pk: _, sk: __, creationKey: ___, orderStatusKey: ____, paymentStatusKey: _____, ...row } = item;
  return row as OrderRow;
}
