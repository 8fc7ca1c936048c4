import type { Cents } from '../domain/money.ts';
import type { Message } from '../messages/messages.ts';
import type { FiscalDocument } from './rules/build/cfdi.ts';
import type { Cancellation, Stamp } from './rules/tax-document.ts';

/** `key`: the idempotency key of the call, unique per attempt, by which the document is found again. `folio`: the order's. */
export type DocumentReference = { readonly key: string; readonly folio: string };

/** `pending`: not stamped yet; it may still become `valid` or `failed`. */
export type ProvidedDocument = {
  /** The API's `cfdi`, at most 30 characters. */
  readonly id: string;
  readonly status: 'pending' | 'valid' | 'failed' | 'cancelled';
  /**
   * `pending`: SAT waits for the receiver. `rejected`: the receiver refused, and the document stays valid. `expired`: the
   * receiver did not answer in time, and the cancellation may be requested again. `not_cancelable`: SAT does not cancel this
   * document, for example because valid ones refer to it; only `cancel` returns it.
   */
  readonly cancellation: 'none' | 'pending' | 'rejected' | 'expired' | 'not_cancelable' | 'accepted';
  readonly totalCents: Cents;
  /** Null until it is stamped. `at` has an offset, or is the local time of the place of issue (see `toIssueInstant`). */
  readonly stamp: Stamp | null;
  /** False without fiscal validity: from the sandbox or a test account. */
  readonly isLive: boolean;
};

export type DocumentFiles = { readonly pdf: Uint8Array; readonly xml: Uint8Array };

/** A provider that issues documents with SAT's stamp. Every call ends when its `signal` aborts. */
export interface InvoicingProvider {
  /** Throws DataRefused, ProviderUnavailable or OutcomeUnknown. A repeated key never issues a second document. */
  issue(document: FiscalDocument, reference: DocumentReference, signal: AbortSignal): Promise<ProvidedDocument>;
  /** Returns the document of this key, or undefined if the provider never received it. Throws ProviderUnavailable. */
  find(key: string, signal: AbortSignal): Promise<ProvidedDocument | undefined>;
  files(id: string, signal: AbortSignal): Promise<DocumentFiles>;
  /** Returns SAT's receipt of an accepted cancellation (acuse, XML); undefined if there is none. Throws ProviderUnavailable. */
  receipt(id: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** May be repeated after a rejection or expiry. With motive 01 the substitute is already valid. Throws ProviderUnavailable. */
  cancel(id: string, cancellation: Cancellation, signal: AbortSignal): Promise<ProvidedDocument>;
}

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

/** Nothing was issued or found; the same call may succeed later, after the provider's pause. */
export class ProviderUnavailable extends Error {
  readonly retryAfterSeconds: number | undefined;
  constructor(cause?: unknown, { retryAfterSeconds }: { readonly retryAfterSeconds?: number | undefined } = {}) {
    super('the provider is not available', { cause });
    this.name = 'ProviderUnavailable';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The document may have been issued; `find` looks it up. */
export class OutcomeUnknown extends Error {
  constructor(cause?: unknown) {
    super('what the provider did is not known', { cause });
    this.name = 'OutcomeUnknown';
  }
}
