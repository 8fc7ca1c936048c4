import {
  type Cents,
  divideHalfUp,
  MICROS_PER_CENT,
  MICROS_PER_UNIT,
  type Micros,
  wholeNumber,
} from '../../../domain/money.ts';
import { fiscalText } from '../../../domain/text.ts';
import type { PaymentStatus } from '../../../order/rules/status.ts';
import { getPlaceOfIssue, type IssuingStore } from '../place-of-issue.ts';
import { normalizeRfc } from '../tax-id.ts';
import {
  computeTotals,
  findLowest,
  type Invoice,
  type InvoiceConcept,
  type InvoiceReceiver,
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
