import type { Catalog, CatalogStore } from '../catalog/catalog.ts';
import type { ValidationError } from '../domain/refusal.ts';
import { defaultShippingOption, pickupOption, type ShippingOption, shippingOptions } from '../domain/shipping.ts';
import type { Message } from '../messages/messages.ts';

export type DeliveryRequest = {
  readonly zipcode?: string | undefined;
  readonly store?: number | null | undefined;
  readonly shippingMethod?: number | undefined;
};

export type Delivery = {
  readonly options: readonly ShippingOption[];
  readonly selected: ShippingOption | null;
  readonly store: CatalogStore | null;
  /** The zip code of the destination or the store; null while unknown. */
  readonly zipcode: string | null;
  /** The problems of the requested delivery by field: a quote shows them, an order is refused. */
  readonly problems: { readonly zipcode?: Message; readonly shipping_method?: Message };
};

const NO_DELIVERY: Delivery = { options: [], selected: null, store: null, zipcode: null, problems: {} };

export function planDelivery(
  request: DeliveryRequest,
  catalog: Catalog,
  now: Date,
): { delivery: Delivery; errors: ValidationError[] } {
  const { zipcode, store: storeId } = request;
  const hasStore = storeId !== undefined && storeId !== null;
  const store = hasStore ? catalog.store(storeId) : undefined;
  const errors: ValidationError[] = [];
  if (hasStore && zipcode !== undefined) errors.push({ path: ['non_field_errors'], code: 'zipcode_or_store' });
  if (hasStore && !store) errors.push({ path: ['store'], code: 'store_unknown', values: { store: storeId } });
  if (errors.length > 0) return { delivery: NO_DELIVERY, errors };
  return { delivery: store ? pickup(request, store, catalog) : shipment(request, catalog, now), errors };
}

function pickup({ shippingMethod }: DeliveryRequest, store: CatalogStore, catalog: Catalog): Delivery {
  return { ...choice([pickupOption(catalog.pickupMethod)], shippingMethod), store, zipcode: store.zipcode };
}

function shipment({ zipcode, shippingMethod }: DeliveryRequest, catalog: Catalog, now: Date): Delivery {
  if (zipcode === undefined) return { ...NO_DELIVERY, problems: undeliverable(shippingMethod) };
  const rates = catalog.shippingRates(zipcode);
  const options = shippingOptions({ zipcode, rates, methods: catalog.deliveryMethods, now });
  if (options.length > 0) return { ...choice(options, shippingMethod), store: null, zipcode };
  return { ...NO_DELIVERY, zipcode, problems: { zipcode: { code: 'zipcode_not_served', values: { zipcode } } } };
}

function undeliverable(shippingMethod: number | undefined): Delivery['problems'] {
  if (shippingMethod === undefined) return {};
  return { shipping_method: { code: 'shipping_method_without_zipcode', values: { method: shippingMethod } } };
}

function choice(
  options: ShippingOption[],
  shippingMethod: number | undefined,
): Pick<Delivery, 'options' | 'selected' | 'problems'> {
  const selected = options.find(({ id }) => id === shippingMethod);
  if (selected || shippingMethod === undefined) {
    return { options, selected: selected ?? defaultShippingOption(options), problems: {} };
  }
  const problem = { code: 'shipping_method_not_offered', values: { method: shippingMethod } } as const;
  return { options, selected: defaultShippingOption(options), problems: { shipping_method: problem } };
}
