import { documentMarkKey } from '../keys.ts';
import { ABSENT, type Item, type Table, type Write } from '../table.ts';
import { ConditionFailed } from '../table-failures.ts';
import type { Order } from './order.ts';

// A document's key says nothing, so the order that it stands in is written down under it, in the order's own
// transaction. The sweep takes a document by the same mark before it removes it: of the two, one comes first, and the
// other one fails. So no clock has to be trusted that an upload of long ago is not being put into an order just now.
const mark = (document: string, attributes: Item): Write => ({
  Put: { Item: { ...documentMarkKey(document), ...attributes }, ConditionExpression: ABSENT },
});

/** Marks a document as standing in an order; fails if the sweep has taken it. */
export const orderMark = (document: string, { clientId, id }: Order): Write =>
  mark(document, { clientId, orderId: id });

// By then nobody can still be about to put a document into an order that was swept.
const TAKEN_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Takes those of the documents (at most 100, by their keys) that stand in no order, by consistent reads, and answers
 * them: no order can get them any more. Those that were taken before but are still there are among them.
 */
export async function takeLeftovers(table: Table, documents: readonly string[], now: Date): Promise<Set<string>> {
  const marks = await table.getAll(documents.map(documentMarkKey));
  const unmarked = documents.filter((_, index) => marks[index] === undefined);
  const takenBefore = documents.filter((_, index) => marks[index] && marks[index].orderId === undefined);
  return new Set([...takenBefore, ...(await take(table, unmarked, now))]);
}

/** All of them but those that an order got meanwhile. */
async function take(table: Table, documents: readonly string[], now: Date): Promise<readonly string[]> {
  if (documents.length === 0) return [];
  const ttl = Math.ceil((now.getTime() + TAKEN_MS) / 1_000);
  try {
    await table.transact(documents.map((document) => mark(document, { ttl })));
    return documents;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const { failed } = error;
    return take(
      table,
      documents.filter((_, index) => !failed.includes(index)),
      now,
    );
  }
}
