import { type Cents, formatCents } from '../domain/money.ts';
import { unavailable, type ValidationError } from '../domain/refusal.ts';
import type { Order } from '../order/order.ts';
import type { Collecting } from '../runtime/config.ts';
import { type OrderPayment, startAttempt } from './rules/order-payment.ts';
import { COLLECTABLE, isCollectable } from './rules/payment.ts';

type Starting = {
  readonly referenceId: number;
  readonly collecting: Collecting | null;
  readonly now: Date;
};

type Startable = Pick<Order, 'paymentMethod' | 'paymentStatus' | 'totalCents' | 'payment'>;

/** Returns the next attempt, if any, to be stored before it is requested. Throws Refusal `unavailable` without a provider. */
export function startPaymentAttempt(
  { paymentMethod: { collection }, paymentStatus, totalCents: amountCents, payment }: Startable,
  { referenceId, collecting, now }: Starting,
): { readonly payment?: OrderPayment } {
  if (!collection || paymentStatus !== 'unpaid' || amountCents === 0) return {};
  if (!collecting) throw unavailable();
  const termHours = collecting.termHours[collection];
  const returnUrl = collection === 'card' ? collecting.returnUrl : null;
  return { payment: startAttempt(payment, { referenceId, collection, amountCents, now, termHours, returnUrl }) };
}

/** Returns the error of a total that cannot be collected this way; a total of 0 needs no payment. */
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
