import type { Cents, Micros } from '../money.ts';

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

/** The data of a CFDI 4.0 for a sale. */
export type Invoice = {
  readonly receiver: InvoiceReceiver;
  readonly concepts: readonly InvoiceConcept[];
  /** PUE: paid at once. PPD: paid later, and `paymentForm` is 99. */
  readonly paymentMethod: 'PUE' | 'PPD';
  /** SAT's c_FormaPago. */
  readonly paymentForm: string;
  /** The order's total, which the invoice's total must equal. */
  readonly totalCents: Cents;
};
