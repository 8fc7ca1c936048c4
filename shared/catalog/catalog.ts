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

/**
 * The part of a product that pricing, ordering, dispensing and invoicing need. Price before IVA; the URL of the image is
 * absolute.
 */
export type CatalogProduct = Pick<
  Product,
  'id' | 'name' | 'presentation' | 'ean_key' | 'sat_key' | 'sat_unit' | 'has_iva' | 'is_active'
> &
  Pick<ProductListItem, 'has_shortage' | 'default_image'> & {
    readonly priceCents: Cents;
    /** The most of it in one order; null for any number. */
    readonly maxQuantity: number | null;
    readonly requires_prescription: boolean;
    /** Fraction of art. 226 of the Ley General de Salud; null for what is no medicine. */
    readonly sanitaryFraction: SanitaryFraction | null;
    /** True when its sales stand in the register of antibiotics. */
    readonly isAntibiotic: boolean;
  };

export type CatalogStore = PublishedRecords['stores'];
export type CatalogPaymentMethod = PublishedRecords['payment_methods'];
export type CatalogShippingMethod = PublishedRecords['shipping_methods'];
/** A coupon as published, with its amounts as pricing needs them. */
export type CatalogCoupon = PublishedRecords['coupons'] & CouponTerms;

type ListOf<Contract extends { readonly query: z.ZodType }> = z.infer<Contract['query']> & {
  /** The position behind which the page begins, in place of its number. */
  readonly after?: Position | undefined;
};
export type ProductQuery = ListOf<typeof productsContract>;
export type SubstituteQuery = ListOf<typeof substitutesContract>;
/** The query of a list of records with names; `available` keeps only what has a product that can be bought and is in stock. */
export type NamedQuery = ListOf<typeof categoriesContract>;

/** The kinds of records that have a name, each of which has a list. */
export type NamedKind = {
  [Kind in RecordKind]: PublishedRecords[Kind] extends Named ? Kind : never;
}[RecordKind];

/** The items of one page and the exact number of all that match. */
export type CatalogPage<Item> = {
  readonly count: number;
  readonly results: readonly Item[];
  /** The position of the last item, if the query has `after` and more items follow. */
  readonly last?: Position | undefined;
};

/**
 * One published version of the catalog, opened read-only. Every method answers from memory or from the local file,
 * never from the network.
 */
export interface Catalog {
  /** The first digits of the hash of its content. */
  readonly version: string;
  /** Returns a page of products, with the facets and the other spelling that the query asks for. */
  products(
    query: ProductQuery,
  ): CatalogPage<ProductListItem> & { readonly facets?: Facets; readonly did_you_mean?: string | null };
  /** Returns a page of the records of a kind; only those of categories and companies are available or not. */
  list<Kind extends NamedKind>(kind: Kind, query: NamedQuery): CatalogPage<PublishedRecords[Kind]>;
  product(id: number): CatalogProduct | undefined;
  /** Returns what may stand for a product, cheapest first; undefined if there is no such product. */
  substitutes(id: number, query: SubstituteQuery): CatalogPage<Substitute> | undefined;
  /** Returns the cheapest substitute of a product, if it has one. */
  cheapestSubstitute(id: number): CatalogProduct | undefined;
  /** Returns the full Product of the interface. */
  productDetail(id: number): Product | undefined;
  /** Returns a product that is no longer published as its last publication showed it, inactive; nothing else finds it. */
  withdrawnProduct(id: number): Product | undefined;
  store(id: number): CatalogStore | undefined;
  paymentMethod(id: number): CatalogPaymentMethod | undefined;
  shippingMethod(id: number): CatalogShippingMethod | undefined;
  /** All shipping methods except the one for pickup. */
  readonly deliveryMethods: ReadonlyMap<number, CatalogShippingMethod>;
  /** The one method for pickup, without which no catalog is published. */
  readonly pickupMethod: CatalogShippingMethod;
  /** Returns the rates whose range contains this zip code. */
  shippingRates(zipcode: string): readonly ShippingRate[];
  /** Finds a coupon by its code, regardless of case and surrounding blanks. */
  coupon(code: string): CatalogCoupon | undefined;
  coupons(): readonly CatalogCoupon[];
  /** Returns the page of a shipment, null unless the carrier is published; its name may be written in any case. */
  trackingUrl(carrier: string, trackingNumber: string): string | null;
  /** Dates as `YYYY-MM-DD`. */
  readonly holidays: ReadonlySet<string>;
  close(): void;
}
