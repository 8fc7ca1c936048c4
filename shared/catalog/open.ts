import type { DatabaseSync } from 'node:sqlite';
import type { Named } from '../api/catalog/named.ts';
import { formatDifference } from '../domain/money.ts';
import type { ShippingRate } from '../domain/shipping.ts';
import { foldCode, foldText } from '../domain/text.ts';
import { once } from '../runtime/async.ts';
import type {
  Catalog,
  CatalogCoupon,
  CatalogPage,
  NamedKind,
  NamedQuery,
  ProductQuery,
  SubstituteQuery,
} from './catalog.ts';
import { type Columns, findRow, readColumns, readMoreColumns, readSpellingColumns } from './file/columns.ts';
import {
  createRecordReader,
  mapById,
  type PublishedRecords,
  type RecordReader,
  readCents,
  readMicros,
} from './file/records.ts';
import { createProductSearch } from './file/search-text.ts';
import { openCatalogFile } from './file/snapshot.ts';
import { createNamedList } from './listing.ts';
import {
  createImageAddress,
  createProductReader,
  type ProductReader,
  type References,
  readReferences,
} from './products.ts';
import {
  createFacetCounters,
  createProductList,
  createProductQueries,
  createSubstituteQueries,
  type ProductList,
} from './queries.ts';
import type { Shortages } from './shortages.ts';

/** Relative image paths are joined to `imageBaseUrl`. Throws what `openCatalogFile` throws. */
export function openCatalog(file: string, options: { version: string; imageBaseUrl: string }): Catalog {
  const database = openCatalogFile(file);
  try {
    const columns = readColumns(database);
    const records = createRecordReader(database);
    const references = once(() => readReferences(records, createImageAddress(options.imageBaseUrl)));
    const { forgetAvailable, ...named } = openNamedLists(records, columns);
    return {
      version: options.version,
      ...openProducts(database, columns, references),
      ...named,
      ...openShortages(columns, forgetAvailable),
      ...openOrderRecords(records),
      close: () => database.close(),
    };
  } catch (cause) {
    database.close();
    throw cause;
  }
}

function openProducts(database: DatabaseSync, columns: Columns, references: () => References) {
  const isShort = (id: number): boolean => columns.hasShortage[findRow(columns.ids, id)] === 1;
  const products = createProductReader(database, references, isShort);
  const list = createProductList(columns, products);
  const counters = createFacetCounters(columns, references);
  const readSpelling = () => readSpellingColumns(database);
  const search = createProductSearch(columns, () => readMoreColumns(database));
  const find = createProductQueries(list, columns, { ...products, search, counters, readSpelling });
  return {
    products(query: ProductQuery) {
      const { results, ...page } = find(query);
      return { ...page, results: products.listItems(results) };
    },
    ...openSubstitutes(list, products, columns),
    product: products.catalogProduct,
    productDetail: products.product,
    withdrawnProduct: products.withdrawnProduct,
  };
}

function openSubstitutes(list: ProductList, products: ProductReader, columns: Columns) {
  const find = createSubstituteQueries(list, columns);
  return {
    substitutes(id: number, query: SubstituteQuery) {
      const page = find(id, query);
      if (!page) return undefined;
      const items = products.listItems(page.results.map((substitute) => substitute.id));
      const savings = page.results.map(({ savingCents: cents }) =>
        cents === undefined ? {} : { saving: formatDifference(cents) },
      );
      return { ...page, results: items.map((item, index) => ({ ...item, ...savings[index] })) };
    },
    cheapestSubstitute(id: number) {
      const [cheapest] = find(id, { page: 1, limit: 1 })?.results ?? [];
      return cheapest && products.catalogProduct(cheapest.id);
    },
  };
}

/** The column of shortages is that of the published products and of what is short by now. */
function openShortages({ ids, hasShortage }: Columns, onChange: () => void) {
  const published = hasShortage.slice();
  const tracked = new Uint8Array(ids.length);
  const mark = (column: Uint8Array, marked: readonly number[]) => {
    for (const id of marked) {
      const row = findRow(ids, id);
      if (ids[row] === id) column[row] = 1;
    }
  };
  return {
    setShortages(shortages: Shortages) {
      hasShortage.set(published);
      mark(hasShortage, shortages.marked);
      mark(hasShortage, shortages.soldOut);
      tracked.fill(0);
      mark(tracked, shortages.tracked);
      onChange();
    },
    tracksStock(id: number) {
      const row = findRow(ids, id);
      return ids[row] === id && tracked[row] === 1;
    },
  };
}

