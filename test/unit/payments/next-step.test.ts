import { expect, it } from 'vitest';
import {
  type CollectedOrder,
  type OrderAttempt,
  putAttempt,
  startAttempt,
} from '../../../shared/payments/rules/order-payment.ts';
import { type Answer, nextStep, type Step } from '../../../shared/payments/rules/payment-state.ts';

const START = new Date('2026-11-23T18:00:00.000Z');
const HOUR_MS = 3_600_000;
const TERMS = {
  referenceId: 7,
  collection: 'spei',
  amountCents: 13_600,
  now: START,
  termHours: 72,
  returnUrl: null,
} as const;

const NEW = {};
const KNOWN = { providerId: 'pi_1', status: 'open' } as const;
const SUPERSEDED = { superseded: true };
const CANCELLED = { orderStatus: 'cancelled' } as const;
const ERASED = { isErased: true };
const CARD = { ...KNOWN, collection: 'card' } as const;
const OXXO = { ...KNOWN, collection: 'oxxo' } as const;
/** An earlier attempt whose outcome is not known yet. */
const LOOKED_UP = { earlier: 'requested' } as const;

type Circumstances = Partial<CollectedOrder> & { isErased?: boolean; earlier?: 'requested' };

it.each<[Partial<OrderAttempt>, Circumstances, Answer, number, Step]>([
  // An attempt without a reference is requested for 23 hours, and looked up once that is over or it is not wanted.
  [NEW, {}, 'none yet', 0, 'request'],
  [NEW, {}, 'none yet', 22.99, 'request'],
  [NEW, {}, 'none yet', 23, 'look up'],
  [SUPERSEDED, {}, 'none yet', 0, 'look up'],
  [NEW, CANCELLED, 'none yet', 0, 'look up'],
  [NEW, ERASED, 'none yet', 0, 'look up'],
  // An error that the provider repeats for ever leaves only the lookup, and then another number.
  [NEW, {}, 'fixed error', 1, 'look up'],
  [NEW, {}, 'unknown attempt', 1, 'restart'],
  [NEW, LOOKED_UP, 'unknown attempt', 1, 'postpone'],
  // The last call may have begun just before the 23 hours were over.
  [NEW, {}, 'unknown attempt', 23, 'wait'],
  [NEW, {}, 'unknown attempt', 23.24, 'wait'],
  [NEW, {}, 'unknown attempt', 23.25, 'give up'],
  // A concurrent request may still be creating what is not wanted any more.
  [NEW, CANCELLED, 'unknown attempt', 0.24, 'wait'],
  [NEW, CANCELLED, 'unknown attempt', 0.25, 'close'],
  [NEW, ERASED, 'unknown attempt', 0.25, 'close'],
  [SUPERSEDED, {}, 'unknown attempt', 0.24, 'wait'],
  [SUPERSEDED, {}, 'unknown attempt', 0.25, 'close'],
  // A payment that the provider knows is read, and ended once it is unwanted or its time is over.
  [KNOWN, {}, 'none yet', 71.9, 'read'],
  [KNOWN, {}, 'none yet', 72, 'end'],
  [CARD, {}, 'none yet', 72, 'end'],
  [OXXO, {}, 'none yet', 72, 'read'],
  [KNOWN, CANCELLED, 'none yet', 1, 'end'],
  [{ ...OXXO, superseded: true }, {}, 'none yet', 1, 'end'],
  [KNOWN, ERASED, 'none yet', 1, 'read'],
  // The page of a card that was withdrawn for a change that was not stored.
  [{ ...CARD, status: 'processing' }, {}, 'none yet', 1, 'end'],
  [{ ...OXXO, status: 'processing' }, {}, 'none yet', 1, 'read'],
  // What is over is read for late money and disputes.
  [{ ...KNOWN, status: 'paid' }, CANCELLED, 'none yet', 99, 'read'],
  [{ ...KNOWN, status: 'expired', superseded: true }, {}, 'none yet', 99, 'read'],
])(
  'an attempt %j of %j after %j and %d hours: %s',
  (fields, { isErased = false, earlier, ...more }, answer, hours, step) => {
    const started = startAttempt(earlier && startAttempt(undefined, TERMS), TERMS);
    const last = started.attempts.at(-1);
    if (!last) throw new Error('there is an attempt');
    const attempt = { ...last, ...fields };
    const order = {
      orderStatus: 'approved',
      payment: putAttempt(started, attempt),
      updatedAt: START.toISOString(),
      ...more,
    } as const;
    const now = new Date(START.getTime() + hours * HOUR_MS);
    expect(nextStep(attempt, order, { answer, now, isErased })).toBe(step);
  },
);
