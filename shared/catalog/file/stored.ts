import { type Cents, parseCents, parseMicros } from '../../domain/money.ts';
import type { ShippingRate } from '../../domain/shipping.ts';
import type { CatalogCoupon, CatalogPaymentMethod, CatalogShippingMethod, CatalogStore } from '../catalog.ts';
import type { CatalogRecord } from '../folder/folder.ts';
import type { Stamped } from './timestamps.ts';

// What a catalog file stores of each record, in the shape in which it is read.

/** The fields of a product that only the full Product shows. */
export type ProductContent = Pick<
  CatalogRecord<'products'>,
  | 'cost'
  | 'public_price'
  | 'average_cost'
  | 'should_calculate_price'
  | 'partner_description'
  | 'image'
  | 'current_supplier'
  | 'supplier_products'
  | 'album'
  | 'product_variants'
>;

export function storedContent(product: CatalogRecord<'products'>): ProductContent {
  return {
    cost: product.cost,
    public_price: product.public_price,
    average_cost: product.average_cost,
    should_calculate_price: product.should_calculate_price,
    partner_description: product.partner_description,
    image: product.image,
    current_supplier: product.current_supplier,
    supplier_products: product.supplier_products,
    album: product.album,
    product_variants: product.product_variants,
  };
}

/** The album's default image, else its first, else the product's own, else null. */
export function defaultImage({ album, image }: CatalogRecord<'products'>): string | null {
  const chosen = album?.images.find((one) => one.is_default) ?? album?.images[0];
  return chosen?.image ?? (image || null);
}

export function storedStore(store: Stamped<'stores'>): CatalogStore {
  return {
    id: store.id,
    companyName: store.company_name,
    businessHours: store.business_hours,
    name: store.name,
    street: store.street,
    exteriorNumber: store.exterior_number,
    interiorNumber: store.interior_number,
    neighborhood: store.neighborhood,
    city: store.city,
    state: store.state,
    country: store.country,
    zipcode: store.zipcode,
    phone: store.phone,
    additionalInfo: store.additional_info,
    latitude: store.latitude,
    longitude: store.longitude,
    createdAt: store.created_at,
    updatedAt: store.updated_at,
  };
}

export function storedPaymentMethod(method: Stamped<'payment_methods'>): CatalogPaymentMethod {
  return {
    id: method.id,
    name: method.name,
    fee: method.fee,
    fixedFee: method.fixed_fee,
    initialPaymentStatus: method.initial_payment_status,
    satPaymentForm: method.sat_payment_form,
    createdAt: method.created_at,
    updatedAt: method.updated_at,
  };
}

export function storedShippingMethod(method: Stamped<'shipping_methods'>): CatalogShippingMethod {
  return {
    id: method.id,
    company: method.company,
    method: method.method,
    minDeliveryDays: method.min_delivery_days,
    maxDeliveryDays: method.max_delivery_days,
    isPickup: method.pickup,
    createdAt: method.created_at,
    updatedAt: method.updated_at,
  };
}

export function storedShippingRate(rate: CatalogRecord<'shipping_rates'>): ShippingRate {
  return {
    shippingMethodId: rate.shipping_method,
    zipFrom: rate.zip_from,
    zipTo: rate.zip_to,
    priceCents: centsOf(rate.price),
    costCents: rate.cost === null ? null : centsOf(rate.cost),
    discountCents: rate.discount === null ? null : centsOf(rate.discount),
    discountFrom: rate.discount_from,
    discountUntil: rate.discount_until,
  };
}

export function storedCoupon(coupon: CatalogRecord<'coupons'>): CatalogCoupon {
  return {
    id: coupon.id,
    code: coupon.code,
    description: coupon.description,
    value: coupon.value,
    valueMicros: checked(parseMicros(coupon.value), coupon.value),
    hasFreeShipping: coupon.has_free_shipping,
    minimumSubtotalCents: coupon.minimum_subtotal === null ? null : centsOf(coupon.minimum_subtotal),
    validFrom: coupon.valid_from,
    validUntil: coupon.valid_until,
  };
}

/** Cents of an amount that the check has let pass. */
export function centsOf(amount: string): Cents {
  return checked(parseCents(amount), amount);
}

/** The record of an id that the check has let pass. */
export function found<Value>(records: ReadonlyMap<number, Value>, id: number): Value {
  return checked(records.get(id), id);
}

function checked<Value>(value: Value | undefined, source: string | number): Value {
  if (value === undefined) throw new Error(`an unchecked catalog: ${source}`);
  return value;
}
