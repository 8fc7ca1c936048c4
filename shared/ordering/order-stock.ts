import type { Catalog } from '../catalog/catalog.ts';
import { joinTexts, refusedToOperator } from '../domain/operator-refusal.ts';
import { refuseInvalid, type ValidationError } from '../domain/refusal.ts';
import type { Order } from '../order/order.ts';
import { nameProduct, type RequestedLine } from '../quotes/quote.ts';
import type { Business } from '../runtime/config.ts';
import { keepsStock, type Level, type Reservation, reserveLines, sumQuantities } from '../stock/rules/reservation.ts';
import { readLevels } from '../stock/stock.ts';
import type { Table } from '../store/table.ts';

type Stocked = { readonly stock?: Reservation };

type Placing = {
  readonly details: readonly RequestedLine[];
  readonly catalog: Catalog;
  readonly store: number | null;
  readonly levels: ReadonlyMap<number, Level>;
  readonly path: ValidationError['path'];
  readonly before?: Order;
};

/** Returns the products of lines that some store tracks, as of the last look at the catalog. */
export const listTracked = (details: readonly RequestedLine[], catalog: Catalog): number[] =>
  details.flatMap(({ product }) => (catalog.tracksStock(product) ? [product] : []));

/** Reserves lines of which the store has enough; else refuses each line with what is left. */
export function reserveDetails({ details, catalog, store, levels, path, before }: Placing): Stocked {
  if (store === null) return {};
  const former = before && keepsStock(before) ? { stock: before.stock, lines: toLines(before) } : undefined;
  const { stock, lacking } = reserveLines({ lines: details, store, levels, before: former });
  refuseInvalid(
    details.flatMap(({ product: id, quantity }, index): ValidationError[] => {
      const [left, product] = [lacking.get(id), catalog.product(id)];
      if (left === undefined || quantity === 0 || !product) return [];
      const values = { product: nameProduct(product), left };
      return [{ path: [...path, index, 'product'], code: 'product_out_of_stock', values }];
    }),
  );
  return stock.products.length > 0 || before?.stock ? { stock } : {};
}

const toLines = ({ lines }: Order): RequestedLine[] =>
  lines.map(({ productId: product, quantity }) => ({ product, quantity }));

type Stores = { readonly store: { readonly id: number } | null; readonly stock?: Reservation };

/** Returns the store whose stock an order takes: where it is collected, or that which ships. */
export const getStockStore = ({ store, stock }: Stores, { shippingStore }: Business): number | null =>
  stock?.store ?? store?.id ?? shippingStore;

/**
 * Returns what an order takes off the shelf when it is filled: all of each product that its store tracks by now, reserved or not.
 * Throws `out_of_stock`.
 */
export async function fillOrder(order: Order, business: Business, table: Table): Promise<Stocked> {
  const store = getStockStore(order, business);
  const wanted = sumQuantities(toLines(order));
  const levels = await readLevels(table, store, wanted.keys());
  if (store === null || levels.size === 0) return {};
  const held = sumQuantities(keepsStock(order) ? (order.stock?.products ?? []) : []);
  const products = [...levels.keys()].map((product) => ({ product, quantity: wanted.get(product) ?? 0 }));
  const lacking = products.flatMap(({ product, quantity }) => {
    const left = (levels.get(product)?.available ?? 0) + (held.get(product) ?? 0);
    const values = `${quantity} × ${nameLine(order, product)} (`;
    return quantity <= left ? [] : { es: `${values}quedan ${left})`, en: `${values}${left} left)` };
  });
  if (lacking.length === 0) return { stock: { store, products: products.filter(({ quantity }) => quantity > 0) } };
  throw refusedToOperator('order_out_of_stock', { order: order.id, products: joinTexts(lacking, ', ') });
}

const nameLine = ({ lines }: Order, product: number): string =>
  `${lines.find(({ productId }) => productId === product)?.name} (${product})`;
