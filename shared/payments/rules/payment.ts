import type { Cents } from '../../domain/money.ts';

/** The ways in which a payment provider collects an order (`collection` of a payment method). */
export const COLLECTIONS = ['card', 'oxxo', 'spei'] as const;
export type Collection = (typeof COLLECTIONS)[number];

type Bounds = { readonly leastCents: Cents; readonly mostCents: Cents };
// Stripe takes eight digits at most (https://docs.stripe.com/api/payment_intents/create).
const EIGHT_DIGITS: Bounds = { leastCents: 1, mostCents: 99_999_999 };

/** The amounts that can be collected in each way; those of OXXO are of one voucher (https://docs.stripe.com/payments/oxxo). */
export const COLLECTABLE: Readonly<Record<Collection, Bounds>> = {
  card: EIGHT_DIGITS,
  oxxo: { leastCents: 1_000, mostCents: 1_000_000 },
  spei: EIGHT_DIGITS,
};

export const isCollectable = (collection: Collection, amount: Cents): boolean =>
  COLLECTABLE[collection].leastCents <= amount && amount <= COLLECTABLE[collection].mostCents;

// Transfers arrive within a day or two; one that comes later still is told by a call of the provider.
export const ACCOUNT_DAYS = 30;

/** The forms of payment of SAT (c_FormaPago) of what is collected: cash, transfer, credit card, debit card. */
export type CollectedForm = '01' | '03' | '04' | '28';

/**
 * One attempt to collect an order, as it is stored before the provider is asked. Nothing in it ever changes, since a
 * repeated call has to repeat every parameter; another amount, or new references, are another attempt.
 */
export type PaymentAttempt = {
  readonly orderId: number;
  readonly folio: string;
  readonly number: number;
  readonly collection: Collection;
  readonly amountCents: Cents;
  /** The patient's first and last name, and an e-mail: all that the provider learns about a person. */
  readonly payerName: string;
  readonly payerEmail: string;
  /** The provider's id of the order's customer from an earlier attempt; null if no attempt has brought one. */
  readonly customer: string | null;
  /** The address to which a card's page leads once it is paid. */
  readonly returnUrl: string | null;
  readonly createdAt: string;
  /** The instant until which it may be paid. A voucher's may come out some hours later, as it ends with a day. */
  readonly expiresAt: string;
};

/** The interface's PaymentReference: `reference` and `institution` at most 50 characters, `externalUrl` at most 200. */
export type ProvidedReference = {
  readonly method: Collection;
  /** The voucher's number, the CLABE, or the provider's id of a card's page. */
  readonly reference: string;
  /** `OXXO`, the bank of the CLABE, or the provider. */
  readonly institution: string;
  /** The page on which the patient pays; "" if the provider has none that fits. */
  readonly externalUrl: string;
};

/**
 * The state of an attempt as the provider tells it.
 *
 * `open`: the patient has yet to pay, and may still do so, also after a declined card. `partly_paid`: less than the amount
 * has come. `processing`: the provider works on it; a voucher whose time is over is so until the provider's last word.
 * `failed`, `expired` and `cancelled` are final: nothing more comes by it, except for the money of a transfer, which stays
 * with the customer (`unmatchedCents`).
 *
 * Only a voucher expires by itself. The page of a card and a CLABE stay `open` after `expiresAt`: whoever looks after them
 * cancels them then, and counts what is `cancelled` as expired.
 */
export type ProvidedState =
  | { readonly status: 'open' | 'processing' | 'expired' | 'cancelled' }
  | { readonly status: 'partly_paid'; readonly receivedCents: Cents }
  /** `paidAt` is when the provider booked it. */
  | { readonly status: 'paid'; readonly receivedCents: Cents; readonly paidAt: string; readonly form: CollectedForm }
  /** `reason` is the provider's code, at most 50 characters. */
  | { readonly status: 'failed'; readonly reason: string };
