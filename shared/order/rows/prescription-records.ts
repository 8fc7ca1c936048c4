import * as z from 'zod';
import { startOfNextMonth } from '../../domain/working-day.ts';
import {
  creationKey,
  dispensedPartition,
  documentUseKey,
  documentUsesPartition,
  type Key,
  parseCreationKey,
  toKey,
} from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import type { Item, Table, Write } from '../../store/table.ts';
import { isPatientErased, type Order } from '../order.ts';
import { type OrderLine, type OrderPrescription, storedLine, storedPrescription } from '../order-parts.ts';

const { productId, name, presentation, quantity, isAntibiotic, sanitaryFraction } = storedLine.shape;
const { id, issueDate, prescriber } = storedPrescription.shape;

// Values without names, as in the order's item: so five lines have less than 1 KB, which costs a move 2 write units and not 4.
const storedEntry = z.object({
  /** The lines that need a prescription, each with the ids of those that cover it at its end. */
  lines: z.array(z.tuple([productId, name, presentation, quantity, isAntibiotic, sanitaryFraction], id)).readonly(),
  /** The last two texts are when and by whom each was verified. */
  prescriptions: z.array(z.tuple([id, issueDate, prescriber, z.string(), z.string()])).readonly(),
  /** The time at which the order went back before it was sent. */
  takenBackAt: z.string().exactOptional(),
});
type StoredEntry = z.infer<typeof storedEntry>;

/** The dispensed lines of an order with their prescriptions, as the record keeps them: it says nothing of the patient. */
export type Dispensing = {
  readonly orderId: number;
  readonly dispensedAt: string;
  readonly lines: readonly DispensedLine[];
  readonly prescriptions: readonly CoveringPrescription[];
  readonly takenBackAt: string | null;
};
type DispensedLine = Pick<
  OrderLine,
  'productId' | 'name' | 'presentation' | 'quantity' | 'isAntibiotic' | 'sanitaryFraction'
> & {
  /** The ids of the prescriptions that cover it. */
  readonly prescriptions: readonly number[];
};
type CoveringPrescription = Pick<OrderPrescription, 'id' | 'issueDate' | 'prescriber'> & {
  readonly verifiedAt: string;
  readonly verifiedBy: string;
};

/**
 * Returns the record of what an order dispenses; none for lines that need no prescription, or of an erased order, whose record
 * stays as it is.
 */
export function toDispensing(order: Order): Item[] {
  const { id, dispensed, lines, prescriptions } = order;
  const prescribed = lines.filter((line) => line.requiresPrescription || line.isAntibiotic);
  if (dispensed === null || prescribed.length === 0 || isPatientErased(order)) return [];
  const covering = prescriptions.filter((each) => dispensed.under.includes(each.id));
  const entry: StoredEntry = {
    lines: prescribed.map((line) => packDispensedLine(line, covering)),
    prescriptions: covering.map(packCovering),
  };
  return [toItem(dispensingKey(id, dispensed.at), entry)];
}

/** Returns the write that marks a record whose order went back: a book of the pharmacy keeps what is crossed out. */
export const takeBackWrite = (record: Item, at: string): Write => ({
  Update: {
    Key: toKey(record),
    UpdateExpression: 'SET takenBackAt = :at',
    ExpressionAttributeValues: { ':at': at },
  },
});

function packDispensedLine(line: OrderLine, covering: readonly OrderPrescription[]): StoredEntry['lines'][number] {
  const ids = covering
    .filter(({ verification }) => verification?.lines.some((verified) => verified.productId === line.productId))
    .map((prescription) => prescription.id);
  const { productId, name, presentation, quantity, isAntibiotic, sanitaryFraction } = line;
  return [productId, name, presentation, quantity, isAntibiotic, sanitaryFraction, ...ids];
}

const packCovering = (each: OrderPrescription): StoredEntry['prescriptions'][number] => [
  each.id,
  each.issueDate,
  each.prescriber,
  each.verification?.at ?? '',
  each.verification?.by ?? '',
];

function parseDispensing(item: Item): Dispensing {
  const { lines, prescriptions, takenBackAt = null } = parseItem(storedEntry, item, 'dispensing');
  const { order: orderId, createdAt: dispensedAt } = parseCreationKey(String(item.sk));
  return {
    orderId,
    dispensedAt,
    lines: lines.map(([productId, name, presentation, quantity, isAntibiotic, sanitaryFraction, ...ids]) => {
      return { productId, name, presentation, quantity, isAntibiotic, sanitaryFraction, prescriptions: ids };
    }),
    prescriptions: prescriptions.map(([id, issueDate, prescriber, verifiedAt, verifiedBy]) => {
      return { id, issueDate, prescriber, verifiedAt, verifiedBy };
    }),
    takenBackAt,
  };
}

// By months of UTC, which a query of local months cuts to measure: so the record does not depend on the time zone.
const MONTH = 'YYYY-MM'.length;

const dispensingKey = (order: number, at: string): Key => ({
  pk: dispensedPartition(at.slice(0, MONTH)),
  sk: creationKey(at, order),
});

/** Returns what was dispensed from one instant until before another, the earliest first; it reads no more than that. */
export async function listDispensings(
  table: Table,
  { from, until }: { from: Date; until: Date },
): Promise<Dispensing[]> {
  const where = 'sk BETWEEN :from AND :until';
  const values = { ':from': from.toISOString(), ':until': until.toISOString() };
  const months = listMonths(from, until);
  const pages = await Promise.all(months.map((month) => table.all({ pk: dispensedPartition(month), where, values })));
  return pages.flat().map(parseDispensing);
}

/** Returns the months of UTC that lie between two instants: `2026-11`. */
function listMonths(from: Date, until: Date): string[] {
  const months: string[] = [];
  for (let month = from; month < until; month = startOfNextMonth(month, 'UTC'))
    months.push(month.toISOString().slice(0, MONTH));
  return months;
}

const storedUse = z.object({
  orderId: z.number(),
  prescriptionId: z.number(),
  isRejected: z.boolean(),
  /** There while nobody has verified or rejected it. */
  isWaiting: z.literal(true).exactOptional(),
});
/** A prescription by its order and its id, and how it was judged. */
export type DocumentUse = Readonly<z.infer<typeof storedUse>>;

/**
 * Returns the uses of documents in an order, under their hashes. Those of an erased order stay as long as its documents do,
 * which may not be used again.
 */
export function toDocumentUses({ id: orderId, prescriptions, retained }: Order): Item[] {
  return [
    ...prescriptions.map((each) => toUse(each.documentHash, describeUse(orderId, each))),
    ...(retained?.documents ?? []).map(({ id, documentHash, isRejected = false }) =>
      toUse(documentHash, { orderId, prescriptionId: id, isRejected }),
    ),
  ];
}

/** Returns the use of a document as a prescription of an order. */
export function describeUse(orderId: number, { id, verification, rejection }: OrderPrescription): DocumentUse {
  const isWaiting = verification === null && rejection === null;
  return { orderId, prescriptionId: id, isRejected: rejection !== null, ...(isWaiting && { isWaiting }) };
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
