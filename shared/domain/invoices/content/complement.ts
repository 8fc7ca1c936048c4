import type { Cents, Micros } from '../../money.ts';
import { localDate } from '../../working-day.ts';
import type { Invoice, InvoiceConcept, PaymentComplement } from './cfdi.ts';
import { computeTotals } from './invoice-totals.ts';
import { fitConcepts, splitByRate } from './shares-of-rates.ts';

type Payment = {
  /** The invoice as it was issued, and its stamp. */
  readonly invoice: Pick<Invoice, 'concepts' | 'receiver' | 'expeditionZipcode'>;
  readonly stamp: { readonly uuid: string; readonly series: string; readonly folio: string };
  /** The instant of the payment, and its c_FormaPago. */
  readonly paidAt: string;
  readonly paymentForm: string;
  readonly amountCents: Cents;
  /** The amounts of the credit notes that came before the payment, the earliest first. */
  readonly creditedCents: readonly Cents[];
};

/**
 * Builds the payment complement of an invoice that is paid at once with all that credit notes have left of it: one
 * instalment, nothing open after it (CRP20244), each rate with its part of the payment (guide of the complement, page 4).
 * SAT accepts no form 99 (CRP20212): throws RangeError.
 */
export function buildComplement({ invoice, stamp, paidAt, paymentForm, amountCents, creditedCents }: Payment) {
  if (paymentForm === '99') throw new RangeError('a payment has a form');
  const { cfdiUse: _, ...receiver } = invoice.receiver;
  const shares = splitByRate({ invoiced: invoice.concepts, earlierCents: creditedCents, amountCents });
  const { uuid, series, folio } = stamp;
  return {
    kind: 'payment',
    receiver,
    expeditionZipcode: invoice.expeditionZipcode,
    paidAt,
    paymentForm,
    invoice: { uuid, series, folio },
    installment: 1,
    balanceCents: amountCents,
    amountCents,
    taxes: computeTotals(fitConcepts(shares, toPart)).ivaGroups,
  } as const satisfies PaymentComplement;
}

const toPart = (unitPriceMicros: Micros, ivaRateMicros: Micros): InvoiceConcept => ({
  description: '',
  productKey: '',
  unitKey: '',
  sku: '',
  quantity: 1,
  unitPriceMicros,
  discountCents: 0,
  ivaRateMicros,
});

const LAST_DAY = '05';
const DECEMBER = 12;

/** Returns the last day (`YYYY-MM-DD`) for the complement of a payment: the 5th of the next month (RMF 2.7.1.32). */
export function getComplementDeadline(paidAt: string, timeZone: string): string {
  const [year = 0, month = 0] = localDate(new Date(paidAt), timeZone).split('-').map(Number);
  const [nextYear, nextMonth] = month === DECEMBER ? [year + 1, 1] : [year, month + 1];
  return `${nextYear}-${String(nextMonth).padStart(2, '0')}-${LAST_DAY}`;
}
