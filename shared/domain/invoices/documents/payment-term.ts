import type { PaymentStatus } from '../../order.ts';
import { startOfNextMonth } from '../../working-day.ts';
import type { TaxDocument } from '../tax-document.ts';

type Issuing = { readonly paymentStatus: PaymentStatus; readonly now: Date; readonly timeZone: string };

/**
 * Adds the end of the local month to an invoice that says that it is paid at once (PUE) and is not paid yet, as it has to be
 * paid by then (RMF 2.7.1.39, fractions I and III).
 */
export function addPaymentTerm(invoice: TaxDocument, { paymentStatus, now, timeZone }: Issuing): TaxDocument {
  const isOpen = invoice.kind === 'invoice' && invoice.paymentMethod === 'PUE' && paymentStatus !== 'paid';
  if (!isOpen) return invoice;
  const issuedAt = invoice.stamp ? new Date(invoice.stamp.at) : now;
  return { ...invoice, payBy: startOfNextMonth(issuedAt, timeZone).toISOString() };
}

/** The part of an order that says whether its invoice was paid in time. */
export type PaidOrder = { readonly paymentStatus: PaymentStatus; readonly paymentDate: string | null };

/** True if a valid invoice has still to be paid within its month. */
export const isAwaitingPayment = ({ status, payBy, isOverdue }: TaxDocument, { paymentStatus }: PaidOrder): boolean =>
  status === 'issued' && payBy !== undefined && !isOverdue && paymentStatus !== 'paid' && paymentStatus !== 'credit';

/**
 * True if a valid invoice says that it is paid at once (PUE) and its order went to credit, or was not paid within the month:
 * it has to be cancelled and replaced by one with PPD and form 99 (RMF 2.7.1.39, last paragraphs). So paying later changes
 * nothing; paying an order on credit within the month does.
 */
export function isUnpaidInMonth({ status, payBy, isOverdue }: TaxDocument, order: PaidOrder): boolean {
  if (status !== 'issued' || payBy === undefined) return false;
  const isPaidLate = order.paymentStatus === 'paid' && order.paymentDate !== null && order.paymentDate >= payBy;
  return isOverdue === true || isPaidLate || order.paymentStatus === 'credit';
}
