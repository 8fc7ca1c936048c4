import type { Invoice } from '../domain/invoices/invoice.ts';
import type { Cents } from '../domain/money.ts';
import type { Message } from '../messages/messages.ts';

/**
 * What a provider calls one attempt to invoice an order: the idempotency key of the issuing and the reference under
 * which it is found again. Each attempt has its own.
 */
export type InvoiceReference = { readonly key: string; readonly folio: string };

/** An invoice as its provider has it. `pending`: not stamped yet, it may still become `valid` or `failed`. */
export type ProvidedInvoice = {
  /** At most 30 characters; what the interface shows as `cfdi`. */
  readonly id: string;
  readonly status: 'pending' | 'valid' | 'failed' | 'cancelled';
  /** Where SAT waits for the receiver, `pending`; `rejected` by the receiver, the invoice stays valid. */
  readonly cancellation: 'none' | 'pending' | 'rejected' | 'accepted';
  readonly totalCents: Cents;
};

export type InvoiceFiles = { readonly pdf: Uint8Array; readonly xml: Uint8Array };

/** What issues invoices with SAT's stamp. Every call ends by itself: `signal` is its deadline. */
export interface InvoicingProvider {
  /** Throws DataRefused, ProviderUnavailable or OutcomeUnknown. A repeated key never issues a second invoice. */
  issue(invoice: Invoice, reference: InvoiceReference, signal: AbortSignal): Promise<ProvidedInvoice>;
  /** The invoice of that reference, if it was ever taken. Throws ProviderUnavailable. */
  find(key: string, signal: AbortSignal): Promise<ProvidedInvoice | undefined>;
  /** Throws ProviderUnavailable. */
  files(id: string, signal: AbortSignal): Promise<InvoiceFiles>;
  /** Cancels with SAT's motive 03, the sale did not take place. May be repeated. Throws ProviderUnavailable. */
  cancel(id: string, signal: AbortSignal): Promise<ProvidedInvoice>;
}

/** A field of the receiver that the provider, or SAT behind it, does not accept, and why. */
export type ReceiverError = Message & {
  readonly field: 'full_name' | 'rfc' | 'zipcode' | 'fiscal_regime' | 'cfdi_use' | 'email';
};

/** Nothing was issued, and the same data will be refused again. No errors: the reason lies in nothing the receiver sent. */
export class DataRefused extends Error {
  readonly errors: readonly ReceiverError[];
  constructor(errors: readonly ReceiverError[], cause?: unknown) {
    super('the provider refused the data', { cause });
    this.name = 'DataRefused';
    this.errors = errors;
  }
}

/** Nothing was issued, or nothing found out; the same call may pass later. */
export class ProviderUnavailable extends Error {
  constructor(cause?: unknown) {
    super('the provider is not available', { cause });
    this.name = 'ProviderUnavailable';
  }
}

/** It may have been issued or not: only `find` can tell. */
export class OutcomeUnknown extends Error {
  constructor(cause?: unknown) {
    super('what the provider did is not known', { cause });
    this.name = 'OutcomeUnknown';
  }
}
