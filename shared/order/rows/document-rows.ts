import * as z from 'zod';
import { creationKey, documentMarkKey, type Key, RETAINED_PARTITION } from '../../store/keys.ts';
import { parseItem } from '../../store/parse-item.ts';
import { ConditionFailed } from '../../store/table-failures.ts';
import { ABSENT, type Item, type Table, type Write } from '../../store/table.ts';
import type { Order } from '../order.ts';

type OrderPlace = Pick<Order, 'clientId' | 'id'>;

/**
 * Returns the write that claims a document; its condition fails if the document is claimed. An order's transaction marks
 * its documents with the order, and the sweep marks a document before removing it: whichever comes second fails. So an old
 * upload can safely enter an order, whatever the clocks say.
 */
export const claimWrite = (mark: Item): Write => ({ Put: { Item: mark, ConditionExpression: ABSENT } });

/** Returns the marks of an order's documents, including those kept of an erased order. */
export const toDocumentMarks = ({ clientId, id, prescriptions, retained }: Order): Item[] =>
  [...prescriptions, ...(retained?.documents ?? [])].map(({ documentKey }) => {
    return { ...documentMarkKey(documentKey), clientId, orderId: id };
  });

const orderMark = z.object({ clientId: z.number(), orderId: z.number() });

/** Returns the order that has claimed a document, if any. */
export async function findDocumentOrder(table: Table, document: string): Promise<OrderPlace | undefined> {
  const mark = await table.get(documentMarkKey(document));
  if (mark?.orderId === undefined) return undefined;
  const { clientId, orderId: id } = parseItem(orderMark, mark, 'document mark');
  return { clientId, id };
}

// No request lives long enough to put a swept document into an order after this time.
const TAKEN_MS = 30 * 24 * 60 * 60 * 1_000;

/** Claims documents of no order (at most 100 keys); returns them and those that an earlier run claimed and that still exist. */
export async function takeLeftovers(table: Table, documents: readonly string[], now: Date): Promise<Set<string>> {
  const marks = await table.getAll(documents.map(documentMarkKey));
  const unmarked = documents.filter((_, index) => marks[index] === undefined);
  const takenBefore = documents.filter((_, index) => marks[index] && marks[index].orderId === undefined);
  return new Set([...takenBefore, ...(await takeUnmarked(table, unmarked, now))]);
}

/** Claims the documents except those that an order marked meanwhile. */
async function takeUnmarked(table: Table, documents: readonly string[], now: Date): Promise<readonly string[]> {
  if (documents.length === 0) return [];
  const ttl = Math.ceil((now.getTime() + TAKEN_MS) / 1_000);
  try {
    await table.transact(documents.map((document) => claimWrite({ ...documentMarkKey(document), ttl })));
    return documents;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const { failed } = error;
    const others = documents.filter((_, index) => !failed.includes(index));
    return takeUnmarked(table, others, now);
  }
}

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
