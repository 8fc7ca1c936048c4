import * as z from 'zod';
import { creationKey, type Key, RETAINED_PARTITION } from '../../store/keys.ts';
import { parseItem } from '../../store/parse-item.ts';
import type { Item, Table } from '../../store/table.ts';
import type { Order } from '../order.ts';

const storedRow = z.object({ clientId: z.number(), orderId: z.number() });
/** An order of an erased patient with records that are kept for a term. */
export type RetainedRow = Readonly<z.infer<typeof storedRow>>;

/** The key begins with the last day of the term that ends first. */
export function toRetainedRow({ clientId, id, retained }: Order): (Key & RetainedRow)[] {
  const terms = [retained?.documentsUntil, retained?.receiverUntil, retained?.copiesUntil];
  const [until] = terms.filter((day) => typeof day === 'string').sort();
  return until ? [{ pk: RETAINED_PARTITION, sk: creationKey(until, id), clientId, orderId: id }] : [];
}

/** Returns erased orders with a term that ended before this local day (`YYYY-MM-DD`); one query. */
export async function dueRetainedRows(
  table: Table,
  { today, limit }: { readonly today: string; readonly limit: number },
): Promise<RetainedRow[]> {
  const due = { where: 'sk < :today', values: { ':today': today } };
  return (await table.first({ pk: RETAINED_PARTITION, ...due }, limit)).map(parseRetainedRow);
}

const parseRetainedRow = (item: Item): RetainedRow => parseItem(storedRow, item, 'row of an erased order');
