import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { documentUseKey, documentUsesPartition, keyName, toKey } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { parseItem } from '../parse-item.ts';
import type { Item, Table, Write } from '../table.ts';

const storedUse = z.object({ orderId: z.number(), prescriptionId: z.number(), isRejected: z.boolean() });
/** A prescription that a pharmacist has verified or rejected, by its order and its id. */
export type DocumentUse = Readonly<z.infer<typeof storedUse>>;

/**
 * Returns the writes that record under the hash of each document that it was verified or rejected for an order, and remove
 * what the order no longer has; `before` is null if it is new. An order is created without any of them.
 */
export function documentUseWrites(before: Order | null, after: Order): Write[] {
  const old = new Map((before ? listUses(before) : []).map((use) => [keyName(use), use]));
  const next = new Map(listUses(after).map((use) => [keyName(use), use]));
  const gone = [...old].filter(([name]) => !next.has(name));
  const changed = [...next].filter(([name, use]) => !isDeepStrictEqual(use, old.get(name)));
  return [
    ...gone.map(([, use]): Write => ({ Delete: { Key: toKey(use) } })),
    ...changed.map(([, Item]): Write => ({ Put: { Item } })),
  ];
}

/** Returns the uses in an order. Those of an erased order stay as long as its documents do, which may not be used again. */
function listUses({ id: orderId, prescriptions, retained }: Order): Item[] {
  const judged = prescriptions.filter(({ verification, rejection }) => (verification ?? rejection) !== null);
  return [
    ...judged.map(({ id, documentHash, rejection }) =>
      toUse(documentHash, { orderId, prescriptionId: id, isRejected: rejection !== null }),
    ),
    ...(retained?.documents ?? []).map(({ id, documentHash }) =>
      toUse(documentHash, { orderId, prescriptionId: id, isRejected: false }),
    ),
  ];
}

const toUse = (hash: string, use: DocumentUse): Item => ({
  ...documentUseKey(hash, use.orderId, use.prescriptionId),
  ...use,
});

/** Returns at most `limit` uses of the document with this hash, in all orders of all clients; one query. */
export async function findDocumentUses(table: Table, hash: string, limit: number): Promise<DocumentUse[]> {
  const items = await table.first({ pk: documentUsesPartition(hash) }, limit);
  return items.map((item) => parseItem(storedUse, item, 'document use'));
}
