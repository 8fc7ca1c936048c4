import type { Cents } from '../money.ts';
import type { PaymentStatus } from '../order.ts';
import { localDate } from '../working-day.ts';
import { chooseInvoicePayment, FORM_TO_BE_DEFINED } from './content/invoice.ts';
import type { OrderDocuments } from './order-documents.ts';
import { type StampedInvoice, startOwed } from './owed-documents.ts';
import type { TaxDocument } from './tax-document.ts';

type ReplacedOrder = {
  readonly totalCents: Cents;
  readonly paymentStatus: PaymentStatus;
  readonly paymentMethod: { readonly sat_payment_form: string };
  readonly paymentForm: string | null;
};

type Replacing = { readonly key: string; readonly now: Date; readonly timeZone: string };

/** Returns the invoice that replaces one (relation 04), with today's payment, for a job to issue at once. */
export const startReplacement = (
  replaced: StampedInvoice,
  order: ReplacedOrder,
  { key, now, timeZone }: Replacing,
): TaxDocument => {
  const payment = isUnpaidPastMonth(replaced, order, { now, timeZone }) ? PAID_LATER : chooseInvoicePayment(order);
  const invoice = { kind: 'invoice', key, amountCents: order.totalCents, ...payment } as const;
  return startOwed({ ...invoice, relatedUuid: replaced.stamp.uuid }, now);
};

const PAID_LATER = { paymentMethod: 'PPD', paymentForm: FORM_TO_BE_DEFINED } as const;

const MONTH = 'YYYY-MM'.length;

/** An invoice that was not paid in its month is replaced by one that is paid later (RMF 2.7.1.39, last paragraph). */
function isUnpaidPastMonth({ stamp }: StampedInvoice, { paymentStatus }: ReplacedOrder, when: Omit<Replacing, 'key'>) {
  const getMonth = (instant: Date) => localDate(instant, when.timeZone).slice(0, MONTH);
  return paymentStatus !== 'paid' && getMonth(new Date(stamp.at)) !== getMonth(when.now);
}

/** Returns the invoice of an order that is on its way to replace the present one. */
export const findReplacement = ({ documents }: OrderDocuments): TaxDocument | undefined =>
  documents.find(({ kind, status }) => kind === 'invoice' && (status === 'requested' || status === 'retrying'));

/**
 * Puts a replacement that was issued in the place of the invoice, which is cancelled because of it (motive 01): in one
 * change, so that an order always has one valid invoice, and never keeps two. Any other document changes nothing.
 */
export function promoteReplacement<Order extends OrderDocuments>(order: Order, key: string, now: Date): Order {
  const next = order.documents.find((document) => document.key === key && document.kind === 'invoice');
  if (!next?.stamp || !order.invoice) return order;
  const replaced = cancelReplaced(order.invoice, next, now);
  const documents = order.documents.map((document) => (document === next ? replaced : document));
  return { ...order, invoice: next, documents };
}

const CANCELLABLE_STATUSES: readonly TaxDocument['status'][] = ['issued', 'cancelling', 'cancellation_rejected'];

// A substitute that is cancelled itself, as its order was meanwhile, is none: the motive of the sale stays.
function cancelReplaced(replaced: TaxDocument, { status, stamp }: TaxDocument, now: Date): TaxDocument {
  if (status !== 'issued' || !stamp || !CANCELLABLE_STATUSES.includes(replaced.status)) return replaced;
  const cancellation = { motive: '01', substitution: stamp.uuid } as const;
  return { ...replaced, status: 'cancelling', cancellation, checks: 0, dueAt: now.toISOString() };
}

/** Returns the invoice that was replaced and is not cancelled yet; another replacement would leave it without a valid substitute. */
export const findReplaced = ({ documents }: Pick<OrderDocuments, 'documents'>): TaxDocument | undefined =>
  documents.find(({ kind, stamp, status }) => kind === 'invoice' && stamp !== null && status !== 'cancelled');
