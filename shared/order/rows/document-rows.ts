import * as z from 'zod';
import {
  creationKey,
  documentMarkKey,
  documentUseKey,
  documentUsesPartition,
  type Key,
  RETAINED_PARTITION,
} from '../../store/keys.ts';
import { parseItem } from '../../store/parse-item.ts';
import { ABSENT, type Item, type Table, type Write } from '../../store/table.ts';
import { ConditionFailed } from '../../store/table-failures.ts';
import type { Order } from '../order.ts';
import type { OrderPrescription } from '../order-parts.ts';

const storedPlace = z.object({ clientId: z.number(), orderId: z.number() });

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

/** Returns the order that has claimed a document, if any. */
export async function findDocumentOrder(
  table: Table,
  document: string,
): Promise<Pick<Order, 'clientId' | 'id'> | undefined> {
  const mark = await table.get(documentMarkKey(document));
  if (mark?.orderId === undefined) return undefined;
  const { clientId, orderId: id } = parseItem(storedPlace, mark, 'document mark');
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

const storedUse = z.object({
  orderId: z.number(),
  prescriptionId: z.number(),
  isRejected: z.boolean(),
  /** Present until it is verified or rejected. */
  isWaiting: z.literal(true).exactOptional(),
});
export type DocumentUse = Readonly<z.infer<typeof storedUse>>;

/** The uses of an erased order stay as long as its documents, which may not be used again. */
export function toDocumentUses({ id: orderId, prescriptions, retained }: Order): Item[] {
  return [
    ...prescriptions.map((item) => toUse(item.documentHash, describeUse(orderId, item))),
    ...(retained?.documents ?? []).map(({ id, documentHash, isRejected = false }) =>
      toUse(documentHash, { orderId, prescriptionId: id, isRejected }),
    ),
  ];
}

export function describeUse(orderId: number, { id, verification, rejection }: OrderPrescription): DocumentUse {
  const isWaiting = verification === null && rejection === null;
  return { orderId, prescriptionId: id, isRejected: rejection !== null, ...(isWaiting && { isWaiting }) };
}

const toUse = (hash: string, use: DocumentUse): Item => ({
  ...documentUseKey(hash, use.orderId, use.prescriptionId),
  ...use,
});

/** Returns uses of the document with this hash in the orders of all clients; one query. */
export async function findDocumentUses(table: Table, hash: string, limit: number): Promise<DocumentUse[]> {
  const items = await table.first({ pk: documentUsesPartition(hash) }, limit);
  return items.map((item) => parseItem(storedUse, item, 'document use'));
}

/** An order of an erased patient with records that are kept for a term. */
export type RetainedRow = Readonly<z.infer<typeof storedPlace>>;

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
  const items = await table.first({ pk: RETAINED_PARTITION, ...due }, limit);
  return items.map((item) => parseItem(storedPlace, item, 'row of an erased order'));
}
