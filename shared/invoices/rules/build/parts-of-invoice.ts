import { type Cents, MICROS_PER_CENT, MICROS_PER_UNIT, type Micros, sumCents } from '../../../domain/money.ts';
import type { ShareOfRate } from '../../../domain/sale-parts.ts';
import { fiscalText } from '../../../domain/text.ts';
import { formatFolio } from '../../../order/rules/status.ts';
import { localMonth, shiftMonth } from '../global/period.ts';
import type { PlaceOfIssue } from '../place-of-issue.ts';
import { USES } from '../sat-tables.ts';
import {
  type ConceptNames,
  type CreditNote,
  computeTotals,
  type Invoice,
  type InvoiceConcept,
  type InvoiceReceiver,
  type PaymentComplement,
  toSingleConcept,
} from './cfdi.ts';

type Payment = {
  /** The invoice as it was issued. */
  readonly invoice: Pick<Invoice, 'receiver' | keyof PlaceOfIssue>;
  readonly stamp: { readonly uuid: string; readonly series: string; readonly folio: string };
  /** The instant of the payment. */
  readonly paidAt: string;
  readonly paymentForm: string;
  readonly shares: readonly ShareOfRate[];
};

/**
 * Builds the complement of a payment that settles an invoice, net of its credit notes: one instalment, nothing open after it
 * (CRP20244), each rate with its part of the payment (guide of the complement, page 4). Throws RangeError for form 99
 * (CRP20212).
 */
export function buildComplement({ invoice, stamp, paidAt, paymentForm, shares }: Payment) {
  if (paymentForm === '99') throw new RangeError('a payment has a form');
  const { cfdiUse: _, ...receiver } = invoice.receiver;
  const amountCents = sumShares(shares);
  const { uuid, series, folio } = stamp;
  return {
    kind: 'payment',
    receiver,
    expeditionZipcode: invoice.expeditionZipcode,
    timeZone: invoice.timeZone,
    paidAt,
    paymentForm,
    invoice: { uuid, series, folio },
    installment: 1,
    balanceCents: amountCents,
    amountCents,
    taxes: computeTotals(fitConcepts(shares, NO_NAMES)).ivaGroups,
  } as const satisfies PaymentComplement;
}

const NO_NAMES = { description: '', productKey: '', unitKey: '', sku: '' };

/** Returns the last day (`YYYY-MM-DD`) for the complement of a payment: the 5th of the next month (RMF 2.7.1.32). */
export const getComplementDeadline = (paidAt: string, timeZone: string): string =>
  `${shiftMonth(localMonth(new Date(paidAt), timeZone), 1)}-05`;

type Credited = {
  /** The invoice as it was issued. */
  readonly invoice: Pick<Invoice, 'receiver' | keyof PlaceOfIssue>;
  readonly uuid: string;
  readonly orderId: number;
  readonly shares: readonly ShareOfRate[];
  /** SAT's c_FormaPago of the refund. */
  readonly paymentForm: string;
  /** The description for the receiver; '' for the default text. */
  readonly reason: string;
  /** The order's folio in a global invoice (NoIdentificacion); absent for an own invoice. */
  readonly sku?: string;
};

/** Builds a credit note with one concept per IVA rate (SAT, guide of Anexo 20, appendix 5, II, page 65). */
export function buildCreditNote({ invoice, uuid, shares, paymentForm, sku = '', ...credited }: Credited): CreditNote {
  const names = { ...CREDITED, description: describeCredit(credited), sku };
  return {
    kind: 'credit',
    receiver: toCreditReceiver(invoice.receiver),
    expeditionZipcode: invoice.expeditionZipcode,
    timeZone: invoice.timeZone,
    concepts: fitConcepts(shares, names),
    paymentForm,
    creditsUuid: uuid,
    totalCents: sumShares(shares),
  };
}

const sumShares = (shares: readonly ShareOfRate[]): Cents => sumCents(shares.map(({ cents }) => cents));

const describeCredit = ({ reason, orderId }: Pick<Credited, 'reason' | 'orderId'>): string =>
  fiscalText(reason, 1_000) || `Devolución, descuento o bonificación del pedido ${formatFolio(orderId)}`;

// c_ClaveProdServ 84111506 "Servicios de facturación", c_ClaveUnidad ACT "Actividad": appendix 5 allows them for any of these.
const CREDITED = { productKey: '84111506', unitKey: 'ACT' };

const RETURNS = 'G02';
const NO_EFFECTS = 'S01';

/** c_UsoCFDI G02 is for returns, discounts and bonuses; a regime that does not allow it (CFDI40161) gets S01. */
const toCreditReceiver = (receiver: InvoiceReceiver): InvoiceReceiver => ({
  ...receiver,
  cfdiUse: USES[RETURNS]?.regimes.includes(receiver.fiscalRegime) ? RETURNS : NO_EFFECTS,
});

/** Returns a concept for each share, whose total is the share to the cent. */
function fitConcepts(shares: readonly ShareOfRate[], names: ConceptNames): InvoiceConcept[] {
  const concepts: InvoiceConcept[] = [];
  let totalCents = 0;
  for (const { rateMicros, cents } of shares) {
    totalCents += cents;
    const withConcept = (baseMicros: Micros) => [...concepts, toSingleConcept(names, baseMicros, rateMicros)];
    const exactMicros = (cents * MICROS_PER_CENT * MICROS_PER_UNIT) / (MICROS_PER_UNIT + rateMicros);
    concepts.push(toSingleConcept(names, fitBase(exactMicros, totalCents, withConcept), rateMicros));
  }
  return concepts;
}

// At 16 %, one amount in seven has no base of whole cents: 0.04 would become 0.03 or 0.05. Its base needs more of the six
// decimals of a CFDI. The margin keeps it away from half a cent, where a provider may round either way.
const STEP_MICROS = 50;
const MARGIN_MICROS = 20;
const FARTHEST_MICROS = 2 * MICROS_PER_CENT;

/** Prefers the nearest base of whole cents, else takes the nearest one to it whose total fits. */
function fitBase(exactMicros: number, totalCents: Cents, withConcept: (base: Micros) => InvoiceConcept[]): Micros {
  const whole = Math.round(exactMicros / MICROS_PER_CENT) * MICROS_PER_CENT;
  const hasTotal = (base: Micros) => computeTotals(withConcept(base)).totalCents === totalCents;
  for (let distance = 0; distance <= FARTHEST_MICROS; distance += STEP_MICROS) {
    for (const base of [whole + distance, whole - distance]) {
      if (base > MARGIN_MICROS && hasTotal(base - MARGIN_MICROS) && hasTotal(base + MARGIN_MICROS)) return base;
    }
  }
  throw new RangeError(`no base makes ${totalCents} cents`);
}
