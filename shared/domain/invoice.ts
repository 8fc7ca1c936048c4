import type { Cents, Micros } from './money.ts';

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
