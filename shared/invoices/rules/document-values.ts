/**
 * The documents that are issued for an order. `invoice`: CFDI of type I. `payment`: the payment complement (REP, type P)
 * of an invoice that was issued before it was paid. `credit`: the credit note (type E).
 */
export const DOCUMENT_KINDS = ['invoice', 'payment', 'credit'] as const;

/**
 * The status of a document. `requested`: the provider has been or is being asked. `retrying`: nothing was issued, and a job
 * tries again. `refused`: its data were refused, and whoever asked was told. `not_issued`: nothing was issued, and
 * an operator has to see to it. `cancelling`: the provider has yet to be told. `cancellation_pending`: SAT waits for the
 * receiver. `cancellation_rejected`: the receiver refused, or SAT cancels no such document, which stays valid.
 */
export const DOCUMENT_STATUSES = [
  'requested',
  'retrying',
  'refused',
  'not_issued',
  'issued',
  'cancelling',
  'cancellation_pending',
  'cancellation_rejected',
  'cancelled',
] as const;

/**
 * The state of a document's mail. `sending`: somebody has claimed it and is sending it. `unconfirmed`: it is unknown whether
 * it was sent, which only an operator can find out.
 */
export const MAIL_STATUSES = ['due', 'sending', 'sent', 'unconfirmed', 'given_up'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

/**
 * Actions that an operator has to take. `not_issued`: nobody else will issue the document any more. `total_differs`: it was
 * issued with another total than the sale, and has to be replaced. `form_differs`: its order was collected in another form
 * of payment than the invoice says. `pue_unpaid`: the invoice says paid in its month (PUE) and was not, so that it has to be
 * replaced (RMF 2.7.1.39). `complement_due`: the invoice says paid later (PPD) and the order has been paid since, so SAT
 * requires a payment complement. `cancellation_rejected`: the order is cancelled, its invoice is still valid. The most urgent
 * come first, as an order is listed and counted under its first; no alarm counts `form_differs`.
 */
export const INVOICE_ACTIONS = [
  'not_issued',
  'total_differs',
  'cancellation_rejected',
  'pue_unpaid',
  'complement_due',
  'mail_unconfirmed',
  'mail_given_up',
  'form_differs',
] as const;
export type InvoiceAction = (typeof INVOICE_ACTIONS)[number];

/**
 * SAT's motives of a cancellation: 01 replaced by another document, 02 wrong without relation, 03 the sale did not take
 * place. (c_MotivoCancelacion)
 */
export const CANCELLATION_MOTIVES = ['01', '02', '03'] as const;

/** The parts of a document that are kept: XML and PDF, and SAT's receipt of its cancellation (acuse). */
export const ARCHIVED_PARTS = ['files', 'receipt'] as const;
export type ArchivedPart = (typeof ARCHIVED_PARTS)[number];
