import * as z from 'zod';
import { isAttemptOver } from '../../payments/rules/order-payment.ts';
import { COLLECTIONS } from '../../payments/rules/payment.ts';
import {
  getMismatchCents,
  getRefundableCents,
  listPaymentExceptions,
  type PaymentList,
} from '../../payments/rules/payment-exceptions.ts';
import {
  creationKey,
  type Key,
  parseCreationKey,
  paymentsPartition,
  tillKey,
  tillPartition,
  WATCHED_PAYMENTS,
} from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import { between, type Item, type Table, type Write } from '../../store/table.ts';
import type { Order } from '../order.ts';
import type { Act } from '../order-events.ts';
import { type Refund, sumGivenBack } from '../rules/status.ts';

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

const PROVIDER = 'provider';

const storedTillRow = z.object({
  orderId: z.number(),
  /** SAT's c_FormaPago. */
  form: z.string(),
  /** The operator who recorded it, or `provider`. */
  by: z.string(),
  store: z.object({ id: z.number(), name: z.string() }).nullable(),
  paidCents: z.number(),
  /** Negative if a refund failed after all. */
  refundedCents: z.number(),
});
/** Money of an order that came or went back; it stays when the patient is erased, as it has nothing of theirs. */
export type TillRow = Readonly<z.infer<typeof storedTillRow>>;

type Movement = Pick<TillRow, 'form' | 'by' | 'paidCents' | 'refundedCents'> & { readonly at: string };

export const tillWrites = (before: Order, after: Order, act: Act): Write[] =>
  [...listPayment(before, after, act), ...listRefunds(before, after, act)].map(({ at, ...movement }, place) => {
    const { id: orderId, version, store } = after;
    const row: TillRow = { orderId, ...movement, store: store && { id: store.id, name: store.name } };
    return { Put: { Item: toItem(tillKey(at, { orderId, version, place }), row) } };
  });

function listPayment(before: Order, after: Order, act: Act): Movement[] {
  const { paymentStatus, paymentDate, paymentForm, paymentMethod, payment } = after;
  const paidCents = getRefundableCents(after);
  if (before.paymentStatus === 'paid' || paymentStatus !== 'paid' || paidCents === 0) return [];
  const form = paymentForm ?? paymentMethod.sat_payment_form;
  const by = nameActor(act, typeof payment?.paidBy === 'number');
  return [{ at: paymentDate ?? act.now.toISOString(), form, by, paidCents, refundedCents: 0 }];
}

const listRefunds = (before: Order, after: Order, act: Act): Movement[] =>
  (after.refunds ?? []).flatMap((refund, index) => {
    const refundedCents = givenCents(refund) - givenCents(before.refunds?.[index]);
    const by = nameActor(act, refund.provided !== undefined);
    const movement = { at: act.now.toISOString(), form: refund.form, by, paidCents: 0, refundedCents };
    return refundedCents === 0 ? [] : [movement];
  });

const givenCents = (refund: Refund | undefined) => (refund ? sumGivenBack({ refunds: [refund] }) : 0);

const nameActor = ({ by }: Act, isProvided: boolean): string =>
  !isProvided && typeof by === 'object' && 'operator' in by ? by.operator : PROVIDER;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Returns what was paid and refunded from `from` until before `until`; a query for each day of UTC. */
export async function tillRows(table: Table, { from, until }: { from: Date; until: Date }): Promise<TillRow[]> {
  const rows: TillRow[] = [];
  for (let ms = from.getTime(); ms - (ms % DAY_MS) < until.getTime(); ms += DAY_MS) {
    const day = new Date(ms).toISOString().slice(0, 'yyyy-mm-dd'.length);
    const items = await table.all({ pk: tillPartition(day), ...between(from.toISOString(), until.toISOString()) });
    rows.push(...items.map((item) => parseItem(storedTillRow, item, 'row of the till')));
  }
  return rows;
}
