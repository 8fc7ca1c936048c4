import type { FiscalDocument, Invoice } from '../../../domain/invoices/content/cfdi.ts';
import { buildComplement } from '../../../domain/invoices/content/complement.ts';
import { buildCreditNote } from '../../../domain/invoices/content/credit-note.ts';
import { buildInvoice } from '../../../domain/invoices/content/invoice.ts';
import { isGlobalCredit, listGlobalCredits } from '../../../domain/invoices/global/credits.ts';
import { listRelated } from '../../../domain/invoices/owed-documents.ts';
import type { TaxDocument } from '../../../domain/invoices/tax-document.ts';
import { type Cents, sumCents } from '../../../domain/money.ts';
import { formatFolio } from '../../../domain/order.ts';
import { toPublicReceiver } from '../../../invoicing/global-invoice.ts';
import type { Order } from '../../../store/orders/order.ts';

/** Returns what the provider is asked to issue for a tax document of an order. Throws an Error if the order does not allow it. */
export function toFiscalDocument(order: Order, document: TaxDocument): FiscalDocument {
  if (document.kind === 'invoice') return toInvoice(order, document);
  if (document.kind === 'payment') return toComplement(order, document);
  return isGlobalCredit(document) ? toGlobalCredit(order, document) : toCreditNote(order, document);
}

function toComplement(order: Order, document: TaxDocument): FiscalDocument {
  const { paymentForm, amountCents } = document;
  const { invoice, stamp } = expectRelated(order, document);
  const paidAt = order.paymentDate;
  if (paidAt === null) throw new Error('an order with a payment complement is paid');
  const creditedCents = listEarlierCredits(order, document);
  return buildComplement({ invoice, stamp, paidAt, paymentForm, amountCents, creditedCents });
}

function toCreditNote(order: Order, document: TaxDocument): FiscalDocument {
  const { paymentForm, amountCents, purpose: reason = '' } = document;
  const { invoice, stamp } = expectRelated(order, document);
  checkSum(listRelated(order, 'credit', stamp.uuid), invoice.totalCents);
  const credited = { orderId: order.id, amountCents, paymentForm, reason };
  return buildCreditNote({ ...credited, invoice, uuid: stamp.uuid, earlierCents: listEarlierCredits(order, document) });
}

/** Throws a RangeError if credit notes exceed what they are of: one that failed may be asked for again after another. */
function checkSum(credits: readonly TaxDocument[], totalCents: Cents): void {
  if (sumCents(credits.map(({ amountCents }) => amountCents)) <= totalCents) return;
  throw new RangeError('credit notes do not exceed what they are of');
}

/** Returns a credit note of an order's sale in a global invoice, to the public (guide of the global CFDI, page 29). */
function toGlobalCredit(order: Order, document: TaxDocument): FiscalDocument {
  const { paymentForm, amountCents, relatedUuid: uuid, globalZipcode: expeditionZipcode = '', purpose = '' } = document;
  if (uuid === null) throw new Error('a credit note of a global invoice relates to an issued part');
  const credits = listGlobalCredits(order);
  checkSum(credits, order.totalCents);
  const receiver = toPublicReceiver({ expeditionZipcode });
  const { concepts } = buildInvoice({ ...order, receiver });
  return buildCreditNote({
    ...{ orderId: order.id, sku: formatFolio(order.id), uuid, amountCents, paymentForm, reason: purpose },
    invoice: { concepts, receiver, expeditionZipcode },
    earlierCents: takeEarlier(order, document, credits),
  });
}

/** Returns the invoice that a document relates to, as it was issued. Throws an Error if it is not the order's present one. */
function expectRelated(order: Order, { relatedUuid }: TaxDocument) {
  const issued = order.invoice;
  if (!issued?.stamp || issued.stamp.uuid !== relatedUuid)
    throw new Error('a document relates to the invoice of its order');
  return { invoice: toInvoice(order, issued), stamp: issued.stamp };
}

/** Returns the amounts of the credit notes of the same invoice that were requested before a document. */
const listEarlierCredits = (order: Order, document: TaxDocument): Cents[] =>
  takeEarlier(order, document, listRelated(order, 'credit', document.relatedUuid ?? ''));

/** Returns the amounts of those credit notes that were requested before a document. */
function takeEarlier({ documents }: Order, { key }: TaxDocument, credits: readonly TaxDocument[]): Cents[] {
  const later = documents.slice(documents.findIndex((document) => document.key === key));
  return credits.filter((credit) => !later.includes(credit)).map(({ amountCents }) => amountCents);
}

function toInvoice(order: Order, document: TaxDocument): Invoice {
  const { paymentMethod, paymentForm, relatedUuid } = document;
  const invoicing = (document !== order.invoice && order.replacementInvoicing) || order.invoicing;
  if (!invoicing) throw new Error('an order that is to be invoiced has a receiver');
  const { full_name: legalName, rfc, fiscal_regime: fiscalRegime, cfdi_use: cfdiUse, zipcode } = invoicing;
  const receiver = { legalName, rfc, fiscalRegime, cfdiUse, zipcode };
  return { ...buildInvoice({ ...order, receiver }), paymentMethod, paymentForm, replacesUuid: relatedUuid };
}
