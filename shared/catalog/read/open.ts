import { rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Category } from '../../api/categories.ts';
import type { Disease } from '../../api/diseases.ts';
import type { Named } from '../../api/named.ts';
import { normalizeCouponCode } from '../../domain/pricing.ts';
import type { ShippingRate } from '../../domain/shipping.ts';
import type {
  Catalog,
  CatalogCoupon,
  CatalogPaymentMethod,
  CatalogShippingMethod,
  CatalogStore,
  CategoryQuery,
  CompanyQuery,
  DiseaseQuery,
  ProductQuery,
} from '../catalog.ts';
import { type Columns, readColumns } from '../file/columns.ts';
import { openCatalogFile } from '../file/format.ts';
import { type RecordReader, recordReader } from '../file/record-rows.ts';
import { namedList } from './named-lists.ts';
import { imageAddress, productReader } from './product-rows.ts';
import type { Fillings } from './product-shapes.ts';
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
    const fillings = once(() => fillingsOf(records, options.imageBaseUrl));
    return {
      version: options.version,
      ...productAnswers(database, columns, fillings),
      ...namedAnswers(fillings, columns),
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

function fillingsOf(records: RecordReader, imageBaseUrl: string): Fillings {
  return {
    companies: records.byId<Named>('companies'),
    categories: records.byId<Category>('categories'),
    diseases: records.byId<Disease>('diseases'),
    tags: records.byId<Named>('tags'),
    suppliers: records.byId<Named>('suppliers'),
    variants: records.byId<Named>('variants'),
    addressOf: imageAddress(imageBaseUrl),
  };
}

function productAnswers(database: DatabaseSync, columns: Columns, fillings: () => Fillings) {
  const products = productReader(database, fillings);
  const find = productQueries(columns, products.idsOfBarcodes);
  return {
    products(query: ProductQuery) {
      const { count, ids } = find(query);
      return { count, results: products.listItems(ids) };
    },
    product: products.sale,
    productDetail: products.detail,
  };
}

function namedAnswers(fillings: () => Fillings, columns: Columns) {
  const { categoryIds, companyIds } = columns;
  const categories = once(() => namedList(fillings().categories, availableIn(categoryIds, columns)));
  const companies = once(() => namedList(fillings().companies, availableIn(companyIds, columns)));
  const diseases = once(() => namedList(fillings().diseases, new Set()));
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
  const methods = records.byId<CatalogShippingMethod>('shipping_methods');
  const rates = once(() => records.all<ShippingRate>('shipping_rates'));
  const pickupMethod = methods.values().find(({ isPickup }) => isPickup);
  if (pickupMethod === undefined) throw new Error('The catalog has no shipping method for pickup.');
  return {
    store: (id: number) => records.one<CatalogStore>('stores', id),
    paymentMethod: (id: number) => records.one<CatalogPaymentMethod>('payment_methods', id),
    shippingMethod: (id: number) => methods.get(id),
    deliveryMethods: new Map([...methods].filter(([, { isPickup }]) => !isPickup)),
    pickupMethod,
    shippingRates: (zipcode: string) => rates().filter(({ zipFrom, zipTo }) => zipFrom <= zipcode && zipcode <= zipTo),
    coupon: (code: string) => records.one<CatalogCoupon>('coupons', normalizeCouponCode(code)),
    holidays: new Set(records.keys('holidays')),
  };
}

// Made when first asked for: a function that lists products needs no shipping rates.
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
