import { type Cents, divideHalfUp, MICROS_PER_UNIT, type Micros, wholeNumber } from '../money.ts';
import type { PaymentStatus } from '../order.ts';
import { fiscalText } from '../text.ts';
import { invoiceTotals } from './invoice-totals.ts';
import { normalizeRfc } from './tax-id.ts';

/** A concept of a CFDI: what was sold, before its discount and before IVA. Texts hold no `|`. */
export type InvoiceConcept = {
  /** 1 to 1,000 characters. */
  readonly description: string;
  /** SAT's c_ClaveProdServ, 8 digits, and c_ClaveUnidad. */
  readonly productKey: string;
  readonly unitKey: string;
  /** Up to 100 characters; '' for what has none. */
  readonly sku: string;
  readonly quantity: number;
  readonly unitPriceMicros: Micros;
  /** Of the whole concept. */
  readonly discountCents: Cents;
  /** 0 is a rate of zero, which is not the same as exempt. */
  readonly ivaRateMicros: Micros;
};

/** To whom an invoice is made out, as SAT has them. */
export type InvoiceReceiver = {
  readonly legalName: string;
  readonly rfc: string;
  readonly fiscalRegime: string;
  readonly cfdiUse: string;
  /** Of the fiscal domicile. */
  readonly zipcode: string;
};

/** All that a CFDI 4.0 says of a sale. */
export type Invoice = {
  readonly receiver: InvoiceReceiver;
  readonly concepts: readonly InvoiceConcept[];
  /** PUE: paid at once; PPD: later, then `paymentForm` is 99. */
  readonly paymentMethod: 'PUE' | 'PPD';
  /** SAT's c_FormaPago. */
  readonly paymentForm: string;
  /** The order's total, which the invoice's has to equal. */
  readonly totalCents: Cents;
};

/** What an invoice needs of a line of an order; `discountCents` is its share of the coupon. */
export type InvoicedLine = {
  readonly name: string;
  readonly presentation: string;
  readonly eanKey: string;
  readonly satKey: string;
  readonly satUnit: string;
  readonly quantity: number;
  readonly priceCents: Cents;
  readonly discountCents: Cents;
  readonly hasIva: boolean;
};

/** An order as an invoice sees it. */
export type InvoicedOrder = {
  readonly paymentStatus: PaymentStatus;
  readonly paymentMethod: { readonly sat_payment_form: string };
  readonly shippingPriceCents: Cents;
  readonly shippingDiscountCents: Cents;
  readonly totalCents: Cents;
  readonly lines: readonly InvoicedLine[];
  readonly receiver: InvoiceReceiver;
};

/**
 * The invoice of an order: its lines before IVA with their share of the discount, and the shipment as a concept of its
 * own. What costs nothing in the end is left out, as a CFDI has no concept with a base of zero (SAT's CFDI40174); of an
 * order whose total is 0 nothing is left, so ask before. RangeError if the order was priced at another rate, so that no
 * invoice comes to its total.
 */
export function invoiceOf(order: InvoicedOrder, ivaRateMicros: Micros): Invoice {
  const { totalCents, receiver } = order;
  const sold = order.lines.filter(isCharged).map((line) => conceptOf(line, ivaRateMicros));
  const feeCents = wholeNumber(order.shippingPriceCents - order.shippingDiscountCents);
  const concepts = feeCents === 0 ? sold : withShipment(sold, { feeCents, ivaRateMicros, totalCents });
  if (invoiceTotals(concepts).totalCents !== totalCents) throw new RangeError('the order has another total');
  return { receiver: registered(receiver), concepts, ...paymentOf(order), totalCents };
}

// SAT compares with its records, which are in capitals (CFDI40145).
const registered = (receiver: InvoiceReceiver): InvoiceReceiver => ({
  ...receiver,
  legalName: fiscalText(receiver.legalName, 300).toUpperCase(),
  rfc: normalizeRfc(receiver.rfc),
});

