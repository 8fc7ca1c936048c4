import type { Cents } from '../domain/money.ts';
import type { Message } from '../messages/messages.ts';
import type { FiscalDocument } from './rules/build/cfdi.ts';
import type { Cancellation, Stamp } from './rules/tax-document.ts';

/**
 * The provider's reference of one attempt to issue a document: the idempotency key of the call, and the key by which the
 * document is found again. Each attempt has its own. The folio is that of the order.
 */
export type DocumentReference = { readonly key: string; readonly folio: string };

/** The provider's record of a document. `pending`: not stamped yet; it may still become `valid` or `failed`. */
export type ProvidedDocument = {
  /** The interface's `cfdi`, at most 30 characters. */
  readonly id: string;
  readonly status: 'pending' | 'valid' | 'failed' | 'cancelled';
  /**
   * `pending`: SAT waits for the receiver. `rejected`: the receiver refused, and the document stays valid. `expired`: the
   * receiver did not answer in time, and the cancellation may be asked for again. `not_cancelable`: SAT cancels no such
   * document, for example one that other valid documents refer to; only an answer of `cancel` says so.
   */
  readonly cancellation: 'none' | 'pending' | 'rejected' | 'expired' | 'not_cancelable' | 'accepted';
  readonly totalCents: Cents;
  /**
   * Null while it is not stamped. `at` is a time with an offset, or without one the local time of the place of issue, which
   * `toIssueInstant` reads.
   */
  readonly stamp: Stamp | null;
  /** False if it has no fiscal validity: it comes from the sandbox, or from a provider's test account. */
  readonly isLive: boolean;
};

export type DocumentFiles = { readonly pdf: Uint8Array; readonly xml: Uint8Array };

/** A provider that issues documents with SAT's stamp. Every call ends when its `signal` aborts. */
export interface InvoicingProvider {
  /** Throws DataRefused, ProviderUnavailable or OutcomeUnknown. A repeated key never issues a second document. */
  issue(document: FiscalDocument, reference: DocumentReference, signal: AbortSignal): Promise<ProvidedDocument>;
  /** Returns the document of this key, or undefined if the provider never received it. Throws ProviderUnavailable. */
  find(key: string, signal: AbortSignal): Promise<ProvidedDocument | undefined>;
  /** Returns PDF and XML of a document. Throws ProviderUnavailable. */
  files(id: string, signal: AbortSignal): Promise<DocumentFiles>;
  /** Returns SAT's receipt of an accepted cancellation (acuse, XML), undefined if there is none. Throws ProviderUnavailable. */
  receipt(id: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /**
   * Cancels a document, or asks again after a rejection or an expiry. May be repeated. With motive 01, the document that
   * replaces it is already valid. Throws ProviderUnavailable.
   */
  cancel(id: string, cancellation: Cancellation, signal: AbortSignal): Promise<ProvidedDocument>;
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

/** Nothing was issued or found; the same call may succeed later, but not before the pause that the provider asks for. */
export class ProviderUnavailable extends Error {
  readonly retryAfterSeconds: number | undefined;
  constructor(cause?: unknown, { retryAfterSeconds }: { readonly retryAfterSeconds?: number | undefined } = {}) {
    super('the provider is not available', { cause });
    this.name = 'ProviderUnavailable';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The invoice may have been issued; `find` tells. */
export class OutcomeUnknown extends Error {
  constructor(cause?: unknown) {
    super('what the provider did is not known', { cause });
    this.name = 'OutcomeUnknown';
  }
}
