import * as z from 'zod';
import { creationKey, parseCreationKey, UNTOLD_PARTITION } from '../keys.ts';
import { parseItem, toItem } from '../parse-item.ts';
import type { Item, Table } from '../table.ts';
import { expiry } from './feed.ts';
import type { StreamPlace } from './stream-record.ts';

const storedRow = z.object({ clientId: z.number(), code: z.string() });

/** An order with a version that could not be told; `code` says why, by the paths of bad fields. */
export type UntoldOrder = {
  readonly orderId: number;
  readonly clientId: number;
  readonly writtenAt: string;
  readonly code: string;
};

/** Notes that a version of an order could not be told. Noted again, it is the same row. */
export async function noteUntold(table: Table, place: StreamPlace, code: string): Promise<void> {
  const { clientId, orderId, writtenAt } = place;
  const key = { pk: UNTOLD_PARTITION, sk: creationKey(writtenAt.toISOString(), orderId) };
  await table.putAll([{ ...toItem(key, { clientId, code }), ttl: expiry(writtenAt) }]);
}

/** Returns the orders that could not be told in the last 35 days, the oldest first. */
export async function listUntold(table: Table): Promise<UntoldOrder[]> {
  const items = await table.all({ pk: UNTOLD_PARTITION });
  return items.map(toUntold);
}

function toUntold(item: Item): UntoldOrder {
  const { createdAt, order } = parseCreationKey(String(item.sk));
  return { orderId: order, writtenAt: createdAt, ...parseItem(storedRow, item, 'untold order') };
}

/** Forgets that versions of an order could not be told. */
export async function forgetUntold(table: Table, orderId: number): Promise<void> {
  const rows = (await listUntold(table)).filter((row) => row.orderId === orderId);
  await table.deleteAll(rows.map(({ writtenAt }) => ({ pk: UNTOLD_PARTITION, sk: creationKey(writtenAt, orderId) })));
}