const isCharged = ({ priceCents, quantity, discountCents }: InvoicedLine): boolean =>
  priceCents * quantity > discountCents;

const MICROS_PER_CENT = 10_000;

const conceptOf = (line: InvoicedLine, ivaRateMicros: Micros): InvoiceConcept => ({
  description: fiscalText(`${line.name} ${line.presentation}`, 1_000) || line.satKey,
  productKey: line.satKey,
  unitKey: line.satUnit,
  sku: fiscalText(line.eanKey, 100),
  quantity: line.quantity,
  unitPriceMicros: wholeNumber(line.priceCents * MICROS_PER_CENT),
  discountCents: line.discountCents,
  ivaRateMicros: line.hasIva ? ivaRateMicros : 0,
});

// c_ClaveProdServ 78102203 "Servicios de envío, recogida o entrega de correo", c_ClaveUnidad E48 "Unidad de servicio".
const shipmentOf = (unitPriceMicros: Micros, ivaRateMicros: Micros): InvoiceConcept => ({
  description: 'Servicio de envío',
  productKey: '78102203',
  unitKey: 'E48',
  sku: '',
  quantity: 1,
  unitPriceMicros,
  discountCents: 0,
  ivaRateMicros,
});

type Shipment = { readonly feeCents: Cents; readonly ivaRateMicros: Micros; readonly totalCents: Cents };

// A fee with IVA in it rarely splits into a base and a tax that survive the rounding of the sums: one order in ten would
// be a cent off. Its base, which has six decimals, is moved to where the total fits; this far inside, as a provider that
// computes in binary fractions falls to either side of half a cent.
const MARGIN_MICROS = 100;

function withShipment(sold: readonly InvoiceConcept[], shipment: Shipment): readonly InvoiceConcept[] {
  const { feeCents, ivaRateMicros, totalCents } = shipment;
  const exactMicros = baseMicrosOf(feeCents, ivaRateMicros);
  const invoiced = (baseMicros: Micros) => [...sold, shipmentOf(baseMicros, ivaRateMicros)];
  const firstOf = (cents: Cents) =>
    lowestBase(exactMicros, (baseMicros) => invoiceTotals(invoiced(baseMicros)).totalCents >= cents);
  const lowest = firstOf(totalCents) + MARGIN_MICROS;
  const highest = firstOf(totalCents + 1) - 1 - MARGIN_MICROS;
  return invoiced(Math.min(Math.max(exactMicros, lowest), highest));
}

/** Of all bases within a cent of this one the lowest for which it holds, as it does for all above it. */
function lowestBase(nearMicros: Micros, holds: (baseMicros: Micros) => boolean): Micros {
  let low = Math.max(1, nearMicros - MICROS_PER_CENT);
  let high = nearMicros + MICROS_PER_CENT;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A fee with IVA in it, without it. */
function baseMicrosOf(feeCents: Cents, ivaRateMicros: Micros): Micros {
  const numerator = BigInt(feeCents) * BigInt(MICROS_PER_CENT) * BigInt(MICROS_PER_UNIT);
  return Number(divideHalfUp(numerator, BigInt(MICROS_PER_UNIT + ivaRateMicros)));
}

/**
 * How an order is paid (SAT, c_MetodoPago and c_FormaPago): what is on credit later, and so PPD with form 99; all else
 * at once, in the form of its payment method. A form of 99 is not yet known, which SAT takes with PPD only.
 */
export function paymentOf(
  order: Pick<InvoicedOrder, 'paymentMethod' | 'paymentStatus'>,
): Pick<Invoice, 'paymentMethod' | 'paymentForm'> {
  const { sat_payment_form: satPaymentForm } = order.paymentMethod;
  const isLater = order.paymentStatus === 'credit' || satPaymentForm === '99';
  return isLater ? { paymentMethod: 'PPD', paymentForm: '99' } : { paymentMethod: 'PUE', paymentForm: satPaymentForm };
}
