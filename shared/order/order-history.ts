import { isDeepStrictEqual } from 'node:util';
import { formatCents } from '../domain/money.ts';
import { listDocuments, type TaxDocument } from '../invoices/rules/tax-document.ts';
import { findShown } from '../payments/rules/order-payment.ts';
import {
  getMismatchCents,
  isNotMadeHandled,
  listPaymentExceptions,
  type PaymentList,
} from '../payments/rules/payment-exceptions.ts';
import { isPatientErased, type Order } from './order.ts';
import { type Actor, DOCUMENT_EVENT_NAMES, type OrderEvent } from './order-parts.ts';
import { isFurther, sumGivenBack } from './rules/status.ts';

/** The author and the time of a change of an order. */
export type Act = { readonly by: Actor; readonly now: Date };

type Happening = Pick<OrderEvent, 'what' | 'from' | 'to' | 'prescriptions' | 'reason'>;

// An event has some 40 bytes, and each KB of an order costs 2 write units whenever it changes.
const MOST_EVENTS = 50;

/**
 * Returns the history of `after` with what made it of `before` (null: it is new); erasing has taken from it what may name
 * the patient. Of more than 50 events, the oldest of the most frequent kind is left out: whoever repeats an action pushes
 * out nothing but its repetitions. The first approval is never left out.
 */
export function continueHistory(
  before: Order | null,
  after: Order,
  { by, now }: Act,
): Pick<Order, 'history' | 'historyOmitted'> {
  const news = describeVersion(before, after).map(({ what, ...more }) => {
    return { what, at: now.toISOString(), version: after.version, by, ...more };
  });
  let history = [...after.history, ...news];
  const surplus = Math.max(0, history.length - MOST_EVENTS);
  for (let count = 0; count < surplus; count++) history = leaveOneOut(history);
  return { history, historyOmitted: after.historyOmitted + surplus };
}

function leaveOneOut(history: readonly OrderEvent[]): OrderEvent[] {
  const { waited, approved } = findApproval(history);
  const others = history.filter((event) => event !== waited && event !== approved);
  const kinds = [...Map.groupBy(others, ({ what }) => what).values()];
  const [oldest] = kinds.reduce((most, kind) => (kind.length > most.length ? kind : most));
  return history.filter((event) => event !== oldest);
}

/** Returns the events with which an order first stopped waiting for approval, and was first approved since. */
function findApproval(history: readonly OrderEvent[]) {
  const waited = history.find(({ from }) => from === 'pending_approval');
  const approved = waited && history.slice(history.indexOf(waited)).find(({ to }) => to === 'approved');
  return { waited, approved };
}

/** Returns the time at which an order was first approved; null before, and if it never waited for approval. */
export const findFirstApproval = ({ history }: Pick<Order, 'history'>): string | null =>
  findApproval(history).approved?.at ?? null;

/** Throws an Error unless the history of `after` says what made it of `before`. */
export function checkHistory(before: Order | null, after: Order): void {
  const told = after.history.filter(({ version }) => version === after.version).map(({ what }) => what);
  const happened = describeVersion(before, after).map(({ what }) => what);
  if (!isDeepStrictEqual(told, happened)) throw new Error('a change of an order is missing in its history');
}

/** Returns what made `after` of `before`: nothing if a job has only noted how far it is with the invoice and its mail. */
function describeVersion(before: Order | null, after: Order): Happening[] {
  if (!before) return [{ what: 'created' }, ...describeDocuments(null, after)];
  const told = [
    ...describeOrderMove(before, after),
    ...describePaymentMove(before, after),
    ...describePayment(before, after),
    ...describeRefund(before, after),
    ...describePrescriptions(before, after),
    ...describeDocuments(before, after),
    ...describeGlobalMove(before, after),
  ];
  const isUntold = told.length === 0 && !isNoteOfJob(before, after);
  if (!isUntold && isDeepStrictEqual(before.lines, after.lines)) return told;
  // Nothing but erasure changes the rest of an order whose patient is erased.
  return [...told, { what: isPatientErased(after) ? 'erased' : 'changed' }];
}

const isNoteOfJob = (before: Order, after: Order): boolean =>
  !isDeepStrictEqual(listWork(before), listWork(after)) && isDeepStrictEqual(omitWork(before), omitWork(after));

const listWork = (order: Order) => [listDocuments(order), order.payment, order.refunds];

function omitWork(order: Order) {
  const {
    invoice: _,
    documents: __,
    payment: _payment,
    refunds: _refunds,
    version: ___,
    updatedAt: ____,
    history: _____,
    historyOmitted: ______,
    ...rest
  } = order;
  return rest;
}

function describeOrderMove({ orderStatus: from }: Order, after: Order): Happening[] {
  const { orderStatus: to } = after;
  if (from === to) return [];
  const reason =
    (isFurther(to) ? after.refundedReason : undefined) ?? (to === 'in_process' ? after.unpaidReason : undefined);
  return [{ what: to === 'cancelled' ? 'cancelled' : 'moved', from, to, ...(reason !== undefined && { reason }) }];
}

function describePaymentMove(
  { paymentStatus: from }: Order,
  { paymentStatus: to, rejectionReason }: Order,
): Happening[] {
  if (from === to) return [];
  const why = to === 'rejected' && rejectionReason !== null ? { reason: rejectionReason } : {};
  return [{ what: PAYMENT_MOVES[to] ?? 'payment_moved', from, to, ...why }];
}

