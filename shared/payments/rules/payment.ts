import type { Cents } from '../../domain/money.ts';

/** How a payment provider collects an order (`collection` of a payment method). */
export const COLLECTIONS = ['card', 'oxxo', 'spei'] as const;
export type Collection = (typeof COLLECTIONS)[number];

type Bounds = { readonly leastCents: Cents; readonly mostCents: Cents };
// Stripe takes eight digits at most (https://docs.stripe.com/api/payment_intents/create).
const EIGHT_DIGITS: Bounds = { leastCents: 1, mostCents: 99_999_999 };

/** OXXO's bounds are those of one voucher (https://docs.stripe.com/payments/oxxo). */
export const COLLECTABLE: Readonly<Record<Collection, Bounds>> = {
  card: EIGHT_DIGITS,
  oxxo: { leastCents: 1_000, mostCents: 1_000_000 },
  spei: EIGHT_DIGITS,
};

export const isCollectable = (collection: Collection, amount: Cents): boolean =>
  COLLECTABLE[collection].leastCents <= amount && amount <= COLLECTABLE[collection].mostCents;

// Transfers arrive within a day or two; the provider's call reports later ones.
export const ACCOUNT_DAYS = 30;

/** SAT's c_FormaPago of what is collected: cash, transfer, credit card, debit card. */
export type CollectedForm = '01' | '03' | '04' | '28';

/** An attempt as stored before the provider is asked. It never changes, since a repeated call must repeat every parameter. */
export type PaymentAttempt = {
  readonly orderId: number;
  readonly folio: string;
  readonly number: number;
  readonly collection: Collection;
  readonly amountCents: Cents;
  /** The patient's first and last name. Name and e-mail are all that the provider learns about a person. */
  readonly payerName: string;
  readonly payerEmail: string;
  /** The provider's id of the order's customer from an earlier attempt; null if there is none. */
  readonly customer: string | null;
  /** The address to which a card's page leads after the payment. */
  readonly returnUrl: string | null;
  readonly createdAt: string;
  /** A voucher may end some hours later, at the end of a day. */
  readonly expiresAt: string;
};

/** The API's PaymentReference: `reference` and `institution` at most 50 characters, `externalUrl` at most 200. */
export type ProvidedReference = {
  readonly method: Collection;
  /** The voucher's number, the CLABE, or the provider's id of a card's page. */
  readonly reference: string;
  /** `OXXO`, the bank of the CLABE, or the provider. */
  readonly institution: string;
  /** The page on which the patient pays; "" if none fits. */
  readonly externalUrl: string;
};

/**
 * `open`: the patient may still pay, also after a declined card. `processing`: the provider works on it; so is an expired
 * voucher until the provider's last word. `failed`, `expired` and `cancelled` are final, although money of a transfer may stay
 * with the customer (`unmatchedCents`). Only a voucher expires by itself: a card's page and a CLABE stay `open` until they are
 * cancelled after `expiresAt`, which counts as expired.
 */
export type ProvidedState =
  | { readonly status: 'open' | 'processing' | 'expired' | 'cancelled' }
  | { readonly status: 'partly_paid'; readonly receivedCents: Cents }
  /** `paidAt`: the provider's booking time. */
  | { readonly status: 'paid'; readonly receivedCents: Cents; readonly paidAt: string; readonly form: CollectedForm }
  /** `reason` is the provider's code, at most 50 characters. */
  | { readonly status: 'failed'; readonly reason: string };
