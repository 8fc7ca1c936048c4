import {
  type Cents,
  divideHalfUp,
  MICROS_PER_CENT,
  MICROS_PER_UNIT,
  type Micros,
  sumCents,
  wholeNumber,
} from '../../../domain/money.ts';
import type { ShareOfRate } from '../../../domain/sale-parts.ts';
import { fiscalText } from '../../../domain/text.ts';
import { localMonth, shiftMonth } from '../../../domain/working-day.ts';
import { formatFolio, type PaymentStatus } from '../../../order/rules/status.ts';
import { getPlaceOfIssue, type IssuingStore, type PlaceOfIssue } from '../place-of-issue.ts';
import { USES } from '../sat-tables.ts';
import { normalizeRfc } from '../tax-id.ts';
import {
  type ConceptNames,
  type CreditNote,
  computeTotals,
  findLowest,
  type Invoice,
  type InvoiceConcept,
  type InvoiceReceiver,
  type PaymentComplement,
  toSingleConcept,
} from './cfdi.ts';

/** `discountCents`: the line's share of the coupon. `ivaRateMicros`: the rate at which the line was priced. */
export type InvoicedLine = {
  readonly name: string;
  readonly presentation: string;
  readonly eanKey: string;
  readonly satKey: string;
  readonly satUnit: string;
  readonly quantity: number;
  readonly priceCents: Cents;
  readonly discountCents: Cents;
  readonly ivaRateMicros: Micros;
};

export type InvoicedOrder = {
  readonly paymentStatus: PaymentStatus;
  readonly paymentMethod: { readonly sat_payment_form: string };
  /** The form in which it was paid; null if none was recorded. */
  readonly paymentForm: string | null;
  readonly shippingPriceCents: Cents;
  readonly shippingDiscountCents: Cents;
  /** The IVA rate included in the fee; null without a fee. */
  readonly shippingIvaRateMicros: Micros | null;
  readonly totalCents: Cents;
  /** Null for a delivery. */
  readonly store: IssuingStore | null;
  readonly lines: readonly InvoicedLine[];
  readonly receiver: InvoiceReceiver;
};

/**
 * Builds an order's invoice from its lines before IVA, with their share of the discount, and shipping as a concept. Free lines
 * are left out, as a CFDI has no concept with a base of zero (SAT's CFDI40174): the order's total must be above 0. IVA rates
 * are those at which the order was priced. Throws RangeError if lines and fee do not add up to the order's total.
 */
export function buildInvoice(order: InvoicedOrder): Invoice {
  const { totalCents, receiver } = order;
  const sold = order.lines.filter(isCharged).map(toConcept);
  const concepts = addShipping(sold, order);
  if (computeTotals(concepts).totalCents !== totalCents) throw new RangeError('the totals of order and invoice differ');
  return {
    kind: 'invoice',
    receiver: normalizeReceiver(receiver),
    ...getPlaceOfIssue(order),
    concepts,
    ...chooseInvoicePayment(order),
    replacesUuid: null,
    totalCents,
  };
}

// SAT compares the name with its records, which are in capitals (CFDI40145).
const normalizeReceiver = (receiver: InvoiceReceiver): InvoiceReceiver => ({
  ...receiver,
  legalName: fiscalText(receiver.legalName, 300).toUpperCase(),
  rfc: normalizeRfc(receiver.rfc),
});

const isCharged = ({ priceCents, quantity, discountCents }: InvoicedLine): boolean =>
  priceCents * quantity > discountCents;

const toConcept = (line: InvoicedLine): InvoiceConcept => ({
  description: fiscalText(`${line.name} ${line.presentation}`, 1_000) || line.satKey,
  productKey: line.satKey,
  unitKey: line.satUnit,
  sku: fiscalText(line.eanKey, 100),
  quantity: line.quantity,
  unitPriceMicros: wholeNumber(line.priceCents * MICROS_PER_CENT),
  discountCents: line.discountCents,
  ivaRateMicros: line.ivaRateMicros,
});

