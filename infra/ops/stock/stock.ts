import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { readSheet } from '../../../shared/catalog/publishing/import/sheet.ts';
import { changeIds, readShortages, updateShortages } from '../../../shared/catalog/shortages.ts';
import type { Order } from '../../../shared/order/order.ts';
import { findLastDispensed } from '../../../shared/order/rows/dispensing-rows.ts';
import { formatFolio } from '../../../shared/order/rules/status.ts';
import { nameProduct } from '../../../shared/quotes/quote.ts';
import {
  adjustStock,
  findOverReserved,
  listLevels,
  listStockChanges,
  setStock,
} from '../../../shared/stock/keep-stock.ts';
import { catalogBucket, withPublishedCatalog } from '../catalog/published-catalog.ts';
import { toInvalidResult } from '../catalog/versions.ts';
import { type Command, command } from '../command.ts';
import { listLimit, recordId, wholeNumber } from '../input.ts';
import { readCounts } from './count-sheet.ts';

const stockSet = command({
  name: 'stock set',
  summary: 'Set what was counted on the shelves of stores, and track from then on what orders take of it',
  example: 'conteo.csv',
  details: `The sheet (CSV or .xlsx) has the columns store, product (or ean_key) and quantity: the pieces on the shelf, those that orders
have reserved included. Nothing is set while a row is wrong.`,
  positional: ['csv'],
  input: z.object({ csv: z.string().describe('a CSV file or a workbook') }),
  async run({ csv }, context) {
    const { table } = context;
    const rows = await readSheet(csv);
    const sheet = await withPublishedCatalog((catalog) => readCounts(rows, catalog));
    const findErrors = async () =>
      (await findOverReserved(sheet.counts, table)).map(({ line, reserved }) => {
        return { file: sheet.file, line, field: 'quantity', message: `Orders have reserved ${reserved}.` };
      });
    const errors = sheet.errors.length > 0 ? sheet.errors : await findErrors();
    if (errors.length > 0) return toInvalidResult(errors, 'nothing was set');
    const products = sheet.counts.map(({ product }) => product);
    const operation = await context.operation();
    // Orders know first what to reserve: what they do not find is sold without stock.
    await updateShortages(catalogBucket(), (before) => {
      return { ...before, tracked: changeIds(before.tracked, products, true) };
    });
    const changed = await setStock(sheet.counts, operation, table);
    const late = await findErrors();
    if (late.length > 0) return toInvalidResult(late, 'and the other rows are set');
    return { document: { levels: sheet.counts.length, changed } };
  },
});

const store = recordId.describe('the id of a store');
const product = recordId.describe('the id of a product');

export const stockAdjust = command({
  name: 'stock adjust',
  summary: 'Add to what a store has of a product, or take from it: breakage, a return, a delivery',
  example: "4 --store 1 --by -2 --reason 'Caducados'",
  positional: ['product'],
  input: z.object({ product, store, by: wholeNumber, reason: requiredText(200).meta({ title: 'text' }) }),
  async run(adjustment, context) {
    const { available, reserved } = await adjustStock(adjustment, await context.operation(), context.table);
    const { product, store } = adjustment;
    return { document: { product, store, available, reserved } };
  },
});

export const stockList = command({
  name: 'stock list',
  summary: 'List what the stores have of the products that they track',
  example: '--below 5',
  input: z.object({
    below: recordId.optional().meta({ title: 'number' }).describe('only where fewer are left to sell'),
    store: store.optional(),
  }),
  async run({ below = Number.POSITIVE_INFINITY, store }, context) {
    const { tracked } = await readShortages(catalogBucket());
    const catalog = await withPublishedCatalog((published) => ({
      stores: published.stores().map(({ id }) => id),
      names: new Map(tracked.map((id) => [id, toName(published, id)])),
    }));
    const stores = store === undefined ? catalog.stores : [store];
    const levels = (await listLevels(tracked, stores, context.table)).filter(({ available }) => available < below);
    return {
      document: { levels: levels.map((level) => ({ ...level, name: catalog.names.get(level.product) ?? '' })) },
    };
  },
});

function toName(catalog: Catalog, id: number): string {
  const product = catalog.product(id);
  return product ? nameProduct(product) : 'not published';
}

const NOTHING = { at: '', store: 0, change: 0, counted: null, order: null, reason: null, by: null };

const stockHistory = command({
  name: 'stock history',
  summary: 'List what operators counted and adjusted of a product and what filled orders took, the newest first',
  example: '4',
  positional: ['product'],
  input: z.object({ product, limit: listLimit }),
  async run({ product, limit }, { table }) {
    const [changes, orders] = await Promise.all([
      listStockChanges(table, product, limit),
      findLastDispensed(product, table, limit),
    ]);
    const all = [
      ...changes.map((change) => ({ ...NOTHING, ...change })),
      ...orders.flatMap((order) => listTaken(order, product)),
    ].sort((one, other) => other.at.localeCompare(one.at));
    return { document: { product, changes: all.slice(0, limit) } };
  },
});

function listTaken({ id, dispensed, stock }: Order, product: number) {
  if (!dispensed || !stock) return [];
  return stock.products
    .filter((taken) => taken.product === product)
    .map(({ quantity }) => {
      return { ...NOTHING, at: dispensed.at, store: stock.store, change: -quantity, order: formatFolio(id) };
    });
}

export const stockCommands: readonly Command[] = [stockSet, stockAdjust, stockList, stockHistory];
