import {
  type Cents,
  divideHalfUp,
  MICROS_PER_CENT,
  MICROS_PER_UNIT,
  type Micros,
  wholeNumber,
} from '../../../domain/money.ts';
import type { PlaceOfIssue } from '../place-of-issue.ts';

/** One sold item, before discount and IVA. Its texts contain no `|`. */
export type InvoiceConcept = {
  /** 1 to 1,000 characters. */
  readonly description: string;
  /** SAT's c_ClaveProdServ, 8 digits, and c_ClaveUnidad. */
  readonly productKey: string;
  readonly unitKey: string;
  /** Up to 100 characters; '' if the product has none. */
  readonly sku: string;
  readonly quantity: number;
  readonly unitPriceMicros: Micros;
  readonly discountCents: Cents;
  /** 0 is the zero rate, which is not an exemption. */
  readonly ivaRateMicros: Micros;
};

/** As registered with SAT. */
export type InvoiceReceiver = {
  readonly legalName: string;
  readonly rfc: string;
  readonly fiscalRegime: string;
  readonly cfdiUse: string;
  /** The zip code of the fiscal domicile. */
  readonly zipcode: string;
};

/** A CFDI 4.0 of type I for a sale. */
export type Invoice = PlaceOfIssue & {
  readonly kind: 'invoice';
  readonly receiver: InvoiceReceiver;
  readonly concepts: readonly InvoiceConcept[];
  /** PUE: paid at once. PPD: paid later, and `paymentForm` is 99. */
  readonly paymentMethod: 'PUE' | 'PPD';
  /** SAT's c_FormaPago. */
  readonly paymentForm: string;
  /** The UUID of the invoice that it replaces (c_TipoRelacion 04). */
  readonly replacesUuid: string | null;
  /** The order's total, which the invoice's total must equal. */
  readonly totalCents: Cents;
};

export type IvaOfRate = { readonly rateMicros: Micros; readonly baseCents: Cents; readonly ivaCents: Cents };

/** A payment complement (REP 2.0, type P) for one payment of one invoice. */
export type PaymentComplement = PlaceOfIssue & {
  readonly kind: 'payment';
  /** The use is always CP01. */
  readonly receiver: Omit<InvoiceReceiver, 'cfdiUse'>;
  /** The instant of the payment, `2026-11-21T23:00:00.000Z`, and its c_FormaPago. */
  readonly paidAt: string;
  readonly paymentForm: string;
  readonly invoice: { readonly uuid: string; readonly series: string; readonly folio: string };
  /** 1 for the first payment of the invoice (NumParcialidad). */
  readonly installment: number;
  /** The balance before the payment (ImpSaldoAnt). */
  readonly balanceCents: Cents;
  readonly amountCents: Cents;
  /** The taxes of what is paid, by rate, lowest first. */
  readonly taxes: readonly IvaOfRate[];
};

/** A credit note (type E) for an invoice; its concepts have no discount. */
export type CreditNote = PlaceOfIssue & {
  readonly kind: 'credit';
  readonly receiver: InvoiceReceiver;
  readonly concepts: readonly InvoiceConcept[];
  /** SAT's c_FormaPago of the refund; the method is PUE. */
  readonly paymentForm: string;
  /** The UUID of the invoice that it credits (c_TipoRelacion 01). */
  readonly creditsUuid: string;
  readonly totalCents: Cents;
};

/** A sale of a global invoice: one concept with its taxes by rate. */
export type GlobalSale = {
  /** The folio of the order (NoIdentificacion). */
  readonly folio: string;
  /** Before IVA and after all discounts. */
  readonly amountMicros: bigint;
  readonly taxes: readonly { readonly rateMicros: Micros; readonly baseMicros: bigint; readonly ivaMicros: bigint }[];
};

/** A global invoice (type I, receiver XAXX010101000) with SAT's InformacionGlobal. */
export type GlobalInvoice = {
  readonly kind: 'global';
  /** The issuer's zip code (LugarExpedicion), which also sets the time zone and is the receiver's zip code (CFDI40149). */
  readonly expeditionZipcode: string;
  /** c_Meses `01` to `12`. */
  readonly period: { readonly month: string; readonly year: number };
  readonly sales: readonly GlobalSale[];
  /** SAT's c_FormaPago of the largest sale. */
  readonly paymentForm: string;
  readonly totalCents: Cents;
};

export type FiscalDocument = Invoice | PaymentComplement | CreditNote | GlobalInvoice;

/** In millionths of a peso: a CFDI has at most six decimals. */
export type ConceptAmounts = {
  /** Quantity × unit price, before the discount. */
  readonly amountMicros: bigint;
  readonly discountMicros: bigint;
  readonly baseMicros: bigint;
  readonly ivaMicros: bigint;
};