// c_ClaveProdServ 78102203 "Servicios de envío, recogida o entrega de correo", c_ClaveUnidad E48 "Unidad de servicio".
const SHIPPING = { description: 'Servicio de envío', productKey: '78102203', unitKey: 'E48', sku: '' };

// A fee that includes IVA rarely splits into a base and a tax that add up after rounding: one order in ten would be a cent
// off. So the six-decimal base is adjusted until the total fits. The margin keeps it away from half a cent, where a provider
// that computes in binary fractions may round either way.
const MARGIN_MICROS = 100;

function addShipping(sold: readonly InvoiceConcept[], order: InvoicedOrder): readonly InvoiceConcept[] {
  const { totalCents, shippingIvaRateMicros: ivaRateMicros } = order;
  const feeCents = wholeNumber(order.shippingPriceCents - order.shippingDiscountCents);
  if (feeCents === 0) return sold;
  if (ivaRateMicros === null) throw new RangeError('a fee has a rate of IVA');
  const exactMicros = removeIva(feeCents, ivaRateMicros);
  const invoiced = (baseMicros: Micros) => [...sold, toSingleConcept(SHIPPING, baseMicros, ivaRateMicros)];
  const withinACent = { low: Math.max(1, exactMicros - MICROS_PER_CENT), high: exactMicros + MICROS_PER_CENT };
  const firstOf = (cents: Cents) =>
    findLowest(withinACent, (baseMicros) => computeTotals(invoiced(baseMicros)).totalCents >= cents);
  const lowest = firstOf(totalCents) + MARGIN_MICROS;
  const highest = firstOf(totalCents + 1) - 1 - MARGIN_MICROS;
  return invoiced(Math.min(Math.max(exactMicros, lowest), highest));
}

function removeIva(feeCents: Cents, ivaRateMicros: Micros): Micros {
  const numerator = BigInt(feeCents) * BigInt(MICROS_PER_CENT) * BigInt(MICROS_PER_UNIT);
  return Number(divideHalfUp(numerator, BigInt(MICROS_PER_UNIT + ivaRateMicros)));
}

/** SAT's c_FormaPago "Por definir", which SAT accepts with PPD only (CFDI40105). */
export const FORM_TO_BE_DEFINED = '99';

/** Chooses SAT's c_MetodoPago and c_FormaPago: PPD with form 99 on credit, else PUE with the form of payment. */
export function chooseInvoicePayment({
  paymentStatus,
  paymentMethod,
  paymentForm,
}: Pick<InvoicedOrder, 'paymentMethod' | 'paymentStatus' | 'paymentForm'>): Pick<
  Invoice,
  'paymentMethod' | 'paymentForm'
> {
  const form = (paymentStatus === 'paid' && paymentForm) || paymentMethod.sat_payment_form;
  const isLater = paymentStatus === 'credit' || form === FORM_TO_BE_DEFINED;
  return isLater
    ? { paymentMethod: 'PPD', paymentForm: FORM_TO_BE_DEFINED }
    : { paymentMethod: 'PUE', paymentForm: form };
}

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
const WHOLE_MARGIN_MICROS = 20;
const FARTHEST_MICROS = 2 * MICROS_PER_CENT;

/** Prefers the nearest base of whole cents, else takes the nearest one to it whose total fits. */
function fitBase(exactMicros: number, totalCents: Cents, withConcept: (base: Micros) => InvoiceConcept[]): Micros {
  const whole = Math.round(exactMicros / MICROS_PER_CENT) * MICROS_PER_CENT;
  const hasTotal = (base: Micros) => computeTotals(withConcept(base)).totalCents === totalCents;
  for (let distance = 0; distance <= FARTHEST_MICROS; distance += STEP_MICROS) {
    for (const base of [whole + distance, whole - distance]) {
      if (base > WHOLE_MARGIN_MICROS && hasTotal(base - WHOLE_MARGIN_MICROS) && hasTotal(base + WHOLE_MARGIN_MICROS))
        return base;
    }
  }
  throw new RangeError(`no base makes ${totalCents} cents`);
}
