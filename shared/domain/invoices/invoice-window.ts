import type { RefusalCode } from '../../messages/refusals.ts';
import type { Cents } from '../money.ts';
import type { OrderStatus, PaymentStatus } from '../order.ts';
import { startOfNextMonth } from '../working-day.ts';
import { isInProgress } from './attempts.ts';
import type { GlobalPlace } from './global/standing.ts';
import type { TaxDocument } from './tax-document.ts';

/** The part of an order that says whether it can be invoiced. */
export type InvoiceableOrder = {
  readonly orderStatus: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly totalCents: Cents;
  readonly cfdi: string;
  readonly invoice: TaxDocument | null;
  /** The global invoice that it is in, which is its document then. */
  readonly global?: GlobalPlace | null;
  readonly createdAt: string;
};

/** Returns the reason why no invoice can be requested now (the interface's "Limits"), or null. */
export function invoiceRefusal(order: InvoiceableOrder, now: Date, timeZone: string): RefusalCode | null {
  return issueRefusal(order) ?? (isWithinWindow(order, now, timeZone) ? null : 'invoice_window_closed');
}

type IssueRefusal = Extract<
  RefusalCode,
  'order_cancelled' | 'order_invoiced' | 'invoice_in_progress' | 'nothing_to_invoice' | 'payment_rejected'
>;

/** Returns the reason why no invoice can be issued, also after the window, or null. */
export function issueRefusal(order: InvoiceableOrder): IssueRefusal | null {
  if (order.orderStatus === 'cancelled') return 'order_cancelled';
  if (order.cfdi !== '' || order.global) return 'order_invoiced';
  if (isInProgress(order.invoice)) return 'invoice_in_progress';
  if (order.totalCents === 0) return 'nothing_to_invoice';
  return order.paymentStatus === 'rejected' ? 'payment_rejected' : null;
}

/**
 * Returns the reason why a document of an order cannot be issued anew, or null. A replacement stands beside the invoice that
 * it replaces, which does not forbid it; only the order forbids an invoice.
 */
export function documentRefusal(
  { kind, relatedUuid }: Pick<TaxDocument, 'kind' | 'relatedUuid'>,
  order: InvoiceableOrder,
): IssueRefusal | null {
  if (kind !== 'invoice') return null;
  return issueRefusal(relatedUuid === null ? order : { ...order, cfdi: '', invoice: null });
}

/** The time after an order in which its invoice can be requested. */
export const INVOICE_WINDOW_MS = 72 * 60 * 60 * 1_000;

type Placed = { readonly createdAt: string };

/** True up to 72 hours after the order was placed, within the same local month (the interface's "Limits"). */
export const isWithinWindow = (order: Placed, now: Date, timeZone: string): boolean =>
  now <= getWindowEnd(order, timeZone);

/** Returns the last instant at which the invoice of an order can be requested. */
function getWindowEnd({ createdAt }: Placed, timeZone: string): Date {
  const placedAt = new Date(createdAt);
  const endOfMonth = startOfNextMonth(placedAt, timeZone).getTime() - 1;
  return new Date(Math.min(placedAt.getTime() + INVOICE_WINDOW_MS, endOfMonth));
}

/**
 * Returns the last instant at which a job may issue a document by itself; null if it goes on until it is issued. Only an
 * invoice that a client asked for has a window: payment complements, credit notes and replacements are owed.
 */
export const getIssueEnd = (
  { kind, relatedUuid }: Pick<TaxDocument, 'kind' | 'relatedUuid'>,
  order: Placed,
  timeZone: string,
): Date | null => (kind === 'invoice' && relatedUuid === null ? getWindowEnd(order, timeZone) : null);