export type InvoiceTotals = {
  /** Before the discount. */
  readonly subtotalCents: Cents;
  readonly discountCents: Cents;
  /** Sorted by rate, lowest first. */
  readonly ivaGroups: readonly IvaOfRate[];
  readonly ivaCents: Cents;
  readonly totalCents: Cents;
};

/** Returns the total, or the amount paid by a payment complement (whose total is 0). */
export const getDocumentTotal = (document: FiscalDocument): Cents =>
  document.kind === 'payment' ? document.amountCents : document.totalCents;

/** Rounds IVA half up to six decimals. */
export function computeConcept(concept: InvoiceConcept): ConceptAmounts {
  const amountMicros = BigInt(concept.unitPriceMicros) * BigInt(concept.quantity);
  const discountMicros = BigInt(concept.discountCents) * BigInt(MICROS_PER_CENT);
  const baseMicros = amountMicros - discountMicros;
  const ivaMicros = divideHalfUp(baseMicros * BigInt(concept.ivaRateMicros), BigInt(MICROS_PER_UNIT));
  return { amountMicros, discountMicros, baseMicros, ivaMicros };
}

/**
 * Rounds each sum half up to the cent once, at the end (SAT's error matrix of CFDI 4.0: CFDI40108 subtotal, 40111 discount,
 * 40215 and 40221 groups by rate, 40205 IVA, 40119 total). Throws RangeError beyond the safe integers.
 */
export const computeTotals = (concepts: readonly InvoiceConcept[]): InvoiceTotals =>
  sumLines(
    concepts.map((concept) => {
      const amounts = computeConcept(concept);
      return { ...amounts, taxes: [{ ...amounts, rateMicros: concept.ivaRateMicros }] };
    }),
  );

/** The same rules for a global invoice (guide of the global CFDI, pages 8, 9 and 20 to 22). */
export const computeSalesTotals = (sales: readonly GlobalSale[]): InvoiceTotals =>
  sumLines(sales.map((sale) => ({ ...sale, discountMicros: 0n })));

type Tax = { readonly rateMicros: Micros; readonly baseMicros: bigint; readonly ivaMicros: bigint };
type Line = { readonly amountMicros: bigint; readonly discountMicros: bigint; readonly taxes: readonly Tax[] };

function sumLines(lines: readonly Line[]): InvoiceTotals {
  const subtotalCents = sumToCents(lines.map(({ amountMicros }) => amountMicros));
  const discountCents = sumToCents(lines.map(({ discountMicros }) => discountMicros));
  const ivaGroups = groupByRate(lines.flatMap(({ taxes }) => taxes));
  const ivaCents = ivaGroups.reduce((sum, group) => sum + group.ivaCents, 0);
  const totalCents = wholeNumber(subtotalCents - discountCents + ivaCents);
  return { subtotalCents, discountCents, ivaGroups, ivaCents, totalCents };
}

function groupByRate(taxes: readonly Tax[]): IvaOfRate[] {
  const rates = [...new Set(taxes.map(({ rateMicros }) => rateMicros))].sort((a, b) => a - b);
  return rates.map((rateMicros) => {
    const group = taxes.filter((tax) => tax.rateMicros === rateMicros);
    const baseCents = sumToCents(group.map(({ baseMicros }) => baseMicros));
    return { rateMicros, baseCents, ivaCents: sumToCents(group.map(({ ivaMicros }) => ivaMicros)) };
  });
}

const sumToCents = (amounts: readonly bigint[]): Cents =>
  roundToCents(amounts.reduce((sum, amount) => sum + amount, 0n));

/** Rounds millionths half up to cents. Throws RangeError beyond the safe integers. */
export const roundToCents = (micros: bigint): Cents =>
  wholeNumber(Number(divideHalfUp(micros, BigInt(MICROS_PER_CENT))));

/** Binary search for the lowest value within the bounds for which `holds` is true; it must be true for all higher ones. */
export function findLowest({ low, high }: { low: number; high: number }, holds: (value: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

export type ConceptNames = Pick<InvoiceConcept, 'description' | 'productKey' | 'unitKey' | 'sku'>;

export const toSingleConcept = (
  names: ConceptNames,
  unitPriceMicros: Micros,
  ivaRateMicros: Micros,
): InvoiceConcept => ({ ...names, quantity: 1, unitPriceMicros, discountCents: 0, ivaRateMicros });

/** The receiver of a global invoice and its credit notes (guide of the global CFDI, pages 14, 15 and 29). */
export const toPublicReceiver = ({ expeditionZipcode }: Pick<GlobalInvoice, 'expeditionZipcode'>): InvoiceReceiver => ({
  legalName: 'PUBLICO EN GENERAL',
  rfc: 'XAXX010101000',
  fiscalRegime: '616',
  cfdiUse: 'S01',
  zipcode: expeditionZipcode,
});

/** The description of every sale of a global invoice (the same guide, pages 15 and 16). */
export const GLOBAL_SALE = { productKey: '01010101', unitKey: 'ACT', description: 'Venta' } as const;
