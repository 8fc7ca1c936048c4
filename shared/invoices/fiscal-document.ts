import { listOpenParts, type ShareOfRate, spreadAmount, sumByRate } from '../domain/sale-parts.ts';
import type { Order } from '../order/order.ts';
import { formatFolio } from '../order/rules/status.ts';
import { type FiscalDocument, type Invoice, toPublicReceiver } from './rules/build/cfdi.ts';
import { buildInvoice } from './rules/build/invoice.ts';
import { buildComplement, buildCreditNote } from './rules/build/parts-of-invoice.ts';
import { isGlobalCredit, listGlobalCredits } from './rules/global/global-sale.ts';
import { listRelated } from './rules/owed-documents.ts';
import { listCreditedParts, type TaxDocument } from './rules/tax-document.ts';

/** Throws an Error if the order does not allow the document. */
export function toFiscalDocument(order: Order, document: TaxDocument): FiscalDocument {
  if (document.kind === 'invoice') return toOwnInvoice(order, document);
  if (document.kind === 'payment') return toComplement(order, document);
  return isGlobalCredit(document) ? toGlobalCredit(order, document) : toCreditNote(order, document);
}

function toComplement(order: Order, document: TaxDocument): FiscalDocument {
  const { paymentForm, amountCents } = document;
  const { invoice, stamp } = expectRelated(order, document);
  const paidAt = order.paymentDate;
  if (paidAt === null) throw new Error('an order with a payment complement is paid');
  const open = listOpenParts(order, listCreditedParts(listEarlierCredits(order, document)));
  const shares = sumByRate(order, spreadAmount(open, amountCents));
  return buildComplement({ invoice, stamp, paidAt, paymentForm, shares });
}

function toCreditNote(order: Order, document: TaxDocument): FiscalDocument {
  const { paymentForm, purpose: reason = '' } = document;
  const { invoice, stamp } = expectRelated(order, document);
  const shares = takeShares(order, document, listRelated(order, 'credit', stamp.uuid));
  return buildCreditNote({ orderId: order.id, shares, paymentForm, reason, invoice, uuid: stamp.uuid });
}

/** Throws RangeError if credit notes exceed the invoice, as a failed one may be requested again after another. */
function takeShares(order: Order, document: TaxDocument, credits: readonly TaxDocument[]): ShareOfRate[] {
  listOpenParts(order, listCreditedParts(credits));
  return sumByRate(order, listCreditedParts([document]));
}

/** Credits an order's sale in a global invoice, to the public (guide of the global CFDI, page 29). */
function toGlobalCredit(order: Order, document: TaxDocument): FiscalDocument {
  const { paymentForm, relatedUuid: uuid, globalZipcode: expeditionZipcode = '', purpose = '' } = document;
  if (uuid === null) throw new Error('a credit note of a global invoice relates to an issued part');
  const shares = takeShares(order, document, listGlobalCredits(order));
  const receiver = toPublicReceiver({ expeditionZipcode });
  return buildCreditNote({
    ...{ orderId: order.id, sku: formatFolio(order.id), uuid, shares, paymentForm, reason: purpose },
    invoice: { receiver, expeditionZipcode, timeZone: null },
  });
}

/** Throws an Error if a document does not relate to the order's current invoice. */
function expectRelated(order: Order, { relatedUuid }: TaxDocument) {
  const invoice = order.invoice;
  if (!invoice?.stamp || invoice.stamp.uuid !== relatedUuid)
    throw new Error('a document relates to the invoice of its order');
  return { invoice: toOwnInvoice(order, invoice), stamp: invoice.stamp };
}

function listEarlierCredits(order: Order, { key, relatedUuid }: TaxDocument): TaxDocument[] {
  const { documents } = order;
  const later = documents.slice(documents.findIndex((document) => document.key === key));
  return listRelated(order, 'credit', relatedUuid ?? '').filter((credit) => !later.includes(credit));
}

function toOwnInvoice(order: Order, document: TaxDocument): Invoice {
  const { paymentMethod, paymentForm, relatedUuid } = document;
  const invoicing = (document !== order.invoice && order.replacementInvoicing) || order.invoicing;
  if (!invoicing) throw new Error('an order that is to be invoiced has a receiver');
  const { full_name: legalName, rfc, fiscal_regime: fiscalRegime, cfdi_use: cfdiUse, zipcode } = invoicing;
  const receiver = { legalName, rfc, fiscalRegime, cfdiUse, zipcode };
  return { ...buildInvoice({ ...order, receiver }), paymentMethod, paymentForm, replacesUuid: relatedUuid };
}
