import * as z from 'zod';
import { addDays, dayAfter, localDate } from '../../domain/working-day.ts';
import { creationKey, dispensedProductPartition, endOfInstant, orderKey, parseOrderId } from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import type { Item, Table } from '../../store/table.ts';
import type { Order } from '../order.ts';
import { getOrdersByKey } from '../orders.ts';
import { foldLot } from '../rules/lots.ts';

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

type Sought = {
  readonly product: number;
  readonly lot?: string | undefined;
  /** Local days, both included. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
};

/** Returns who got a product, earliest first: the pieces of a lot, or of any, and those whose lot nobody recorded. */
export async function findDispensed(sought: Sought, table: Table, timeZone: string) {
  const { product, lot, from = '1970-01-01', until = '9990-12-31' } = sought;
  // A local day may begin on the day of UTC before it, and end on the one after it.
  const values = { ':from': addDays(from, -1), ':until': endOfInstant(dayAfter(until)) };
  const where = 'sk BETWEEN :from AND :until';
  const orders = await readOrders(table, await table.all({ pk: dispensedProductPartition(product), where, values }));
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
