import type { Invoice } from '../domain/invoices/cfdi.ts';
import type { Cents } from '../domain/money.ts';
import type { Message } from '../messages/messages.ts';

/**
 * The provider's reference of one attempt to invoice an order: the idempotency key of the call, and the key by which the
 * invoice is found again. Each attempt has its own.
 */
export type InvoiceReference = { readonly key: string; readonly folio: string };

/** The provider's record of an invoice. `pending`: not stamped yet; it may still become `valid` or `failed`. */
export type ProvidedInvoice = {
  /** The interface's `cfdi`, at most 30 characters. */
  readonly id: string;
  readonly status: 'pending' | 'valid' | 'failed' | 'cancelled';
  /** `pending`: SAT waits for the receiver. `rejected`: the receiver refused, and the invoice stays valid. */
  readonly cancellation: 'none' | 'pending' | 'rejected' | 'accepted';
  readonly totalCents: Cents;
};

export type InvoiceFiles = { readonly pdf: Uint8Array; readonly xml: Uint8Array };

/** A provider that issues invoices with SAT's stamp. Every call ends when its `signal` aborts. */
export interface InvoicingProvider {
  /** Throws DataRefused, ProviderUnavailable or OutcomeUnknown. A repeated key never issues a second invoice. */
  issue(invoice: Invoice, reference: InvoiceReference, signal: AbortSignal): Promise<ProvidedInvoice>;
  /** Returns the invoice of this key, or undefined if the provider never received it. Throws ProviderUnavailable. */
  find(key: string, signal: AbortSignal): Promise<ProvidedInvoice | undefined>;
  /** Returns PDF and XML of an invoice. Throws ProviderUnavailable. */
  files(id: string, signal: AbortSignal): Promise<InvoiceFiles>;
  /** Cancels with SAT's motive 03 (the sale did not take place). May be repeated. Throws ProviderUnavailable. */
  cancel(id: string, signal: AbortSignal): Promise<ProvidedInvoice>;
}

/** A field of the receiver that the provider or SAT rejects, and the reason. */
export type ReceiverError = Message & {
  readonly field: 'full_name' | 'rfc' | 'zipcode' | 'fiscal_regime' | 'cfdi_use' | 'email';
};

/** Nothing was issued, and the same data will be refused again. `errors` is empty if the receiver's data is not the reason. */
export class DataRefused extends Error {
  readonly errors: readonly ReceiverError[];
  constructor(errors: readonly ReceiverError[], cause?: unknown) {
    super('the provider refused the data', { cause });
    this.name = 'DataRefused';
    this.errors = errors;
  }
}

/** Nothing was issued or found; the same call may succeed later. */
export class ProviderUnavailable extends Error {
  constructor(cause?: unknown) {
    super('the provider is not available', { cause });
    this.name = 'ProviderUnavailable';
  }
}

/** The invoice may have been issued; `find` tells. */
export class OutcomeUnknown extends Error {
  constructor(cause?: unknown) {
    super('what the provider did is not known', { cause });
    this.name = 'OutcomeUnknown';
  }
}
