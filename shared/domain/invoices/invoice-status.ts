import type { PaymentStatus } from '../order.ts';
import type { OrderInvoice } from './order-invoice.ts';

/**
 * What waits for a person. `complement_due`: invoiced as paid later (PPD) and paid since, so that SAT wants a payment
 * complement; `cancellation_rejected`: the order is cancelled and the invoice stands.
 */
const INVOICE_MATTERS = ['cancellation_rejected', 'complement_due', 'mail_unconfirmed', 'mail_given_up'] as const;
export type InvoiceMatter = (typeof INVOICE_MATTERS)[number];

/** What operators and jobs find an invoice by: the first matter that waits for a person, or else its status. */
export const INVOICE_STANDINGS = [
  'requested',
  'not_issued',
  'issued',
  'mail_due',
  'cancelling',
  'cancellation_pending',
  'cancelled',
  ...INVOICE_MATTERS,
] as const;
export type InvoiceStanding = (typeof INVOICE_STANDINGS)[number];

export function standingOf(invoice: OrderInvoice, paymentStatus: PaymentStatus): InvoiceStanding {
  const { status, mail } = invoice;
  if (status !== 'issued' && status !== 'cancellation_rejected') return status;
  if (status === 'issued' && (mail?.status === 'due' || mail?.status === 'sending')) return 'mail_due';
  return openMatters(invoice, paymentStatus)[0] ?? 'issued';
}

/** What of an invoice that stands waits for a person still. */
export function openMatters(invoice: OrderInvoice, paymentStatus: PaymentStatus): InvoiceMatter[] {
  const { status, mail, paymentMethod, handled } = invoice;
  if (status !== 'issued' && status !== 'cancellation_rejected') return [];
  const isOpen: Readonly<Record<InvoiceMatter, boolean>> = {
    cancellation_rejected: status === 'cancellation_rejected',
    complement_due: paymentMethod === 'PPD' && paymentStatus === 'paid',
    mail_unconfirmed: mail?.status === 'unconfirmed',
    mail_given_up: mail?.status === 'given_up',
  };
  return INVOICE_MATTERS.filter((matter) => isOpen[matter] && !handled.includes(matter));
}

/** A person saw to these. */
export const handledBy = (invoice: OrderInvoice, matters: readonly InvoiceMatter[]): OrderInvoice => ({
  ...invoice,
  handled: [...invoice.handled, ...matters],
});
