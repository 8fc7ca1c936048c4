import type * as z from 'zod';
import type { Category, categoriesContract } from '../api/catalog/categories.ts';
import type { Disease, diseasesContract } from '../api/catalog/diseases.ts';
import type { Named } from '../api/catalog/named.ts';
import type { companiesContract } from '../api/catalog/pharmaceutical-companies.ts';
import type { Product, ProductListItem, productsContract } from '../api/catalog/products.ts';
import type { Cents } from '../domain/money.ts';
import type { CouponTerms } from '../domain/pricing.ts';
import type { ShippingRate } from '../domain/shipping.ts';
import type { PublishedRecords } from './file/published.ts';

/** The part of a product that pricing, ordering and invoicing need. Price before IVA; the URL of the image is absolute. */
export type CatalogProduct = Pick<
  Product,
  'id' | 'name' | 'presentation' | 'ean_key' | 'sat_key' | 'sat_unit' | 'has_iva' | 'is_active'
> &
  Pick<ProductListItem, 'has_shortage' | 'default_image'> & {
    readonly priceCents: Cents;
    readonly requires_prescription: boolean;
  };

export type CatalogStore = PublishedRecords['stores'];
export type CatalogPaymentMethod = PublishedRecords['payment_methods'];
export type CatalogShippingMethod = PublishedRecords['shipping_methods'];
/** A coupon as published, with its amounts as pricing needs them. */
export type CatalogCoupon = PublishedRecords['coupons'] & CouponTerms;

export type ProductQuery = z.infer<typeof productsContract.query>;
export type CategoryQuery = z.infer<typeof categoriesContract.query>;
export type CompanyQuery = z.infer<typeof companiesContract.query>;
export type DiseaseQuery = z.infer<typeof diseasesContract.query>;

/** The items of one page and the exact number of all that match. */
export type CatalogPage<Item> = { readonly count: number; readonly results: readonly Item[] };

/**
 * One published version of the catalog, opened read-only. Every method answers from memory or from the local file,
 * never from the network.
 */
export interface Catalog {
  /** The first digits of the hash of its content. */
  readonly version: string;
  products(query: ProductQuery): CatalogPage<ProductListItem>;
  categories(query: CategoryQuery): CatalogPage<Category>;
  pharmaceuticalCompanies(query: CompanyQuery): CatalogPage<Named>;
  diseases(query: DiseaseQuery): CatalogPage<Disease>;
  product(id: number): CatalogProduct | undefined;
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
  /** Dates as `YYYY-MM-DD`. */
  readonly holidays: ReadonlySet<string>;
  /** Closes the file and removes it. */
  close(): void;
}
