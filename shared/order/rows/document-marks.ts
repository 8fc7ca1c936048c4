import { documentMarkKey } from '../../store/keys.ts';
import { ABSENT, type Item, type Table, type Write } from '../../store/table.ts';
import { ConditionFailed } from '../../store/table-failures.ts';
import type { Order } from '../order.ts';

/**
 * Returns the write of a mark, whose condition fails if its document has one. A document's key says nothing, so the order's
 * transaction writes a mark under it that names the order. The sweep takes a document by writing the same mark before it
 * removes it: one of the two comes first, and the other one fails. So an old upload can still be put into an order safely,
 * whatever the clocks say.
 */
export const claimWrite = (mark: Item): Write => ({ Put: { Item: mark, ConditionExpression: ABSENT } });

/** Returns the marks of the documents of an order, kept ones of an erased order included. */
export const toDocumentMarks = ({ clientId, id, prescriptions, retained }: Order): Item[] =>
  [...prescriptions, ...(retained?.documents ?? [])].map(({ documentKey }) => {
    return { ...documentMarkKey(documentKey), clientId, orderId: id };
  });

// No request lives long enough to put a swept document into an order after this time.
const TAKEN_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Takes those of the documents (at most 100 keys) that belong to no order, by consistent reads, and returns them. No
 * order can get them any more. Returns also those that an earlier run has taken and that still exist.
 */
export async function takeLeftovers(table: Table, documents: readonly string[], now: Date): Promise<Set<string>> {
  const marks = await table.getAll(documents.map(documentMarkKey));
  const unmarked = documents.filter((_, index) => marks[index] === undefined);
  const leftBefore = documents.filter((_, index) => marks[index] && marks[index].orderId === undefined);
  return new Set([...leftBefore, ...(await takeUnmarked(table, unmarked, now))]);
}

/** Takes all of the documents except those that an order marked meanwhile. */
async function takeUnmarked(table: Table, documents: readonly string[], now: Date): Promise<readonly string[]> {
  if (documents.length === 0) return [];
  const ttl = Math.ceil((now.getTime() + TAKEN_MS) / 1_000);
  try {
    await table.transact(documents.map((document) => claimWrite({ ...documentMarkKey(document), ttl })));
    return documents;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const { failed } = error;
    return takeUnmarked(
      table,
      documents.filter((_, index) => !failed.includes(index)),
      now,
    );
  }
}
