import * as z from 'zod';
import { creationKey, type Key, RETAINED_PARTITION, toKey } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { parseItem } from '../parse-item.ts';
import type { Item, Table, Write } from '../table.ts';

const storedRow = z.object({ clientId: z.number(), orderId: z.number() });
/** An order of an erased patient with a record that is kept for a term. */
export type RetainedRow = Readonly<z.infer<typeof storedRow>>;

/**
 * Returns the writes that bring the row of an erased order from `before` to `after`, none when it stays the same. Its key
 * begins with the last day of the term that ends first, so a job reads only due rows.
 */
export function retainedRowWrites(before: Order, after: Order): Write[] {
  const [old, next] = [toRowItem(before), toRowItem(after)];
  if (old?.sk === next?.sk) return [];
  return [...(old ? [{ Delete: { Key: toKey(old) } }] : []), ...(next ? [{ Put: { Item: next } }] : [])];
}

function toRowItem({ clientId, id, retained }: Order): (Key & RetainedRow) | null {
  const [until] = [retained?.documentsUntil, retained?.receiverUntil].filter((day) => typeof day === 'string').sort();
  return until ? { pk: RETAINED_PARTITION, sk: creationKey(until, id), clientId, orderId: id } : null;
}

/** Returns the erased orders of which a term ended before this local day (`YYYY-MM-DD`), at most `limit`; one query. */
export async function dueRetainedRows(
  table: Table,
  { today, limit }: { readonly today: string; readonly limit: number },
): Promise<RetainedRow[]> {
  const due = { where: 'sk < :today', values: { ':today': today } };
  return (await table.first({ pk: RETAINED_PARTITION, ...due }, limit)).map(parseRow);
}

const parseRow = (item: Item): RetainedRow => parseItem(storedRow, item, 'row of an erased order');
