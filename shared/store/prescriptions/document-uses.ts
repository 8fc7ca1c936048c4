import * as z from 'zod';
import { documentUseKey, documentUsesPartition } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { parseItem } from '../parse-item.ts';
import type { Item, Table } from '../table.ts';

const storedUse = z.object({ orderId: z.number(), prescriptionId: z.number(), isRejected: z.boolean() });
/** A prescription that a pharmacist has verified or rejected, by its order and its id. */
export type DocumentUse = Readonly<z.infer<typeof storedUse>>;

/**
 * Returns the uses of documents that an order was verified or rejected by, under their hashes. Those of an erased order stay
 * as long as its documents do, which may not be used again.
 */
export function toDocumentUses({ id: orderId, prescriptions, retained }: Order): Item[] {
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
