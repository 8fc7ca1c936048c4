import { isDeepStrictEqual } from 'node:util';
import { isPatientErased, type Order } from './order.ts';
import type { Actor, OrderEvent } from './order-parts.ts';

/** The author and the time of a change of an order. */
export type Act = { readonly by: Actor; readonly now: Date };

type Happening = Pick<OrderEvent, 'what' | 'from' | 'to' | 'prescriptions'>;

// An event has some 40 bytes, and each KB of an order costs 2 write units whenever it changes.
const MOST_EVENTS = 50;

/**
 * Returns the history of an order with what made `after` of `before` (null: it is new). Of more than 50 events, the oldest
 * of the most frequent kind is left out: whoever repeats an action pushes out nothing but its repetitions.
 */
export function continueHistory(
  before: Order | null,
  after: Order,
  { by, now }: Act,
): Pick<Order, 'history' | 'historyOmitted'> {
  const news = describeChange(before, after).map(({ what, ...more }) => {
    return { what, at: now.toISOString(), version: after.version, by, ...more };
  });
  let history = [...(before?.history ?? []), ...news];
  const surplus = Math.max(0, history.length - MOST_EVENTS);
  for (let count = 0; count < surplus; count++) history = leaveOneOut(history);
  return { history, historyOmitted: (before?.historyOmitted ?? 0) + surplus };
}

function leaveOneOut(history: readonly OrderEvent[]): OrderEvent[] {
  const kinds = [...Map.groupBy(history, ({ what }) => what).values()];
  const [oldest] = kinds.reduce((most, kind) => (kind.length > most.length ? kind : most));
  return history.filter((event) => event !== oldest);
}

/** Throws an Error unless the history of `after` says what made it of `before`. */
export function checkHistory(before: Order | null, after: Order): void {
  const told = after.history.filter(({ version }) => version === after.version).map(({ what }) => what);
  const happened = describeChange(before, after).map(({ what }) => what);
  if (!isDeepStrictEqual(told, happened)) throw new Error('a change of an order is missing in its history');
}

/** Returns what made `after` of `before`: nothing if a job has only noted how far it is with the invoice and its mail. */
function describeChange(before: Order | null, after: Order): Happening[] {
  if (!before) return [{ what: 'created' }, ...describeInvoice(null, after)];
  const told = [
    ...describeOrderMove(before, after),
    ...describePaymentMove(before, after),
    ...describePrescriptions(before, after),
    ...describeInvoice(before, after),
  ];
  const isUntold = told.length === 0 && !isNoteOfJob(before, after);
  if (!isUntold && isDeepStrictEqual(before.lines, after.lines)) return told;
  // Nothing but erasure changes the rest of an order whose patient is erased.
  return [...told, { what: isPatientErased(after) ? 'erased' : 'changed' }];
}

const isNoteOfJob = (before: Order, after: Order): boolean =>
  !isDeepStrictEqual(before.invoice, after.invoice) && isDeepStrictEqual(omitWork(before), omitWork(after));

const omitWork = ({ invoice: _, version: __, updatedAt: ___, history: ____, historyOmitted: _____, ...rest }: Order) =>
  rest;

function describeOrderMove({ orderStatus: from }: Order, { orderStatus: to }: Order): Happening[] {
  return from === to ? [] : [{ what: to === 'cancelled' ? 'cancelled' : 'moved', from, to }];
}

function describePaymentMove({ paymentStatus: from }: Order, { paymentStatus: to }: Order): Happening[] {
  return from === to ? [] : [{ what: to === 'paid' ? 'paid' : 'payment_moved', from, to }];
}

function describePrescriptions(before: Order, after: Order): Happening[] {
  const known = new Map(before.prescriptions.map((prescription) => [prescription.id, prescription]));
  const attached = after.prescriptions.filter(({ id }) => !known.has(id));
  const verified = after.prescriptions.filter(({ id, verification }) => {
    return verification !== null && !isDeepStrictEqual(verification, known.get(id)?.verification);
  });
  return [
    ...listPrescriptions('prescription_attached', attached),
    ...listPrescriptions('prescription_verified', verified),
  ];
}

const listPrescriptions = (what: OrderEvent['what'], meant: Order['prescriptions']): Happening[] =>
  meant.length === 0 ? [] : [{ what, prescriptions: meant.map(({ id }) => id) }];

const MAIL_EVENTS = new Map<string | undefined, OrderEvent['what']>([
  ['sent', 'invoice_mailed'],
  ['unconfirmed', 'mail_unconfirmed'],
  ['given_up', 'mail_given_up'],
]);

function describeInvoice(before: Order | null, { invoice }: Order): Happening[] {
  if (!invoice) return [];
  const earlier = before?.invoice?.key === invoice.key ? before.invoice : null;
  const { status, mail, handled } = invoice;
  const mailed = mail && mail.status !== earlier?.mail?.status ? MAIL_EVENTS.get(mail.status) : undefined;
  return [
    ...(status === earlier?.status ? [] : [{ what: `invoice_${status}` } as const]),
    ...(handled.length > (earlier?.handled.length ?? 0) ? [{ what: 'invoice_handled' } as const] : []),
    ...(mailed ? [{ what: mailed }] : []),
  ];
}
