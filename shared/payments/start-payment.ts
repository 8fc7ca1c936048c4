import { type Cents, formatCents } from '../domain/money.ts';
import { unavailable, type ValidationError } from '../domain/refusal.ts';
import type { Order } from '../order/order.ts';
import type { Collecting } from '../runtime/config.ts';
import { type OrderPayment, startAttempt } from './rules/order-payment.ts';
import { COLLECTABLE, isCollectable } from './rules/payment.ts';

type Starting = {
  /** The id of the reference that the attempt brings. */
  readonly referenceId: number;
  readonly collecting: Collecting | null;
  readonly now: Date;
};

type Startable = Pick<Order, 'paymentMethod' | 'paymentStatus' | 'totalCents' | 'payment'>;

/**
 * Returns the payment of an order with its next attempt, to be stored before the provider is asked; nothing if it is not
 * collected, or has nothing to be paid. Throws Refusal `unavailable` if there is no provider any more.
 */
export function startPaymentAttempt(
  { paymentMethod: { collection }, paymentStatus, totalCents: amountCents, payment }: Startable,
  { referenceId, collecting, now }: Starting,
): { readonly payment?: OrderPayment } {
  if (!collection || paymentStatus !== 'unpaid' || amountCents === 0) return {};
  if (!collecting) throw unavailable();
  const termHours = collecting.termHours[collection];
  const returnUrl = collection === 'card' ? collecting.returnUrl : null;
  return { payment: startAttempt(payment, { referenceId, amountCents, now, termHours, returnUrl }) };
}

/** Returns the error of a total that cannot be collected in this way; nothing has to be of one of 0. */
export function collectionErrors(
  { collection, id: method }: Pick<Order['paymentMethod'], 'collection' | 'id'>,
  totalCents: Cents,
  path: ValidationError['path'],
): ValidationError[] {
  if (!collection || totalCents === 0 || isCollectable(collection, totalCents)) return [];
  const { leastCents, mostCents } = COLLECTABLE[collection];
  const values = { method, least: formatCents(leastCents), most: formatCents(mostCents) };
  return [{ path, code: 'total_not_collectable', values }];
}
