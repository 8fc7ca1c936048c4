import type { PaymentStatus } from '../order.ts';
import { cancelInvoice, NO_SALE } from './documents/cancellation.ts';
import type { OrderDocuments } from './order-documents.ts';
import { findValidInvoice, getUncreditedCents, isStamped, type StampedInvoice, startCredit } from './owed-documents.ts';
import { findReplaced } from './replacement.ts';
import type { TaxDocument } from './tax-document.ts';

type CancelledOrder = OrderDocuments & { readonly paymentStatus: PaymentStatus };
type Cancelling = { readonly newKey: () => string; readonly now: Date };

/**
 * Returns the documents of an order that is cancelled. The cancellation of its invoice is started, unless it has a valid
 * complement or credit note: SAT cancels no such invoice, and what was paid is corrected by credit notes. So it stays, and
 * refunds are credited as they are recorded; of one that is not paid, the rest is credited at once.
 */
export function cancelSale(order: CancelledOrder, cancelling: Cancelling): OrderDocuments {
  const invoice = findValidInvoice(order);
  if (!invoice || !hasStampedRelated(order, invoice)) return cancelInvoices(order, cancelling.now);
  const { invoice: kept, documents } = order;
  return { invoice: kept, documents: [...documents, ...creditRest(order, invoice, cancelling)] };
}

/** True if a complement or a credit note of an invoice was issued, or may have been. */
const hasStampedRelated = ({ documents }: OrderDocuments, { stamp }: StampedInvoice): boolean =>
  documents.some(
    (document) => document.kind !== 'invoice' && document.relatedUuid === stamp.uuid && isStamped(document),
  );

/** c_FormaPago 15 "Condonación": nothing goes back of what was not paid (guide of Anexo 20, appendix 5, II b, page 65). */
export const REMITTED = '15';

function creditRest(order: CancelledOrder, invoice: StampedInvoice, { newKey, now }: Cancelling): TaxDocument[] {
  const amountCents = getUncreditedCents(order, invoice);
  if (order.paymentStatus === 'paid' || amountCents === 0) return [];
  return [startCredit(invoice, { key: newKey(), amountCents, paymentForm: REMITTED }, now)];
}

/**
 * Starts the cancellation of an invoice. One that it replaced and that is not cancelled yet takes the same motive, since the
 * provider cancels none by a substitute that is not valid.
 */
function cancelInvoices(order: OrderDocuments, now: Date): OrderDocuments {
  const replaced = findReplaced(order);
  const documents = order.documents.map((document) =>
    document === replaced && document.cancellation ? { ...document, cancellation: NO_SALE } : document,
  );
  return { invoice: order.invoice && cancelInvoice(order.invoice, now), documents };
}
