/** `invoice`: CFDI of type I. `payment`: payment complement (REP, type P) of a PPD invoice. `credit`: credit note (type E). */
export const DOCUMENT_KINDS = ['invoice', 'payment', 'credit'] as const;

/**
 * `requested`: issuing has begun. `retrying`: nothing was issued, and a job tries again. `refused`: the data were refused, and
 * the caller knows. `not_issued`: nothing was issued, and an operator decides. `cancelling`: the provider has yet to be asked.
 * `cancellation_pending`: SAT waits for the receiver. `cancellation_rejected`: the receiver refused, or SAT does not cancel
 * it.
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

/** `sending`: claimed by a run that is sending it. `unconfirmed`: only an operator can find out whether it was sent. */
export const MAIL_STATUSES = ['due', 'sending', 'sent', 'unconfirmed', 'given_up'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

/**
 * Actions for operators, the most urgent first, as an order is listed and counted under its first; no alarm counts
 * `form_differs`. `not_issued`: no job will issue the document. `total_differs`: its total is not that of the sale; replace
 * it. `form_differs`: the order was collected in another form of payment. `pue_unpaid`: a PUE invoice was not paid in its
 * month; replace it (RMF 2.7.1.39). `complement_due`: a PPD invoice was paid, so SAT requires a payment complement.
 * `cancellation_rejected`: the order is cancelled, but its invoice is still valid.
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

/** SAT's c_MotivoCancelacion: 01 replaced by another document, 02 wrong without relation, 03 the sale did not take place. */
export const CANCELLATION_MOTIVES = ['01', '02', '03'] as const;

/** XML and PDF, and SAT's receipt of the cancellation (acuse). */
export const ARCHIVED_PARTS = ['files', 'receipt'] as const;
export type ArchivedPart = (typeof ARCHIVED_PARTS)[number];
