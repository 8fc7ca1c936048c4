import type { Cents } from '../domain/money.ts';
import type { PaymentAttempt, ProvidedReference, ProvidedState } from './rules/payment.ts';

/** The provider's answer to a request for payment: stored with the attempt, and shown. */
export type RequestedPayment = {
  /** The interface's `external_payment_id`, at most 50 characters. */
  readonly id: string;
  /** The provider's id of the order's customer, for later attempts; null for a card's page, which has none. */
  readonly customer: string | null;
  readonly reference: ProvidedReference;
  /** The instant until which it can be paid, by the provider's own rules. */
  readonly expiresAt: string;
};

/** A payer's complaint to the bank about a card's payment. */
export type Dispute = { readonly status: 'open' | 'won' | 'lost'; readonly amountCents: Cents };

/** The provider's record of a payment, with the order and the number of the attempt that it was asked for. */
export type ProvidedPayment = {
  readonly id: string;
  readonly orderId: number;
  readonly attempt: number;
  readonly amountCents: Cents;
  readonly state: ProvidedState;
  /**
   * Money of the order's customer that belongs to no payment: the same for every payment of an order, 0 for cards and
   * vouchers. The provider puts it to the next attempt by transfer.
   */
  readonly unmatchedCents: Cents;
  /** Null if there was none; the last one if there were several. */
  readonly dispute: Dispute | null;
};

/** One refund of an order. Its key is made of the order and the number, so that a repeated call never refunds twice. */
export type RefundRequest = {
  readonly orderId: number;
  readonly number: number;
  /** The `id` of the payment that is refunded. */
  readonly payment: string;
  readonly amountCents: Cents;
};

export type ProvidedRefund = {
  readonly id: string;
  readonly amountCents: Cents;
  /** `failed` may come weeks after `pending`, and even after `succeeded`; the money is then with the pharmacy again. */
  readonly status: 'pending' | 'succeeded' | 'failed';
};

/** A call of the provider, which comes late, twice and in any order: a sign that the state of this order is to be read. */
export type PaymentSign = {
  readonly orderId: number;
  /** The attempt that it is about, null if the call names none (money of a customer). */
  readonly attempt: number | null;
  readonly about: 'payment' | 'refund' | 'dispute';
};

/**
 * A provider that collects orders. Every call ends when its `signal` aborts, with one of the errors below: `PaymentRefused`
 * for good, `PaymentsUnavailable` if nothing happened, and `PaymentOutcomeUnknown` where something may have happened.
 */
export interface PaymentProvider {
  /**
   * Asks for the reference of an attempt. A repeated attempt brings the same reference for 23 hours and never a second
   * one. Throws each of the three errors.
   */
  request(attempt: PaymentAttempt, signal: AbortSignal): Promise<RequestedPayment>;
  /**
   * Returns what an attempt with an unknown outcome has brought, or undefined if the provider knows nothing of it. The page
   * of a card cannot be found again: nobody has its address, and the answer is undefined. Throws PaymentsUnavailable.
   */
  find(attempt: PaymentAttempt, signal: AbortSignal): Promise<RequestedPayment | undefined>;
  /** Throws PaymentsUnavailable. */
  look(id: string, signal: AbortSignal): Promise<ProvidedPayment>;
  /**
   * Cancels a payment where that is possible, and returns it as it is then: `cancelled`, or final before (`paid` among
   * them), or still `open` or `processing` if it cannot be cancelled, as a voucher that was shown. What was partly paid is
   * in `unmatchedCents` afterwards. May be repeated. Throws PaymentsUnavailable.
   */
  cancel(id: string, signal: AbortSignal): Promise<ProvidedPayment>;
  /**
   * Ends a payment like `cancel`, in at most 3 calls: the page of a card takes no new payer, and is `open` while one who has
   * opened it before may still pay. May be repeated. Throws PaymentsUnavailable.
   */
  withdraw(id: string, signal: AbortSignal): Promise<ProvidedPayment>;
  /** Gives back what came by card or transfer. Throws each of the three errors; a voucher is refused. */
  refund(request: RefundRequest, signal: AbortSignal): Promise<ProvidedRefund>;
  /** Returns undefined if the provider never received the refund. Throws PaymentsUnavailable. */
  findRefund(request: RefundRequest, signal: AbortSignal): Promise<ProvidedRefund | undefined>;
  /**
   * Reads a call of the provider: the raw body and its signature header. Undefined if it says nothing about an order of
   * this server. Throws CallNotSigned if it is not the provider's, PaymentsUnavailable if it has to come again.
   */
  readCall(call: ProviderCall, signal: AbortSignal): Promise<PaymentSign | undefined>;
}

export type ProviderCall = {
  readonly body: Uint8Array;
  /** The value of the header `Stripe-Signature`. */
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

/** Something may have happened. */
export class PaymentOutcomeUnknown extends Error {
  /**
   * False: the same call tells what happened. True: the provider repeats this answer for ever, so that only `find` or
   * `findRefund` tells, and what is not found needs another number.
   */
  readonly isStored: boolean;
  constructor(cause?: unknown, { isStored = false }: { readonly isStored?: boolean } = {}) {
    super('what the payment provider did is not known', { cause });
    this.name = 'PaymentOutcomeUnknown';
    this.isStored = isStored;
  }
}

/** The call has no valid signature, or one that is too old or ahead of the time. */
export class CallNotSigned extends Error {
  constructor(cause?: unknown) {
    super('the call is not signed by the payment provider', { cause });
    this.name = 'CallNotSigned';
  }
}
