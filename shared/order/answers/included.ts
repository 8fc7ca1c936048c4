import type { OrderPart } from '../../api/orders/order-parts.ts';
import type { Order as OrderAnswer } from '../../api/orders/orders.ts';
import { listDocuments, nameFiles, type TaxDocument } from '../../invoices/rules/tax-document.ts';
import { type Documents, linkInvoiceFile } from '../../store/documents.ts';
import type { Order } from '../order.ts';
import { representOrder, type Sources, seesInvoicing } from './order.ts';
import { type Reader, representPayments, representRefunds, representShipments } from './parts.ts';

type Part<Name extends OrderPart> = NonNullable<OrderAnswer[Name]>;

type Including = Sources & { readonly include?: readonly OrderPart[] | undefined };

/** Parts that the reader may not see are empty. */
export async function representIncluding(
  order: Order,
  reader: Reader,
  { include = [], ...sources }: Including,
): Promise<OrderAnswer> {
  const asks = (part: OrderPart): boolean => include.includes(part);
  return {
    ...(await representOrder(order, reader, sources)),
    ...(asks('shipments') && { shipments: representShipments(order, reader) }),
    ...(asks('reviews') && { reviews: representReviews(order) }),
    ...(asks('refunds') && { refunds: representRefunds(order) }),
    ...(asks('invoices') && { invoices: await representInvoices(order, reader, sources.documents) }),
    ...(asks('comments') && { comments: order.comments }),
    ...(asks('payments') && { payments: representPayments(order) }),
  };
}

const representReviews = ({ prescriptions }: Order): Part<'reviews'> =>
  prescriptions.flatMap(({ id: prescription, verification, rejection, pastRejections = [] }) => {
    const rejections = [...pastRejections, ...(rejection ? [rejection] : [])];
    const reviews = rejections.map(({ reason, at: reviewed_at }) => {
      return { prescription, status: 'rejected' as const, reason, reviewed_at };
    });
    if (rejection) return reviews;
    const status = verification ? 'verified' : 'waiting';
    return [...reviews, { prescription, status, reason: null, reviewed_at: verification?.at ?? null }];
  });

async function representInvoices(order: Order, reader: Reader, documents: Documents): Promise<Part<'invoices'>> {
  if (!seesInvoicing(order, reader)) return [];
  return Promise.all(listDocuments(order).map((document) => representInvoice(document, documents)));
}

async function representInvoice(document: TaxDocument, documents: Documents): Promise<Part<'invoices'>[number]> {
  const { kind, status, stamp, key, kept } = document;
  const name = kept.includes('files') ? nameFiles(document) : undefined;
  const link = async (file: 'xml' | 'pdf') =>
    name === undefined ? null : linkInvoiceFile(documents, { key, file, name });
  const [xml, pdf] = await Promise.all([link('xml'), link('pdf')]);
  const { uuid = null, series = null, folio = null, at: stamped_at = null } = stamp ?? {};
  return { kind, uuid, series, folio, status, stamped_at, xml, pdf };
}
