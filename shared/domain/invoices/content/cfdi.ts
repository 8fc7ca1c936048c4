import type { Cents, Micros } from '../../money.ts';

/** A concept of a CFDI: one sold item, before discount and IVA. Its texts contain no `|`. */
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
  /** The discount of the whole concept. */
  readonly discountCents: Cents;
  /** 0 is the rate of zero, which is not the same as exempt. */
  readonly ivaRateMicros: Micros;
};

/** The receiver of an invoice, as registered with SAT. */
export type InvoiceReceiver = {
  readonly legalName: string;
  readonly rfc: string;
  readonly fiscalRegime: string;
  readonly cfdiUse: string;
  /** The zip code of the fiscal domicile. */
  readonly zipcode: string;
};

/** The data of a CFDI 4.0 for a sale, of type I. */
export type Invoice = {
  readonly kind: 'invoice';
  readonly receiver: InvoiceReceiver;
  /** The zip code of the branch that issues it (LugarExpedicion); null for the issuer's own. */
  readonly expeditionZipcode: string | null;
  readonly concepts: readonly InvoiceConcept[];
  /** PUE: paid at once. PPD: paid later, and `paymentForm` is 99. */
  readonly paymentMethod: 'PUE' | 'PPD';
  /** SAT's c_FormaPago. */
  readonly paymentForm: string;
  /** The UUID of the invoice that it replaces (c_TipoRelacion 04), or null. */
  readonly replacesUuid: string | null;
  /** The order's total, which the invoice's total must equal. */
  readonly totalCents: Cents;
};

/** The base and the IVA of one rate, to the cent. */
export type IvaOfRate = { readonly rateMicros: Micros; readonly baseCents: Cents; readonly ivaCents: Cents };

/** The data of a payment complement (REP 2.0, type P) for one payment of one invoice. */
export type PaymentComplement = {
  readonly kind: 'payment';
  /** The use is always CP01. */
  readonly receiver: Omit<InvoiceReceiver, 'cfdiUse'>;
  /** The zip code of the branch that issues it (LugarExpedicion); null for the issuer's own. */
  readonly expeditionZipcode: string | null;
  /** The instant of the payment, `2026-11-21T23:00:00.000Z`, and its c_FormaPago. */
  readonly paidAt: string;
  readonly paymentForm: string;
  /** The invoice that it pays. */
  readonly invoice: { readonly uuid: string; readonly series: string; readonly folio: string };
  /** 1 for the first payment of the invoice (NumParcialidad). */
  readonly installment: number;
  /** The balance before the payment (ImpSaldoAnt). */
  readonly balanceCents: Cents;
  readonly amountCents: Cents;
  /** The taxes of what is paid, by rate, lowest first. */
  readonly taxes: readonly IvaOfRate[];
};

/** The data of a credit note (type E) for an invoice; its concepts have no discount. */
export type CreditNote = {
  readonly kind: 'credit';
  readonly receiver: InvoiceReceiver;
  /** The zip code of the branch that issues it (LugarExpedicion); null for the issuer's own. */
  readonly expeditionZipcode: string | null;
  readonly concepts: readonly InvoiceConcept[];
  /** SAT's c_FormaPago in which the money goes back; the method is PUE. */
  readonly paymentForm: string;
  /** The UUID of the invoice that it credits (c_TipoRelacion 01). */
  readonly creditsUuid: string;
  readonly totalCents: Cents;
};

/** A sale of a global invoice: one concept, with its taxes by rate. */
export type GlobalSale = {
  /** The folio of the order (NoIdentificacion). */
  readonly folio: string;
  /** Before IVA and after all discounts. */
  readonly amountMicros: bigint;
  readonly taxes: readonly { readonly rateMicros: Micros; readonly baseMicros: bigint; readonly ivaMicros: bigint }[];
};

/** The data of a global invoice (type I, receiver XAXX010101000) with SAT's InformacionGlobal. */
export type GlobalInvoice = {
  readonly kind: 'global';
  /** The issuer's zip code (LugarExpedicion), which SAT asks of its receiver too (CFDI40149). */
  readonly expeditionZipcode: string;
  /** The month of its sales, c_Meses `01` to `12`. */
  readonly period: { readonly month: string; readonly year: number };
  readonly sales: readonly GlobalSale[];
  /** SAT's c_FormaPago of the sale of the largest amount. */
  readonly paymentForm: string;
  readonly totalCents: Cents;
};

/** A document that a provider issues. */
export type FiscalDocument = Invoice | PaymentComplement | CreditNote | GlobalInvoice;
