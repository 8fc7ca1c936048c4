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
import { mapById, type RecordReader, recordReader } from '../file/records.ts';
import { namedList } from './named-lists.ts';
import { imageAddress, type References } from './product-shapes.ts';
import { productReader } from './products.ts';
import { productQueries } from './queries.ts';

/**
 * Opens a compiled catalog read-only. `version` is the content hash it goes by, `imageBaseUrl` what relative image
 * paths are joined to. Throws an Error with one sentence if the file is no catalog of this format or not whole.
 */
export function openCatalog(file: string, options: { version: string; imageBaseUrl: string }): Catalog {
  const database = openCatalogFile(file);
  try {
    const columns = readColumns(database);
    const records = recordReader(database);
    const references = once(() => readReferences(records, options.imageBaseUrl));
    return {
      version: options.version,
      ...productAnswers(database, columns, references),
      ...namedAnswers(references, columns),
      ...orderingAnswers(records),
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

function readReferences(records: RecordReader, imageBaseUrl: string): References {
  return {
    companies: mapById(records.all('companies')),
    categories: mapById(records.all('categories')),
    diseases: mapById(records.all('diseases')),
    tags: mapById(records.all('tags')),
    suppliers: mapById(records.all('suppliers')),
    variants: mapById(records.all('variants')),
    toAddress: imageAddress(imageBaseUrl),
  };
}

function productAnswers(database: DatabaseSync, columns: Columns, references: () => References) {
  const products = productReader(database, references);
  const find = productQueries(columns, products.idsOfBarcodes);
  return {
    products(query: ProductQuery) {
      const { count, ids } = find(query);
      return { count, results: products.listItems(ids) };
    },
    product: products.catalogProduct,
    productDetail: products.product,
  };
}

function namedAnswers(references: () => References, columns: Columns) {
  const { categoryIds, companyIds } = columns;
  const categories = once(() => namedList(references().categories, availableIn(categoryIds, columns)));
  const companies = once(() => namedList(references().companies, availableIn(companyIds, columns)));
  const diseases = once(() => namedList(references().diseases, new Set()));
  return {
    categories: (query: CategoryQuery) => categories()(query),
    pharmaceuticalCompanies: (query: CompanyQuery) => companies()(query),
    diseases: (query: DiseaseQuery) => diseases()(query),
  };
}

// What the products that can be bought and are in stock belong to.
function availableIn(owners: Float64Array, { isActive, hasShortage }: Columns): ReadonlySet<number> {
  return new Set(owners.filter((_, row) => isActive[row] === 1 && hasShortage[row] === 0));
}

function orderingAnswers(records: RecordReader) {
  const methods = mapById(records.all('shipping_methods'));
  // A function that lists products needs no shipping rates.
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