function openNamedLists(records: RecordReader, columns: Columns) {
  const lists = new Map<NamedKind, (query: NamedQuery) => CatalogPage<Named>>();
  return {
    list<Kind extends NamedKind>(kind: Kind, query: NamedQuery) {
      const list = lists.get(kind) ?? createNamedList<Named>(records.all(kind), findAvailable(kind, records, columns));
      lists.set(kind, list);
      return list(query) as CatalogPage<PublishedRecords[Kind]>;
    },
    forgetAvailable() {
      for (const kind of ['categories', 'companies'] as const) lists.delete(kind);
    },
  };
}

function findAvailable(kind: NamedKind, records: RecordReader, columns: Columns): ReadonlySet<number> | undefined {
  const { categoryIds, categoryRanks, companyIds, companyRanks } = columns;
  if (kind === 'companies') return findOwners(companyIds, companyRanks, columns);
  if (kind !== 'categories') return undefined;
  return withAncestors(findOwners(categoryIds, categoryRanks, columns), mapById(records.all('categories')));
}

function findOwners(ids: Float64Array, ranks: Uint32Array, { isActive, hasShortage }: Columns): ReadonlySet<number> {
  const available = new Uint8Array(ids.length);
  for (let row = 0; row < ranks.length; row++)
    if (isActive[row] === 1 && hasShortage[row] === 0) available[ranks[row] ?? 0] = 1;
  return new Set(ids.filter((_, rank) => available[rank] === 1));
}

/** Adds all ancestors of categories; a published catalog has no cycles. */
function withAncestors(ids: ReadonlySet<number>, categories: References['categories']): ReadonlySet<number> {
  const all = new Set(ids);
  // A set also yields ids added during the iteration.
  for (const id of all) {
    const parent = categories.get(id)?.parent ?? null;
    if (parent !== null) all.add(parent);
  }
  return all;
}

function openOrderRecords(records: RecordReader) {
  const methods = mapById(records.all('shipping_methods'));
  // Functions that only list products never need the rates.
  const rates = once(() => records.all('shipping_rates').map(toShippingRate));
  const pickupMethod = methods.values().find(({ pickup }) => pickup);
  if (pickupMethod === undefined) throw new Error('The catalog has no shipping method for pickup.');
  return {
    store: (id: number) => records.one('stores', id),
    stores: () => records.all('stores'),
    paymentMethod: (id: number) => records.one('payment_methods', id),
    shippingMethod: (id: number) => methods.get(id),
    deliveryMethods: new Map([...methods].filter(([, { pickup }]) => !pickup)),
    pickupMethod,
    shippingRates: (zipcode: string) => rates().filter((rate) => rate.zip_from <= zipcode && zipcode <= rate.zip_to),
    coupon(code: string) {
      const coupon = records.one('coupons', foldCode(code));
      return coupon && withTerms(coupon);
    },
    coupons: () => records.all('coupons').map(withTerms),
    trackingUrl(carrier: string, trackingNumber: string) {
      const match = records.all('carriers').find(({ name }) => foldText(name) === foldText(carrier));
      return match?.tracking_url.replace('{tracking}', encodeURIComponent(trackingNumber)) ?? null;
    },
    holidays: new Set(records.all('holidays').map(({ date }) => date)),
  };
}

function toShippingRate({ price, cost, discount, ...range }: PublishedRecords['shipping_rates']): ShippingRate {
  return {
    ...range,
    priceCents: readCents(price),
    costCents: cost === null ? null : readCents(cost),
    discountCents: discount === null ? null : readCents(discount),
  };
}

function withTerms(coupon: PublishedRecords['coupons']): CatalogCoupon {
  const { value, minimum_subtotal: minimum } = coupon;
  const minimumSubtotalCents = minimum === null ? null : readCents(minimum);
  return { ...coupon, valueMicros: readMicros(value), minimumSubtotalCents };
}
