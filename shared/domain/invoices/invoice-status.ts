import type { PaymentStatus } from '../order.ts';
import { INVOICE_ACTIONS, type InvoiceAction, type OrderInvoice } from './order-invoice.ts';

/** The statuses by which invoices are listed: the first open action of an operator, or else the status of the invoice. */
export const INVOICE_LIST_STATUSES = [
  'requested',
  'not_issued',
  'issued',
  'mail_due',
  'cancelling',
  'cancellation_pending',
  'cancelled',
  ...INVOICE_ACTIONS,
] as const;
export type InvoiceListStatus = (typeof INVOICE_LIST_STATUSES)[number];

/** Returns the status under which an invoice is listed. */
export function getListStatus(invoice: OrderInvoice, paymentStatus: PaymentStatus): InvoiceListStatus {
  const { status, mail } = invoice;
  if (status !== 'issued' && status !== 'cancellation_rejected') return status;
  if (status === 'issued' && (mail?.status === 'due' || mail?.status === 'sending')) return 'mail_due';
  return getOpenActions(invoice, paymentStatus)[0] ?? 'issued';
}

/** Returns the actions on a valid invoice that an operator has yet to take. */
export function getOpenActions(invoice: OrderInvoice, paymentStatus: PaymentStatus): InvoiceAction[] {
  const { status, mail, paymentMethod, handled } = invoice;
  if (status !== 'issued' && status !== 'cancellation_rejected') return [];
  const isOpen: Readonly<Record<InvoiceAction, boolean>> = {
    cancellation_rejected: status === 'cancellation_rejected',
    complement_due: paymentMethod === 'PPD' && paymentStatus === 'paid',
    mail_unconfirmed: mail?.status === 'unconfirmed',
    mail_given_up: mail?.status === 'given_up',
  };
  return INVOICE_ACTIONS.filter((action) => isOpen[action] && !handled.includes(action));
}

/** Marks actions as handled by an operator. */
export const markHandled = (invoice: OrderInvoice, actions: readonly InvoiceAction[]): OrderInvoice => ({
  ...invoice,
  handled: [...invoice.handled, ...actions],
});
