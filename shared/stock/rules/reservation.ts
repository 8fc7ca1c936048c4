import * as z from 'zod';

/** What an order takes from the stock of a store, by product. It stays in an order that frees it, which may reserve it anew. */
export const storedReservation = z.object({
  store: z.number(),
  products: z.array(z.object({ product: z.number(), quantity: z.number() })).readonly(),
});
export type Reservation = Readonly<z.infer<typeof storedReservation>>;

/** The pieces of a product that a store can still sell, and those on its shelf that orders have reserved. */
export type Level = { readonly available: number; readonly reserved: number };

export type StockedOrder = {
  readonly stock?: Reservation;
  readonly orderStatus: string;
  readonly paymentStatus: string;
  readonly paymentMethod: { readonly collection?: string | undefined };
  readonly dispensed: object | null;
};

export const leaveOut = ({ store, products }: Reservation, lacking: readonly number[]): Reservation => ({
  store,
  products: products.filter(({ product }) => !lacking.includes(product)),
});

/** False for an order that frees its stock: cancelled, or rejected by the payment provider before it was filled. */
export const keepsStock = ({ orderStatus, paymentStatus, paymentMethod, dispensed }: StockedOrder): boolean =>
  dispensed !== null ||
  (orderStatus !== 'cancelled' && (paymentStatus !== 'rejected' || paymentMethod.collection === undefined));

/** The difference that an order makes to the level of a product at a store. */
export type StockChange = Level & { readonly store: number; readonly product: number };

/** Returns what a change of an order does to stock; nothing where nothing changes. `before` is null for a new order. */
export function listStockChanges(before: StockedOrder | null, after: StockedOrder): StockChange[] {
  const all = [...(before ? toLevels(before).map(negate) : []), ...toLevels(after)];
  const places = Map.groupBy(all, ({ store, product }) => `${store} ${product}`);
  const changes = [...places.values()].map((parts) => parts.reduce(addLevels));
  return changes.filter(({ available, reserved }) => available !== 0 || reserved !== 0);
}

/** A filled order has taken its pieces off the shelf. */
function toLevels(order: StockedOrder): StockChange[] {
  if (!order.stock || !keepsStock(order)) return [];
  const { store, products } = order.stock;
  return products.map(({ product, quantity }) => {
    return { store, product, available: -quantity, reserved: order.dispensed === null ? quantity : 0 };
  });
}

const negate = (change: StockChange): StockChange => ({
  ...change,
  available: -change.available,
  reserved: -change.reserved,
});

const addLevels = (one: StockChange, other: StockChange): StockChange => ({
  ...one,
  available: one.available + other.available,
  reserved: one.reserved + other.reserved,
});

type Lines = readonly { readonly product: number; readonly quantity: number }[];

export function sumQuantities(lines: Lines): ReadonlyMap<number, number> {
  const totals = new Map<number, number>();
  for (const { product, quantity } of lines) totals.set(product, (totals.get(product) ?? 0) + quantity);
  return totals;
}

type Reserving = {
  readonly lines: Lines;
  readonly store: number;
  /** The levels of the products that the store tracks. */
  readonly levels: ReadonlyMap<number, Level>;
  /** What the order has so far: it reserves or frees the difference. */
  readonly before?: { readonly stock: Reservation | undefined; readonly lines: Lines } | undefined;
};

/** `lacking`: the most that the order can have of each product of which it asks more. */
export type Reserved = { readonly stock: Reservation; readonly lacking: ReadonlyMap<number, number> };

/** Reserves lines. A quantity that was sold before its product was tracked stays unreserved. */
export function reserveLines({ lines, store, levels, before }: Reserving): Reserved {
  const former = sumQuantities(before?.lines ?? []);
  const held = sumQuantities(before?.stock?.store === store ? before.stock.products : []);
  const lacking = new Map<number, number>();
  const products = [...sumQuantities(lines)].flatMap(([product, wanted]) => {
    const level = levels.get(product);
    if (!level) return [];
    const [formerly, own] = [former.get(product) ?? 0, held.get(product) ?? 0];
    const more = Math.max(0, wanted - formerly);
    if (more > level.available) lacking.set(product, formerly + level.available);
    const quantity = Math.min(own, wanted) + more;
    return quantity > 0 ? [{ product, quantity }] : [];
  });
  return { stock: { store, products }, lacking };
}
