import { type CollectedOrder, isAttemptOver, isUnwanted, type OrderAttempt } from './order-payment.ts';

/** The provider's answer in this pass. `fixed error`: it repeats its error for this key for ever. */
export type Answer = 'none yet' | 'fixed error' | 'unknown attempt';

export type Step =
  /** Request the reference, under the attempt's key. */
  | 'request'
  /** Find out whether an earlier call made it. */
  | 'look up'
  | 'read'
  /** Cancel or withdraw the payment, and read its state. */
  | 'end'
  /** Start the attempt anew under the next number. */
  | 'restart'
  /** Record that the provider made no reference; an alarm calls an operator. */
  | 'give up'
  /** Record that an unwanted attempt was never made. */
  | 'close'
  /** Wait for time to pass. */
  | 'wait'
  /** Wait for the lookup of an earlier attempt. */
  | 'postpone';

type Situation = {
  readonly answer: Answer;
  readonly now: Date;
  /** Nothing more is requested for an erased patient. */
  readonly isErased: boolean;
};
type OrderOfAttempt = Pick<CollectedOrder, 'orderStatus' | 'payment'> & {
  readonly updatedAt: string;
};

// The provider forgets a call's key after 24 hours, and would then make another reference.
const REQUESTED_FOR_MS = 23 * 3_600_000;
// A call lasts some seconds: an attempt that the provider does not know by then was never received.
const LOST_AFTER_MS = 15 * 60_000;

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

/** A voucher expires by itself. A card's page is `processing` only if it was withdrawn for a change that was not stored. */
function isToEnd(attempt: OrderAttempt, order: OrderOfAttempt, now: Date): boolean {
  if (isAttemptOver(attempt)) return false;
  const { collection } = attempt;
  const isWithdrawn = collection === 'card' && attempt.status === 'processing';
  const hasExpired = collection !== 'oxxo' && attempt.expiresAt <= now.toISOString();
  return isUnwanted(attempt, order) || isWithdrawn || hasExpired;
}

/** True while an earlier attempt is looked up; the next one waits, so that frequent requests do not pile up attempts. */
const isEarlierLookedUp = ({ payment }: OrderOfAttempt): boolean =>
  payment?.attempts.some(({ superseded, status }) => superseded && status === 'requested') ?? false;

/** Returns the time at which the next attempt replaced this one, or else of the order's last change. */
function getUnwantedSinceMs({ number }: OrderAttempt, { payment, updatedAt }: OrderOfAttempt): number {
  const next = payment?.attempts.find((other) => other.number > number);
  return Date.parse(next?.createdAt ?? updatedAt);
}
