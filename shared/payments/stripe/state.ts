import type Stripe from 'stripe';
import { type Cents, sumCents } from '../../domain/money.ts';
import type { Dispute } from '../provider.ts';
import type { CollectedForm, ProvidedState } from '../rules/payment.ts';
import { collectionOf } from './answer.ts';
import { toReason } from './failure.ts';

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
