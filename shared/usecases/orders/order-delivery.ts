import type { CreateOrderRequest } from '../../api/orders/orders.ts';
import type { ValidationError } from '../../domain/refusal.ts';
import { type Delivery, planDelivery } from '../quotes/delivery.ts';
import type { Hold } from '../quotes/hold.ts';
import { compareToHold, findHeldDelivery, holdError } from './held-terms.ts';
import type { Checked, OrderContext, OrderTerms } from './order-terms.ts';

type NewOrder = CreateOrderRequest['order'];

/** Checks the destination and the shipping method of an order; without a destination there is no delivery yet. */
export function checkDelivery(order: NewOrder, { catalog, now }: OrderContext): Checked<Delivery> {
  const { shipping, store, shipping_method: shippingMethod } = order;
  if (!shipping && store === undefined) return { value: undefined, errors: [] };
  const { delivery, errors } = planDelivery({ zipcode: shipping?.zipcode, store, shippingMethod }, catalog, now);
  return { value: delivery, errors: [...errors.map(inOrder), ...deliveryErrors(delivery)] };
}

/** Returns the problems of a delivery, which a quote shows, as validation errors. */
function deliveryErrors({ problems }: Delivery): ValidationError[] {
  const { zipcode, shipping_method: method } = problems;
  return [
    ...(zipcode ? [{ path: ['order', 'shipping', 'zipcode'], ...zipcode }] : []),
    ...(method ? [{ path: ['order', 'shipping_method'], ...method }] : []),
  ];
}

const inOrder = (error: ValidationError): ValidationError => ({ ...error, path: ['order', ...error.path] });

/** Checks an order against its hold, whatever the rates of today are. */
export function checkHeldDelivery(order: NewOrder, hold: Hold, { catalog, now }: OrderContext): Checked<Delivery> {
  const { errors } = planDelivery({ zipcode: order.shipping?.zipcode, store: order.store }, catalog, now);
  const differences = compareToHold(order, hold);
  const value = findHeldDelivery(hold, catalog);
  if (!value)
    return { value, errors: [...errors.map(inOrder), ...differences, holdError({ code: 'hold_not_delivered' })] };
  return { value, errors: [...errors.map(inOrder), ...differences] };
}

/** Returns the terms of a valid hold. Without a destination in the order it goes to the default address, if that is held. */
export function toHeldTerms(order: NewOrder, hold: Hold, delivery: Delivery): Pick<OrderTerms, 'delivery' | 'held'> {
  const isToDefault = !order.shipping && order.store === undefined && typeof hold.destination === 'string';
  return { delivery: isToDefault ? null : delivery, held: { hold, delivery } };
}
