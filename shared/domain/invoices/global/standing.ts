import type { Cents } from '../../money.ts';
import { type OrderStatus, type PaymentStatus, sumRefunds } from '../../order.ts';
import { listDocuments, type OrderDocuments, type TaxDocument } from '../tax-document.ts';

/** The global invoice that an order is in: its month (`2026-11`) and its part, counted from 1. */
export type GlobalPlace = { readonly period: string; readonly part: number };

/** The part of an order that says whether it belongs into a global invoice. */
export type GlobalCandidate = OrderDocuments & {
  readonly orderStatus: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly totalCents: Cents;
  readonly refunds?: readonly { readonly cents: Cents }[];
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
 * as IVA is due when it is collected (LIVA 1-B). An order that is cancelled or wholly refunded before is no sale; one that is
 * cancelled or refunded later, or in part, is in it as it was sold, and gets a credit note (Guía de llenado del CFDI global 4.0, appendix 2, case I).
 */
export function getGlobalStanding(order: GlobalCandidate): 'ready' | 'waiting' | null {
  const { orderStatus, paymentStatus, totalCents, paymentDate, global } = order;
  const isSale = orderStatus !== 'cancelled' && sumRefunds(order) < totalCents;
  if (paymentStatus !== 'paid' || paymentDate === null || !isSale || global) return null;
  const invoices = listDocuments(order).filter(({ kind }) => kind === 'invoice');
  const answers = invoices.map(({ status }) => INVOICED[status]);
  if (answers.includes('yes')) return null;
  return answers.includes('maybe') ? 'waiting' : 'ready';
}
