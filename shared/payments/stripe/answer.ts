import type Stripe from 'stripe';
import { type Cents, sumCents } from '../../domain/money.ts';
import { logError } from '../../runtime/log.ts';
import type { Dispute, RequestedPayment } from '../provider.ts';
import type { CollectedForm, Collection, ProvidedReference, ProvidedState } from '../rules/payment.ts';
import { toReason } from './client.ts';

/** The answer does not have Stripe's format: a proxy's JSON, for example. */
export class UnexpectedAnswer extends Error {
  constructor(expected: string) {
    super(`not a ${expected} of Stripe`);
    this.name = 'UnexpectedAnswer';
  }
}

type Answer<Kind extends string> = { readonly object: Kind; readonly lastResponse?: { readonly statusCode: number } };

/** The package accepts any JSON without `error`, whatever its HTTP status. Throws UnexpectedAnswer. */
export function checkAnswer<Kind extends string, Checked extends Answer<Kind>>(kind: Kind, answer: Checked): Checked {
  const { object, lastResponse } = answer;
  if (object !== kind || (lastResponse?.statusCode ?? 200) >= 300) throw new UnexpectedAnswer(kind);
  return answer;
}

const MAX_REFERENCE = 50;
const MAX_URL = 200;
const PROVIDER = 'Stripe';

/** Limits a reference to the bounds of the API. Throws if the reference itself is longer. */
function boundReference(reference: ProvidedReference): ProvidedReference {
  const { method, institution, externalUrl } = reference;
  if (reference.reference.length > MAX_REFERENCE) throw new UnexpectedAnswer(`reference of ${method}`);
  const isLong = externalUrl.length > MAX_URL;
  if (isLong)
    logError('the address of a payment is longer than a reference may show', new Error('too long'), { method });
  return { ...reference, institution: institution.slice(0, MAX_REFERENCE), externalUrl: isLong ? '' : externalUrl };
}

export const customerOf = ({ customer }: Stripe.PaymentIntent): string | null =>
  typeof customer === 'string' ? customer : (customer?.id ?? null);

export function collectionOf({ payment_method_types }: Stripe.PaymentIntent): Collection | undefined {
  if (payment_method_types.includes('oxxo')) return 'oxxo';
  return payment_method_types.includes('customer_balance') ? 'spei' : 'card';
}

const fromUnix = (seconds: number): string => new Date(seconds * 1000).toISOString();

export function readVoucher(intent: Stripe.PaymentIntent, expiresAt: string): RequestedPayment {
  const { number, hosted_voucher_url, expires_after } = intent.next_action?.oxxo_display_details ?? {};
  return {
    id: intent.id,
    customer: customerOf(intent),
    reference: boundReference({
      method: 'oxxo',
      // Without a number it was paid or ended before it was read.
      reference: number ?? intent.id,
      institution: 'OXXO',
      externalUrl: hosted_voucher_url ?? '',
    }),
    expiresAt: expires_after ? fromUnix(expires_after) : expiresAt,
  };
}

/** Without instructions (the customer's money covered it, or it has ended) the reference is the intent's id. */
export function readTransfer(intent: Stripe.PaymentIntent, expiresAt: string): RequestedPayment {
  const { financial_addresses, hosted_instructions_url } = intent.next_action?.display_bank_transfer_instructions ?? {};
  const spei = financial_addresses?.find((address) => address.spei)?.spei;
  if (intent.status === 'requires_action' && !spei) throw new UnexpectedAnswer('CLABE');
  return {
    id: intent.id,
    customer: customerOf(intent),
    reference: boundReference({
      method: 'spei',
      reference: spei?.clabe ?? intent.id,
      institution: spei?.bank_name ?? PROVIDER,
      externalUrl: hosted_instructions_url ?? '',
    }),
    expiresAt,
  };
}

/** A card's page must fit, as its address is all that the patient gets. */
export function readLink({ id, url }: Stripe.PaymentLink, expiresAt: string): RequestedPayment {
  if (url.length > MAX_URL) throw new UnexpectedAnswer('short address');
  const reference = boundReference({ method: 'card', reference: id, institution: PROVIDER, externalUrl: url });
  return { id, customer: null, reference, expiresAt };
}

export function readIntentState(intent: Stripe.PaymentIntent, now: Date): ProvidedState {
  switch (intent.status) {
    case 'succeeded':
      return readPaid([intent]);
    case 'canceled':
      return { status: 'cancelled' };
    case 'requires_action':
      return readUnfinished(intent, now);
    case 'requires_payment_method':
      return readUnpaid(intent);
    default:
      return { status: 'processing' };
  }
}

/** A card's page may produce several payment intents. */
export function readPaid(intents: readonly Stripe.PaymentIntent[]): ProvidedState {
  const paidAt = intents.map(bookedAt).toSorted((a, b) => a - b)[0] ?? 0;
  return {
    status: 'paid',
    receivedCents: sumCents(intents.map(({ amount_received }) => amount_received)),
    paidAt: new Date(paidAt * 1000).toISOString(),
    form: intents[0] ? formOf(intents[0]) : '04',
  };
}

function readUnfinished(intent: Stripe.PaymentIntent, now: Date): ProvidedState {
  const { oxxo_display_details: voucher, display_bank_transfer_instructions: transfer } = intent.next_action ?? {};
  // Stripe reports `processing` only some time after the voucher's end.
  if (voucher?.expires_after && voucher.expires_after * 1000 < now.getTime()) return { status: 'processing' };
  const receivedCents: Cents = transfer ? intent.amount - (transfer.amount_remaining ?? intent.amount) : 0;
  return receivedCents > 0 ? { status: 'partly_paid', receivedCents } : { status: 'open' };
}

// A voucher fails only by expiring, with an undocumented code.
function readUnpaid(intent: Stripe.PaymentIntent): ProvidedState {
  if (collectionOf(intent) === 'oxxo') return { status: 'expired' };
  const { decline_code, code } = intent.last_payment_error ?? {};
  return { status: 'failed', reason: toReason(decline_code ?? code) };
}

export const chargeOf = ({ latest_charge }: Stripe.PaymentIntent): Stripe.Charge | null =>
  typeof latest_charge === 'object' ? latest_charge : null;

/** The booking time in seconds. A voucher's charge may be created before it is paid. */
function bookedAt(intent: Stripe.PaymentIntent): number {
  const charge = chargeOf(intent);
  const booking = charge?.balance_transaction;
  return typeof booking === 'object' && booking ? booking.created : (charge?.created ?? intent.created);
}

function formOf(intent: Stripe.PaymentIntent): CollectedForm {
  const collection = collectionOf(intent);
  if (collection === 'oxxo') return '01';
  if (collection === 'spei') return '03';
  const funding = chargeOf(intent)?.payment_method_details?.card?.funding;
  // A prepaid card holds the payer's own money, like a debit card. A wallet's card may be unknown.
  return funding === 'debit' || funding === 'prepaid' ? '28' : '04';
}

// A closed warning, or a complaint that Stripe prevented, takes no money.
const WON: readonly string[] = ['won', 'warning_closed', 'prevented'];

export function readDispute({ status, amount: amountCents }: Stripe.Dispute): Dispute {
  if (WON.includes(status)) return { status: 'won', amountCents };
  return { status: status === 'lost' ? 'lost' : 'open', amountCents };
}
