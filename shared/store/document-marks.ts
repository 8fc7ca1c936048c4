import { documentMarkKey } from './keys.ts';
import type { OrderHeader } from './orders.ts';
import { ConditionFailed, type Item, type Table, type Write } from './table.ts';

// A document's key says nothing, so the order that it stands in is written down under it, in the order's own
// transaction. The sweep takes a document by the same mark before it removes it: of the two, one comes first, and the
// other one fails. So no clock has to be trusted that an upload of long ago is not being put into an order just now.
const isUnmarked = { ConditionExpression: 'attribute_not_exists(pk)' };

/** Marks a document as standing in an order; fails if the sweep has taken it. */
export const orderMark = (document: string, { clientId, id }: OrderHeader): Write => ({
  Put: { Item: { ...documentMarkKey(document), clientId, orderId: id }, ...isUnmarked },
});

// By then nobody can still be about to put a document into an order that was swept.
const TAKEN_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Takes those of the documents (at most 100, by their keys) that stand in no order, by consistent reads, and answers
 * them: no order can get them any more. Those that were taken before but are still there are among them.
 */
export async function takeLeftovers(table: Table, documents: readonly string[], now: Date): Promise<Set<string>> {
  const marks = await table.getAll(documents.map(documentMarkKey));
  const areTaken = await Promise.all(documents.map((document, index) => isTaken(table, document, marks[index], now)));
  return new Set(documents.filter((_, index) => areTaken[index]));
}

async function isTaken(table: Table, document: string, mark: Item | undefined, now: Date): Promise<boolean> {
  if (mark) return mark.orderId === undefined;
  const ttl = Math.ceil((now.getTime() + TAKEN_MS) / 1_000);
  try {
    await table.transact([{ Put: { Item: { ...documentMarkKey(document), ttl }, ...isUnmarked } }]);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
