import type * as z from 'zod';
import type { categoriesContract, Facets, Named } from '../api/catalog/named.ts';
import type {
  Product,
  ProductListItem,
  productsContract,
  Substitute,
  substitutesContract,
} from '../api/catalog/products.ts';
import type { Position } from '../api/lists.ts';
import type { SanitaryFraction } from '../domain/medicines.ts';
import type { Cents } from '../domain/money.ts';
import type { CouponTerms } from '../domain/pricing.ts';
import type { ShippingRate } from '../domain/shipping.ts';
import type { PublishedRecords, RecordKind } from './file/records.ts';
import type { Shortages } from './shortages.ts';

/** A product as pricing, ordering, dispensing and invoicing need it. The price is before IVA, the image's URL absolute. */
export type CatalogProduct = Pick<
  Product,
  'id' | 'name' | 'presentation' | 'ean_key' | 'sat_key' | 'sat_unit' | 'has_iva' | 'is_active'
> &
  Pick<ProductListItem, 'has_shortage' | 'default_image'> & {
    readonly priceCents: Cents;
    /** The maximum in one order; null for no limit. */
    readonly maxQuantity: number | null;
    readonly requires_prescription: boolean;
    /** Per art. 226 of the Ley General de Salud; null for products that are no medicine. */
    readonly sanitaryFraction: SanitaryFraction | null;
    readonly isAntibiotic: boolean;
  };

export type CatalogStore = PublishedRecords['stores'];
export type CatalogPaymentMethod = PublishedRecords['payment_methods'];
export type CatalogShippingMethod = PublishedRecords['shipping_methods'];
export type CatalogCoupon = PublishedRecords['coupons'] & CouponTerms;

type ListOf<Contract extends { readonly query: z.ZodType }> = z.infer<Contract['query']> & {
  /** The page begins behind this position; replaces `page`. */
  readonly after?: Position | undefined;
};
export type ProductQuery = ListOf<typeof productsContract>;
export type SubstituteQuery = ListOf<typeof substitutesContract>;
/** `available` keeps records with a product that can be bought and is in stock. */
export type NamedQuery = ListOf<typeof categoriesContract>;

export type NamedKind = {
  [Kind in RecordKind]: PublishedRecords[Kind] extends Named ? Kind : never;
}[RecordKind];

export type CatalogPage<Item> = {
  readonly count: number;
  readonly results: readonly Item[];
  /** The last item's position, if the query has `after` and more items follow. */
  readonly last?: Position | undefined;
};

/**
 * A published version, opened read-only, with what is short by now. Methods answer from memory or the local file, never from the
 * network.
 */
export interface Catalog {
  /** The first digits of its content's hash. */
  readonly version: string;
  products(
    query: ProductQuery,
  ): CatalogPage<ProductListItem> & { readonly facets?: Facets; readonly did_you_mean?: string | null };
  /** `available` applies only to categories and companies. */
  list<Kind extends NamedKind>(kind: Kind, query: NamedQuery): CatalogPage<PublishedRecords[Kind]>;
  product(id: number): CatalogProduct | undefined;
  /** Returns substitutes of a product, cheapest first; undefined if there is no such product. */
  substitutes(id: number, query: SubstituteQuery): CatalogPage<Substitute> | undefined;
  cheapestSubstitute(id: number): CatalogProduct | undefined;
  productDetail(id: number): Product | undefined;
  /** Returns a product that is no longer published, inactive, as last published. No other method finds it. */
  withdrawnProduct(id: number): Product | undefined;
  store(id: number): CatalogStore | undefined;
  /** By id. */
  stores(): readonly CatalogStore[];
  paymentMethod(id: number): CatalogPaymentMethod | undefined;
  shippingMethod(id: number): CatalogShippingMethod | undefined;
  readonly deliveryMethods: ReadonlyMap<number, CatalogShippingMethod>;
  /** Every published catalog has exactly one method for pickup. */
  readonly pickupMethod: CatalogShippingMethod;
  shippingRates(zipcode: string): readonly ShippingRate[];
  /** Ignores case and surrounding blanks. */
  coupon(code: string): CatalogCoupon | undefined;
  coupons(): readonly CatalogCoupon[];
  /** Returns the tracking page; null for an unpublished carrier. Ignores the case of the name. */
  trackingUrl(carrier: string, trackingNumber: string): string | null;
  readonly holidays: ReadonlySet<string>;
  /** Replaces what is short beside the products that are published so. */
  setShortages(shortages: Shortages): void;
  /** True if some store tracks a product's stock, as of the last shortages. */
  tracksStock(product: number): boolean;
  close(): void;
}

const hideCosts = (product: Product | undefined): Product | undefined =>
  product && { ...product, cost: null, average_cost: null, supplier_products: [] };

/** Returns a catalog that does not tell what its products cost the pharmacy. */
export const withoutCosts = (catalog: Catalog): Catalog => ({
  ...catalog,
  productDetail: (id) => hideCosts(catalog.productDetail(id)),
  withdrawnProduct: (id) => hideCosts(catalog.withdrawnProduct(id)),
});
