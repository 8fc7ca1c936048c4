import { rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { normalizeCouponCode } from '../../domain/pricing.ts';
import type { ShippingRate } from '../../domain/shipping.ts';
import { once } from '../../runtime/once.ts';
import type { Catalog, CatalogCoupon, CategoryQuery, CompanyQuery, DiseaseQuery, ProductQuery } from '../catalog.ts';
import { toCents, toMicros } from '../file/checked.ts';
import { type Columns, readColumns } from '../file/columns.ts';
import { openCatalogFile } from '../file/format.ts';
import type { PublishedRecords } from '../file/published.ts';
import { createRecordReader, mapById, type RecordReader } from '../file/records.ts';
import { createNamedList } from './named-lists.ts';
import { createImageAddress, type References } from './product-shapes.ts';
import { createProductReader } from './products.ts';
import { createProductQueries } from './queries.ts';
import { readReferences } from './references.ts';

/**
 * Opens a compiled catalog read-only. Relative paths of images are joined to `imageBaseUrl`. Throws an Error with one
 * sentence when the file is no catalog, has another format, or is cut short.
 */
export function openCatalog(file: string, options: { version: string; imageBaseUrl: string }): Catalog {
  const database = openCatalogFile(file);
  try {
    const columns = readColumns(database);
    const records = createRecordReader(database);
    const references = once(() => readReferences(records, createImageAddress(options.imageBaseUrl)));
    return {
      version: options.version,
      ...openProducts(database, columns, references),
      ...openNamedLists(references, columns),
      ...openOrderRecords(records),
      close() {
        database.close();
        rmSync(file, { force: true });
      },
    };
  } catch (cause) {
    database.close();
    throw cause;
  }
}

function openProducts(database: DatabaseSync, columns: Columns, references: () => References) {
  const products = createProductReader(database, references);
  const find = createProductQueries(columns, products.findByBarcodes);
  return {
    products(query: ProductQuery) {
      const { count, ids } = find(query);
      return { count, results: products.listItems(ids) };
    },
    product: products.catalogProduct,
    productDetail: products.product,
    withdrawnProduct: products.withdrawnProduct,
  };
}

function openNamedLists(references: () => References, columns: Columns) {
  const { categoryIds, companyIds } = columns;
  const categories = once(() => {
    const all = references().categories;
    return createNamedList(all, withAncestors(findAvailable(categoryIds, columns), all));
  });
  const companies = once(() => createNamedList(references().companies, findAvailable(companyIds, columns)));
  const diseases = once(() => createNamedList(references().diseases, new Set()));
  return {
    categories: (query: CategoryQuery) => categories()(query),
    pharmaceuticalCompanies: (query: CompanyQuery) => companies()(query),
    diseases: (query: DiseaseQuery) => diseases()(query),
  };
}

// Returns the owners of the products that can be bought and are in stock.
function findAvailable(owners: Float64Array, { isActive, hasShortage }: Columns): ReadonlySet<number> {
  return new Set(owners.filter((_, row) => isActive[row] === 1 && hasShortage[row] === 0));
}

/** Adds the parents of categories, and theirs; a published catalog has no cycles. */
function withAncestors(ids: ReadonlySet<number>, categories: References['categories']): ReadonlySet<number> {
  const all = new Set(ids);
  // A set also yields the ids that are added while it is read.
  for (const id of all) {
    const parent = categories.get(id)?.parent ?? null;
    if (parent !== null) all.add(parent);
  }
  return all;
}

function openOrderRecords(records: RecordReader) {
  const methods = mapById(records.all('shipping_methods'));
  // Functions that only list products never read the shipping rates.
  const rates = once(() => records.all('shipping_rates').map(toShippingRate));
  const pickupMethod = methods.values().find(({ pickup }) => pickup);
  if (pickupMethod === undefined) throw new Error('The catalog has no shipping method for pickup.');
  return {
    store: (id: number) => records.one('stores', id),
    paymentMethod: (id: number) => records.one('payment_methods', id),
    shippingMethod: (id: number) => methods.get(id),
    deliveryMethods: new Map([...methods].filter(([, { pickup }]) => !pickup)),
    pickupMethod,
    shippingRates: (zipcode: string) => rates().filter((rate) => rate.zip_from <= zipcode && zipcode <= rate.zip_to),
    coupon(code: string) {
      const coupon = records.one('coupons', normalizeCouponCode(code));
      return coupon && withTerms(coupon);
    },
    coupons: () => records.all('coupons').map(withTerms),
    holidays: new Set(records.all('holidays').map(({ date }) => date)),
  };
}

function toShippingRate({ price, cost, discount, ...range }: PublishedRecords['shipping_rates']): ShippingRate {
  return {
    ...range,
    priceCents: toCents(price),
    costCents: cost === null ? null : toCents(cost),
    discountCents: discount === null ? null : toCents(discount),
  };
}

function withTerms(coupon: PublishedRecords['coupons']): CatalogCoupon {
  const { value, minimum_subtotal: minimum } = coupon;
  const minimumSubtotalCents = minimum === null ? null : toCents(minimum);
  return { ...coupon, valueMicros: toMicros(value), minimumSubtotalCents };
}
