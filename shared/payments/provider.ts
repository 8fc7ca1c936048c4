import type { Cents } from '../domain/money.ts';
import type { PaymentAttempt, ProvidedReference, ProvidedState } from './rules/payment.ts';

/** The provider's answer to a request for payment, stored with the attempt and shown. */
export type RequestedPayment = {
  /** The API's `external_payment_id`, at most 50 characters. */
  readonly id: string;
  /** The provider's id of the order's customer, for later attempts; null for a card's page. */
  readonly customer: string | null;
  readonly reference: ProvidedReference;
  /** By the provider's own rules. */
  readonly expiresAt: string;
};

/** A payer's complaint to the bank about a card payment. */
export type Dispute = { readonly status: 'open' | 'won' | 'lost'; readonly amountCents: Cents };

export type ProvidedPayment = {
  readonly id: string;
  readonly orderId: number;
  readonly attempt: number;
  readonly amountCents: Cents;
  readonly state: ProvidedState;
  /** Money of the order's customer that belongs to no payment (0 for cards and vouchers); the next transfer attempt gets it. */
  readonly unmatchedCents: Cents;
  /** The last one; null without disputes. */
  readonly dispute: Dispute | null;
};

/** The key consists of the order and the number, so that a repeated call never refunds twice. */
export type RefundRequest = {
  readonly orderId: number;
  readonly number: number;
  readonly payment: string;
  readonly amountCents: Cents;
};

export type ProvidedRefund = {
  readonly id: string;
  readonly amountCents: Cents;
  /** `failed` may follow weeks after `pending` or even `succeeded`; the pharmacy then has the money again. */
  readonly status: 'pending' | 'succeeded' | 'failed';
};

/** The content of a provider's call, which may come late, twice and in any order: read this order's state. */
export type PaymentSign = {
  readonly orderId: number;
  /** Null if the call names none (money of a customer). */
  readonly attempt: number | null;
  readonly about: 'payment' | 'refund' | 'dispute';
};

/** Calls end when `signal` aborts. `PaymentRefused` is final; only after `PaymentOutcomeUnknown` may something have happened. */
export interface PaymentProvider {
  /** Requests the reference of an attempt; for 23 hours a repetition returns the same one. Throws each of the three errors. */
  request(attempt: PaymentAttempt, signal: AbortSignal): Promise<RequestedPayment>;
  /** Looks up an attempt of unknown outcome; undefined if there is none, and for a card's page. Throws PaymentsUnavailable. */
  find(attempt: PaymentAttempt, signal: AbortSignal): Promise<RequestedPayment | undefined>;
  /** Throws PaymentsUnavailable. */
  look(id: string, signal: AbortSignal): Promise<ProvidedPayment>;
  /**
   * Cancels a payment if possible and returns it: `cancelled`, already final (such as `paid`), or still `open` or `processing`
   * if it cannot be cancelled, like a shown voucher. A partial payment is in `unmatchedCents` afterwards. Throws
   * PaymentsUnavailable.
   */
  cancel(id: string, signal: AbortSignal): Promise<ProvidedPayment>;
  /** Like `cancel`, in at most 3 calls: a card's page is closed, and stays `open` while someone may still pay on it. */
  withdraw(id: string, signal: AbortSignal): Promise<ProvidedPayment>;
  /** Refunds a card payment or transfer; a voucher is refused. Throws each of the three errors. */
  refund(request: RefundRequest, signal: AbortSignal): Promise<ProvidedRefund>;
  /** Returns undefined if the provider never received the refund. Throws PaymentsUnavailable. */
  findRefund(request: RefundRequest, signal: AbortSignal): Promise<ProvidedRefund | undefined>;
  /** Undefined if the call concerns no order of this server. Throws CallNotSigned, or PaymentsUnavailable to get it again. */
  readCall(call: ProviderCall, signal: AbortSignal): Promise<PaymentSign | undefined>;
}

export type ProviderCall = {
  readonly body: Uint8Array;
  /** The header `Stripe-Signature`. */
  readonly signature: string | undefined;
};

/** Nothing happened, and the same call will be refused again. `reason` is the provider's code, at most 50 characters. */
export class PaymentRefused extends Error {
  readonly reason: string;
  constructor(reason: string, cause?: unknown) {
    super(`the payment provider refused: ${reason}`, { cause });
    this.name = 'PaymentRefused';
    this.reason = reason;
  }
}

/** Nothing happened; the same call may succeed later. */
export class PaymentsUnavailable extends Error {
  constructor(cause?: unknown) {
    super('the payment provider is not available', { cause });
    this.name = 'PaymentsUnavailable';
  }
}

export class PaymentOutcomeUnknown extends Error {
  /** True if repeated calls get this error for ever: only `find` or `findRefund` helps, and a new attempt under a new number. */
  readonly isStored: boolean;
  constructor(cause?: unknown, { isStored = false }: { readonly isStored?: boolean } = {}) {
    super('what the payment provider did is not known', { cause });
    this.name = 'PaymentOutcomeUnknown';
    this.isStored = isStored;
  }
}

/** The signature is missing, invalid, too old or in the future. */
export class CallNotSigned extends Error {
  constructor(cause?: unknown) {
    super('the call is not signed by the payment provider', { cause });
    this.name = 'CallNotSigned';
  }
}
