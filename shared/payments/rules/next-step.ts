import { type CollectedOrder, isAttemptOver, isUnwanted, type OrderAttempt } from './order-payment.ts';

/** What the provider has answered about an attempt in this pass; `fixed error`: it repeats its error for this key for ever. */
export type Answer = 'none yet' | 'fixed error' | 'unknown attempt';

export type Step =
  /** Ask for the reference, under the attempt's key. */
  | 'request'
  /** Find out whether an earlier call has made it. */
  | 'look up'
  /** Read the state of the payment. */
  | 'read'
  /** Cancel or withdraw the payment, and read its state. */
  | 'end'
  /** Start the attempt anew under the next number. */
  | 'restart'
  /** Record that the provider made no reference; an alarm calls an operator. */
  | 'give up'
  /** Record that an unwanted attempt was never made. */
  | 'close'
  /** Nothing, before more time has passed. */
  | 'wait'
  /** Nothing, before the lookup of an earlier attempt has ended. */
  | 'postpone';

type Situation = {
  readonly answer: Answer;
  readonly now: Date;
  /** True once the patient is erased: nothing more is asked for. */
  readonly isErased: boolean;
};
type OrderOfAttempt = Pick<CollectedOrder, 'orderStatus' | 'payment' | 'paymentMethod'> & {
  readonly updatedAt: string;
};

// The provider forgets the key of a call after 24 hours; then the same call would make another reference.
const REQUESTED_FOR_MS = 23 * 3_600_000;
// A call lasts some seconds: what the provider does not know so long after the last call can have begun, it never received.
const LOST_AFTER_MS = 15 * 60_000;

/** Returns the next step of an attempt, by what is stored of it and what the provider has answered just now. */
export function nextStep(attempt: OrderAttempt, order: OrderOfAttempt, { answer, now, isErased }: Situation): Step {
  const isWanted = !isUnwanted(attempt, order) && !isErased;
  if (attempt.providerId !== null) return isToEnd(attempt, order, now) ? 'end' : 'read';

  const requestedMs = now.getTime() - Date.parse(attempt.firstRequestedAt);
  const isRequestable = isWanted && requestedMs < REQUESTED_FOR_MS;
  if (answer === 'none yet') return isRequestable ? 'request' : 'look up';
  if (answer === 'fixed error') return 'look up';

  if (isRequestable) return isEarlierLookedUp(order) ? 'postpone' : 'restart';
  if (isWanted) return requestedMs < REQUESTED_FOR_MS + LOST_AFTER_MS ? 'wait' : 'give up';
  // A concurrent request may still be creating it at the provider.
  return now.getTime() - getUnwantedSinceMs(attempt, order) < LOST_AFTER_MS ? 'wait' : 'close';
}

/**
 * True if a payment is not wanted any more, or its time is over; a voucher ends by itself. The page of a card is `processing`
 * only if it was withdrawn for a change that was not stored.
 */
function isToEnd(attempt: OrderAttempt, order: OrderOfAttempt, now: Date): boolean {
  if (isAttemptOver(attempt)) return false;
  const { collection } = order.paymentMethod;
  const isWithdrawn = collection === 'card' && attempt.status === 'processing';
  const hasExpired = collection !== 'oxxo' && attempt.expiresAt <= now.toISOString();
  return isUnwanted(attempt, order) || isWithdrawn || hasExpired;
}

/** The next attempt waits for the lookup of an earlier one, so that whoever asks every few seconds does not pile up attempts. */
const isEarlierLookedUp = ({ payment }: OrderOfAttempt): boolean =>
  payment?.attempts.some(({ superseded, status }) => superseded && status === 'requested') ?? false;

/** Returns when an attempt was still wanted at the latest: when the next one took its place, else when its order last changed. */
function getUnwantedSinceMs({ number }: OrderAttempt, { payment, updatedAt }: OrderOfAttempt): number {
  const next = payment?.attempts.find((one) => one.number > number);
  return Date.parse(next?.createdAt ?? updatedAt);
}
