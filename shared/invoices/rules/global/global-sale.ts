import type { Cents } from '../../../domain/money.ts';
import { listOpenParts, type Sale, type SalePart, sumByRate, sumParts } from '../../../domain/sale-parts.ts';
import { type OrderStatus, type PaymentStatus, type Refund, sumRefunds } from '../../../order/rules/status.ts';
import { type InGlobal, listNettedParts, type NewCredit, startAnyCredit } from '../owed-documents.ts';
import {
  isUnderWay,
  isVoid,
  listDocuments,
  type OrderDocuments,
  sumAmounts,
  type TaxDocument,
} from '../tax-document.ts';

/** The global invoice that contains an order: its month (`2026-11`) and its part, counted from 1. */
export type GlobalPlace = {
  readonly period: string;
  readonly part: number;
  /** The parts returned before the order was included, which its line leaves out; absent if there are none. */
  readonly returned?: readonly SalePart[];
};

export type GlobalCandidate = OrderDocuments & {
  readonly orderStatus: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly totalCents: Cents;
  readonly refunds?: readonly Refund[];
  readonly paymentDate: string | null;
  readonly global: GlobalPlace | null;
};

/**
 * Returns `ready`, `waiting` while the order's own invoice is in progress, or null. Sales without an invoice belong in a
 * global one (RMF 2.7.1.21) of the period in which they were paid, as IVA is due when it is collected (LIVA 1-B), net of
 * earlier returns; later returns get a credit note (Guía de llenado del CFDI global 4.0, appendix 2, case I).
 */
export function getGlobalStatus(order: GlobalCandidate): 'ready' | 'waiting' | null {
  const { orderStatus, paymentStatus, totalCents, paymentDate, global } = order;
  const isSale = orderStatus !== 'cancelled' && sumRefunds(order) < totalCents;
  if (paymentStatus !== 'paid' || paymentDate === null || !isSale || global) return null;
  const invoices = listDocuments(order).filter((document) => document.kind === 'invoice' && !isVoid(document));
  if (invoices.length === 0) return 'ready';
  return invoices.every(isUnderWay) ? 'waiting' : null;
}

/** Returns what is sold at each rate, net of returns. Throws RangeError if returns exceed it, or if it is not the total. */
export function toNetSale(sale: Sale & { readonly totalCents: Cents }, returned: readonly SalePart[]) {
  const open = listOpenParts(sale, returned);
  const totalCents = sale.totalCents - sumParts(returned);
  if (sumParts(open) !== totalCents) throw new RangeError('the total of an order is not that of its lines');
  return { totalCents, shares: sumByRate(sale, open) };
}

type SoldGlobally = Pick<OrderDocuments, 'documents'> & InGlobal & { readonly totalCents: Cents };

/** True while a global invoice stands for an order, and no credit notes take all of it out again. */
export const isSoldGlobally = (order: SoldGlobally): boolean =>
  Boolean(order.global) && getUncreditedSaleCents(order) > 0;

/** True for the first invoice of an order while the credit notes that take it out of a global one are not all issued. */
export const isWaitingForCredit = ({ kind, relatedUuid }: TaxDocument, order: SoldGlobally): boolean =>
  kind === 'invoice' && relatedUuid === null && listGlobalCredits(order).some(({ issuedAt }) => issuedAt === null);

export const isGlobalCredit = ({ globalZipcode }: Pick<TaxDocument, 'globalZipcode'>): boolean =>
  globalZipcode !== undefined;

export const isWaitingForPart = (document: TaxDocument): boolean =>
  isGlobalCredit(document) && document.relatedUuid === null;

/** Returns the credit notes, valid or in progress, of an order's global sale. */
export const listGlobalCredits = ({ documents }: Pick<OrderDocuments, 'documents'>): TaxDocument[] =>
  documents.filter((document) => isGlobalCredit(document) && !isVoid(document));

export function getUncreditedSaleCents(order: SoldGlobally): Cents {
  const credited = sumAmounts(listGlobalCredits(order));
  return Math.max(0, order.totalCents - sumParts(listNettedParts(order)) - credited);
}

/** A job issues the note after its part (guide of the global CFDI, appendix 2, case I, pages 25 to 29). */
export const startGlobalCredit = (credit: NewCredit, now: Date): TaxDocument => ({
  ...startAnyCredit(credit, now),
  globalZipcode: '',
});
