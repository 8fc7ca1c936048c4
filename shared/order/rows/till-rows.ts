import * as z from 'zod';
import { getRefundableCents } from '../../payments/rules/payment-exceptions.ts';
import { tillKey, tillPartition } from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import type { Table, Write } from '../../store/table.ts';
import type { Order } from '../order.ts';
import type { Act } from '../order-events.ts';
import { type Refund, sumGivenBack } from '../rules/status.ts';

/** Who is named where the payment provider collected or refunded. */
const PROVIDER = 'provider';

const storedTillRow = z.object({
  orderId: z.number(),
  /** SAT's c_FormaPago. */
  form: z.string(),
  /** The operator who recorded it, or `provider`. */
  by: z.string(),
  /** The store at which the order is collected. */
  store: z.object({ id: z.number(), name: z.string() }).nullable(),
  paidCents: z.number(),
  /** Negative if a refund failed after all. */
  refundedCents: z.number(),
});
/** Money of an order that came or went back; it stays when the patient is erased, as it has nothing of theirs. */
export type TillRow = Readonly<z.infer<typeof storedTillRow>>;

type Movement = Pick<TillRow, 'form' | 'by' | 'paidCents' | 'refundedCents'> & { readonly at: string };

/** Returns the writes of what a change of an order paid or refunded. */
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
  const values = { ':from': from.toISOString(), ':until': until.toISOString() };
  const rows: TillRow[] = [];
  for (let ms = from.getTime(); ms - (ms % DAY_MS) < until.getTime(); ms += DAY_MS) {
    const day = new Date(ms).toISOString().slice(0, 'yyyy-mm-dd'.length);
    // BETWEEN includes its upper bound, but no key is an instant without an order.
    const items = await table.all({ pk: tillPartition(day), where: 'sk BETWEEN :from AND :until', values });
    rows.push(...items.map((item) => parseItem(storedTillRow, item, 'row of the till')));
  }
  return rows;
}
