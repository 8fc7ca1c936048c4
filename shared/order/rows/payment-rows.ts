import * as z from 'zod';
import { isAttemptOver } from '../../payments/rules/order-payment.ts';
import { COLLECTIONS } from '../../payments/rules/payment.ts';
import { getMismatchCents, listPaymentExceptions, type PaymentList } from '../../payments/rules/payment-exceptions.ts';
import { creationKey, type Key, parseCreationKey, paymentsPartition, WATCHED_PAYMENTS } from '../../store/keys.ts';
import { parseItem } from '../../store/parse-item.ts';
import type { Item, Table } from '../../store/table.ts';
import type { Order } from '../order.ts';

const storedWatch = z.object({
  clientId: z.number(),
  orderId: z.number(),
  collection: z.enum(COLLECTIONS),
  /** Present once its attempts are over: only money to the CLABE may still come, or a refund is pending. */
  isIdle: z.literal(true).exactOptional(),
});
/** An order whose payments a job watches; `askedAt` is the time of the last attempt. */
export type WatchedPayment = Readonly<z.infer<typeof storedWatch>> & { readonly askedAt: string };

/** Nothing in the row changes before the attempt ends, so that storing a reference writes the order alone. */
export function toWatchRow(order: Order): Item[] {
  const { id: orderId, clientId, payment } = order;
  const last = payment?.attempts.at(-1);
  if (!payment || !last) return [];
  const { collection } = last;
  const statuses = (order.refunds ?? []).map(({ provided }) => provided?.status);
  const isOpen = payment.attempts.some((attempt) => !isAttemptOver(attempt)) || statuses.includes('requested');
  if (!isOpen && !payment.isAccountWatched && !statuses.includes('pending')) return [];
  const key = { pk: WATCHED_PAYMENTS, sk: creationKey(last.createdAt, orderId) };
  return [{ ...key, clientId, orderId, collection, ...(!isOpen && { isIdle: true }) }];
}

/** Yields the watched orders by the time of their last attempt, newest first; about 6,000 a query. */
export async function* watchedPayments(table: Table): AsyncGenerator<WatchedPayment[]> {
  for await (const page of table.pages({ pk: WATCHED_PAYMENTS, isDescending: true })) yield page.map(parseWatch);
}

const parseWatch = (item: Item): WatchedPayment => ({
  ...parseItem(storedWatch, item, 'row of a watched payment'),
  askedAt: parseCreationKey(String(item.sk)).createdAt,
});

const storedException = z.object({
  clientId: z.number(),
  orderId: z.number(),
  totalCents: z.number(),
  cents: z.number(),
});
/** An order whose payment waits for an operator; `cents` is the unhandled money that does not match its total. */
export type PaymentException = Readonly<z.infer<typeof storedException>>;

export const toExceptionRows = (order: Order): (Key & PaymentException)[] =>
  listPaymentExceptions(order).map((list) => ({
    pk: paymentsPartition(list),
    sk: creationKey(order.createdAt, order.id),
    clientId: order.clientId,
    orderId: order.id,
    totalCents: order.totalCents,
    cents: getMismatchCents(order) - (order.payment?.handledCents ?? 0),
  }));

export async function paymentExceptions(table: Table, list: PaymentList, limit: number): Promise<PaymentException[]> {
  const items = await table.first({ pk: paymentsPartition(list) }, limit);
  return items.map((item) => parseItem(storedException, item, 'row of a payment exception'));
}
