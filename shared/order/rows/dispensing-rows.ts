import * as z from 'zod';
import { addDays, dayAfter, localDate, startOfNextMonth } from '../../domain/working-day.ts';
import { foldLot } from '../../prescriptions/rules/prescription.ts';
import {
  creationKey,
  dispensedPartition,
  dispensedProductPartition,
  endOfInstant,
  type Key,
  orderKey,
  parseCreationKey,
  parseOrderId,
  toKey,
} from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import { between, type Item, type Table, type Write } from '../../store/table.ts';
import { isPatientErased, type Order } from '../order.ts';
import { type OrderLine, type OrderPrescription, storedLine, storedPrescription } from '../order-parts.ts';
import { getOrdersByKey } from '../orders.ts';

const { productId, name, presentation, quantity, isAntibiotic, sanitaryFraction } = storedLine.shape;
const { id, issueDate, prescriber } = storedPrescription.shape;

// Tuples, so that five lines take less than 1 KB: a move then costs 2 write units instead of 4.
const storedEntry = z.object({
  /** The lines that need a prescription, each followed by the ids of those that cover it. */
  lines: z.array(z.tuple([productId, name, presentation, quantity, isAntibiotic, sanitaryFraction], id)).readonly(),
  /** The last two texts are when and by whom each was verified. */
  prescriptions: z.array(z.tuple([id, issueDate, prescriber, z.string(), z.string()])).readonly(),
  takenBackAt: z.string().exactOptional(),
});
type StoredEntry = z.infer<typeof storedEntry>;

/** The record of an order's dispensed lines and their prescriptions, without personal data. */
export type Dispensing = ReturnType<typeof parseDispensing>;

/** None if no line needs a prescription, nor for an erased order, whose record stays as it is. */
export function toDispensing(order: Order): Item[] {
  const { id, dispensed, lines, prescriptions } = order;
  const prescribed = lines.filter((line) => line.requiresPrescription || line.isAntibiotic);
  if (dispensed === null || prescribed.length === 0 || isPatientErased(order)) return [];
  const covering = prescriptions.filter((prescription) => dispensed.under.includes(prescription.id));
  const entry: StoredEntry = {
    lines: prescribed.map((line) => packDispensedLine(line, covering)),
    prescriptions: covering.map(({ id, issueDate, prescriber, verification }) => {
      return [id, issueDate, prescriber, verification?.at ?? '', verification?.by ?? ''];
    }),
  };
  return [toItem(dispensingKey(id, dispensed.at), entry)];
}

/** Marks the record of an order that went back: a pharmacy's book keeps crossed-out entries. */
export const takeBackWrite = (record: Item, at: string): Write => ({
  Update: { Key: toKey(record), UpdateExpression: 'SET takenBackAt = :at', ExpressionAttributeValues: { ':at': at } },
});

function packDispensedLine(line: OrderLine, covering: readonly OrderPrescription[]): StoredEntry['lines'][number] {
  const ids = covering
    .filter(({ verification }) => verification?.lines.some((verified) => verified.productId === line.productId))
    .map((prescription) => prescription.id);
  const { productId, name, presentation, quantity, isAntibiotic, sanitaryFraction } = line;
  return [productId, name, presentation, quantity, isAntibiotic, sanitaryFraction, ...ids];
}

function parseDispensing(item: Item) {
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

// By months of UTC, independent of the time zone; a query of local months cuts them to measure.
const MONTH = 'YYYY-MM'.length;

const dispensingKey = (order: number, at: string): Key => ({
  pk: dispensedPartition(at.slice(0, MONTH)),
  sk: creationKey(at, order),
});

/** Returns the orders dispensed from `from` until before `until`, earliest first; reads no more than these. */
export async function listDispensings(
  table: Table,
  { from, until }: { from: Date; until: Date },
): Promise<Dispensing[]> {
  const within = between(from.toISOString(), until.toISOString());
  const months = listMonths(from, until).map((month) => table.all({ pk: dispensedPartition(month), ...within }));
  return (await Promise.all(months)).flat().map(parseDispensing);
}

function listMonths(from: Date, until: Date): string[] {
  const months: string[] = [];
  for (let month = from; month < until; month = startOfNextMonth(month, 'UTC'))
    months.push(month.toISOString().slice(0, MONTH));
  return months;
}

const storedRow = z.object({ clientId: z.number() });

const DAY = 'YYYY-MM-DD'.length;

/** A row for each product that an order dispensed. The order has the rest, so that nothing personal outlives its erasure here. */
export function toDispensedProducts({ id, clientId, dispensed, lines }: Order): Item[] {
  if (dispensed === null) return [];
  const sk = creationKey(dispensed.at.slice(0, DAY), id);
  const products = new Set(lines.filter(({ quantity }) => quantity > 0).map(({ productId }) => productId));
  return [...products].map((product) => toItem({ pk: dispensedProductPartition(product), sk }, { clientId }));
}

/** Pieces of a product that an order dispensed; the lot is null where nobody recorded it. */
export type DispensedPieces = {
  readonly order: Order;
  readonly day: string;
  readonly lot: string | null;
  readonly expiry: string | null;
  readonly quantity: number;
};

/** `from` and `until` are local days, both included. */
type Sought = Partial<Record<'lot' | 'from' | 'until', string | undefined>> & { readonly product: number };

/** Returns who got a product, earliest first: the pieces of a lot, or of any, and those whose lot nobody recorded. */
export async function findDispensed(sought: Sought, table: Table, timeZone: string) {
  const { product, lot, from = '1970-01-01', until = '9990-12-31' } = sought;
  // A local day may begin on the day of UTC before it, and end on the one after it.
  const days = between(addDays(from, -1), endOfInstant(dayAfter(until)));
  const orders = await readOrders(table, await table.all({ pk: dispensedProductPartition(product), ...days }));
  return orders
    .flatMap((order) => listPieces(order, product, timeZone))
    .filter((pieces) => pieces.day >= from && pieces.day <= until)
    .filter((pieces) => lot === undefined || pieces.lot === null || foldLot(pieces.lot) === foldLot(lot));
}

/** Returns the orders that dispensed a product last, `count` at most. */
export async function findLastDispensed(product: number, table: Table, count: number): Promise<Order[]> {
  return readOrders(table, await table.first({ pk: dispensedProductPartition(product), isDescending: true }, count));
}

const readOrders = (table: Table, rows: readonly Item[]): Promise<Order[]> =>
  getOrdersByKey(
    table,
    rows.map((row) => orderKey(parseItem(storedRow, row, 'dispensed product').clientId, parseOrderId(row))),
  );

function listPieces(order: Order, product: number, timeZone: string): DispensedPieces[] {
  const { dispensed, lines } = order;
  // It went back meanwhile.
  if (dispensed === null) return [];
  const day = localDate(new Date(dispensed.at), timeZone);
  return lines
    .filter(({ productId }) => productId === product)
    .flatMap((line) => {
      const lots = (dispensed.lots ?? []).filter((each) => each.line === line.id);
      const rest = line.quantity - lots.reduce((sum, { quantity }) => sum + quantity, 0);
      const unknown = rest > 0 ? [{ lot: null, expiry: null, quantity: rest }] : [];
      return [...lots, ...unknown].map(({ lot, expiry, quantity }) => ({ order, day, lot, expiry, quantity }));
    });
}