const PAYMENT_MOVES: Readonly<Partial<Record<Order['paymentStatus'], OrderEvent['what']>>> = {
  paid: 'paid',
  rejected: 'payment_rejected',
};

/** Tells the reference that came, money beside the total, disputes, what was not made, and what an operator has seen to. */
function describePayment(before: Order, after: Order): Happening[] {
  const [reference, mismatchCents] = [findShown(after), getMismatchCents(after)];
  const [known, lists] = [listPaymentExceptions(before), listPaymentExceptions(after)];
  const isNew = (list: PaymentList) => lists.includes(list) && !known.includes(list);
  const isMismatched = lists.includes('mismatch') && mismatchCents !== getMismatchCents(before);
  const isOver = known.some((list) => !lists.includes(list));
  const isHandled = isOver && !isDeepStrictEqual(listHandled(before), listHandled(after));
  return [
    ...(reference && findShown(before)?.number !== reference.number ? [{ what: 'payment_requested' } as const] : []),
    ...(isMismatched ? [{ what: 'payment_mismatched', reason: formatCents(mismatchCents) } as const] : []),
    ...(isNew('disputed') ? [{ what: 'payment_disputed' } as const] : []),
    ...(isNew('not_made') ? [{ what: 'payment_not_made' } as const] : []),
    ...(isNew('refund_failed') ? [{ what: 'refund_failed' } as const] : []),
    ...(isHandled ? [{ what: 'payment_handled' } as const] : []),
  ];
}

const listHandled = (order: Order) => [
  order.payment?.handledCents,
  ...(order.payment?.attempts ?? []).filter(({ dispute }) => dispute?.isHandled).map(({ number }) => number),
  ...(order.refunds ?? []).filter(({ provided }) => provided?.isHandled).map(({ provided }) => provided?.number),
  isNotMadeHandled(order),
];

function describeRefund(before: Order, after: Order): Happening[] {
  const [from, to] = [sumGivenBack(before), sumGivenBack(after)];
  const { reason } = after.refunds?.[before.refunds?.length ?? 0] ?? {};
  const why = reason === undefined ? {} : { reason };
  // A refund that failed is told as such.
  return to <= from ? [] : [{ what: 'refunded', from: formatCents(from), to: formatCents(to), ...why }];
}

function describePrescriptions(before: Order, after: Order): Happening[] {
  const known = new Map(before.prescriptions.map((prescription) => [prescription.id, prescription]));
  const changed = (field: 'verification' | 'rejection' | 'prescriber') =>
    after.prescriptions.filter(({ id, [field]: value }) => {
      return value !== null && !isDeepStrictEqual(value, known.get(id)?.[field]);
    });
  const verified = changed('verification');
  return [
    ...listPrescriptions(
      'prescription_attached',
      after.prescriptions.filter(({ id }) => !known.has(id)),
    ),
    ...listPrescriptions('prescription_verified', verified),
    ...listPrescriptions(
      'prescription_age_accepted',
      verified.filter(({ verification }) => verification?.isAgeAccepted),
    ),
    ...listPrescriptions(
      'prescriber_recorded',
      changed('prescriber').filter((prescription) => !verified.includes(prescription)),
    ),
    ...changed('rejection').map(({ id, rejection }): Happening => {
      return { what: 'prescription_rejected', prescriptions: [id], reason: rejection?.reason ?? '' };
    }),
  ];
}

const listPrescriptions = (what: OrderEvent['what'], meant: Order['prescriptions']): Happening[] =>
  meant.length === 0 ? [] : [{ what, prescriptions: meant.map(({ id }) => id) }];

// No order leaves a global invoice.
const describeGlobalMove = (before: Order, after: Order): Happening[] =>
  !before.global && after.global ? [{ what: 'invoiced_globally' }] : [];

const MAIL_EVENTS = new Map<string | undefined, OrderEvent['what']>([
  ['sent', 'invoice_mailed'],
  ['unconfirmed', 'mail_unconfirmed'],
  ['given_up', 'mail_given_up'],
]);

function describeDocuments(before: Order | null, after: Order): Happening[] {
  const earlier = new Map((before ? listDocuments(before) : []).map((document) => [document.key, document]));
  return listDocuments(after).flatMap((document) => describeDocument(earlier.get(document.key), document));
}

function describeDocument(earlier: TaxDocument | undefined, document: TaxDocument): Happening[] {
  const { kind, status, mail, handled } = document;
  // A job issues it at once, for the first time.
  const isNewlyOwed = earlier === undefined && status === 'retrying';
  const mailed = mail && mail !== earlier?.mail ? MAIL_EVENTS.get(mail) : undefined;
  return [
    ...(status === earlier?.status || isRepetition(document)
      ? []
      : [{ what: `${DOCUMENT_EVENT_NAMES[kind]}_${isNewlyOwed ? 'requested' : status}` } as const]),
    ...(handled.length > (earlier?.handled.length ?? 0) ? [{ what: 'invoice_handled' } as const] : []),
    ...(mailed ? [{ what: mailed }] : []),
  ];
}

/** True if a job has only made an attempt anew that had failed before: a provider that is down for a day is one event. */
const isRepetition = ({ status, retries = 0 }: TaxDocument): boolean =>
  retries > 0 && (status === 'requested' || status === 'retrying');
