import type { Cents } from '../../../domain/money.ts';
import { listOpenParts, type Sale, type SalePart, sumParts } from '../../../domain/sale-parts.ts';
import { type OrderStatus, type PaymentStatus, type Refund, sumRefunds } from '../../../order/rules/status.ts';
import { type InGlobal, listNettedParts, type NewCredit, startAnyCredit } from '../owed-documents.ts';
import { isVoid, listDocuments, type OrderDocuments, sumAmounts, type TaxDocument } from '../tax-document.ts';

/** The global invoice that an order is in: its month (`2026-11`) and its part, counted from 1. */
export type GlobalPlace = {
  readonly period: string;
  readonly part: number;
  /** The parts given back before the order got into it, which its line leaves out; absent if there are none. */
  readonly returned?: readonly SalePart[];
};

/** The part of an order that says whether it belongs into a global invoice. */
export type GlobalCandidate = OrderDocuments & {
  readonly orderStatus: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly totalCents: Cents;
  readonly refunds?: readonly Refund[];
  readonly paymentDate: string | null;
  readonly global: GlobalPlace | null;
};

// The meaning of an invoice's status for its order: it has a valid invoice, may get one soon, or has none.
const INVOICED: Readonly<Record<TaxDocument['status'], 'yes' | 'maybe' | 'no'>> = {
  requested: 'maybe',
  retrying: 'maybe',
  refused: 'no',
  not_issued: 'no',
  issued: 'yes',
  cancelling: 'yes',
  cancellation_pending: 'yes',
  cancellation_rejected: 'yes',
  cancelled: 'no',
};

/**
 * Returns the place of an order on its way into a global invoice: `ready`, `waiting` while its own invoice is in progress,
 * or null. Sales of which nobody asked for an invoice belong into one (RMF 2.7.1.21), in the period in which they were paid,
 * as IVA is due when it is collected (LIVA 1-B). An order that is cancelled or wholly refunded before is no sale; of one that is
 * refunded in part the rest is in it. What is given back later gets a credit note (Guía de llenado del CFDI global 4.0, appendix 2, case I).
 */
export function getGlobalStatus(order: GlobalCandidate): 'ready' | 'waiting' | null {
  const { orderStatus, paymentStatus, totalCents, paymentDate, global } = order;
  const isSale = orderStatus !== 'cancelled' && sumRefunds(order) < totalCents;
  if (paymentStatus !== 'paid' || paymentDate === null || !isSale || global) return null;
  const invoices = listDocuments(order).filter(({ kind }) => kind === 'invoice');
  const answers = invoices.map(({ status }) => INVOICED[status]);
  if (answers.includes('yes')) return null;
  return answers.includes('maybe') ? 'waiting' : 'ready';
}

/**
 * Returns a sale without what was given back of it, as the line of a global invoice states it. Discounts are in its amounts.
 * Throws RangeError for parts that exceed it.
 */
export function toNetSale<Sold extends Sale & { readonly totalCents: Cents }>(
  sale: Sold,
  returned: readonly SalePart[],
) {
  const left = new Map(listOpenParts(sale, returned).map(({ line, cents }) => [line, cents]));
  return {
    ...sale,
    totalCents: sale.totalCents - sumParts(returned),
    lines: sale.lines.map((line) => ({ ...line, totalCents: left.get(line.id) ?? 0 })),
    shippingPriceCents: left.get(null) ?? 0,
    shippingDiscountCents: 0,
  };
}

type SoldGlobally = Pick<OrderDocuments, 'documents'> & InGlobal & { readonly totalCents: Cents };

/** True for a credit note of an order's sale in a global invoice. */
export const isGlobalCredit = ({ globalZipcode }: Pick<TaxDocument, 'globalZipcode'>): boolean =>
  globalZipcode !== undefined;

/** True for a credit note of a global invoice whose part is not known to be issued. */
export const isWaitingForPart = (document: TaxDocument): boolean =>
  isGlobalCredit(document) && document.relatedUuid === null;

/** Returns the credit notes of an order's sale in a global invoice, valid or on their way, in the order of their requests. */
export const listGlobalCredits = ({ documents }: Pick<OrderDocuments, 'documents'>): TaxDocument[] =>
  documents.filter((document) => isGlobalCredit(document) && !isVoid(document));

/** Returns what credit notes have left of an order's sale in a global invoice. */
export function getUncreditedSaleCents(order: SoldGlobally): Cents {
  const credited = sumAmounts(listGlobalCredits(order));
  return Math.max(0, order.totalCents - sumParts(listNettedParts(order)) - credited);
}

/**
 * Returns a credit note of an order's sale in a global invoice (guide of the global CFDI, appendix 2, case I, pages 25 to 29).
 * A job issues it once the part is issued, whose UUID and place it states.
 */
export const startGlobalCredit = (credit: NewCredit, now: Date): TaxDocument => ({
  ...startAnyCredit(credit, now),
  globalZipcode: '',
});
