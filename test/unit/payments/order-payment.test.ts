import { describe, expect, it } from 'vitest';
import { sortDue } from '../../../shared/payments/reconcile-payments.ts';
import {
  type CollectedOrder,
  findCurrentAttempt,
  findOpenAttempt,
  findShown,
  isPayable,
  mayAddReference,
  type OrderAttempt,
  type OrderPayment,
  putAttempt,
  startAttempt,
  supersedeAttempts,
} from '../../../shared/payments/rules/order-payment.ts';
import { COLLECTIONS, isCollectable, type ProvidedState } from '../../../shared/payments/rules/payment.ts';
import {
  getMismatchCents,
  handleExceptions,
  listPaymentExceptions,
} from '../../../shared/payments/rules/payment-exceptions.ts';
import {
  type Answer,
  applyProvided,
  nextStep,
  recordReference,
  refuseAttempt,
  type Step,
} from '../../../shared/payments/rules/payment-state.ts';

const NOW = new Date('2026-11-23T18:00:00.000Z');
const LATER = new Date('2026-11-27T18:00:00.000Z');
const TERMS = {
  referenceId: 7,
  collection: 'oxxo',
  amountCents: 13_600,
  now: NOW,
  termHours: 72,
  returnUrl: null,
} as const;
const ASKED = {
  id: 'pi_1',
  customer: 'cus_1',
  expiresAt: '2026-11-26T18:00:00.000Z',
  reference: { method: 'oxxo', reference: '9300', institution: 'OXXO', externalUrl: 'https://pay.example/1' },
} as const;

/** Returns a payment with one attempt, whose reference is there. */
const asked = (payment?: OrderPayment): OrderPayment => {
  const started = startAttempt(payment, TERMS);
  const attempt = findCurrentAttempt({ payment: started });
  return attempt ? recordReference(started, attempt, ASKED) : started;
};
const order = (payment: OrderPayment, more: Partial<CollectedOrder> = {}): CollectedOrder => ({
  orderStatus: 'approved',
  paymentStatus: 'unpaid',
  totalCents: 13_600,
  paymentMethod: { collection: 'oxxo' },
  payment,
  ...more,
});
const news = (state: ProvidedState, more = {}) => ({ attempt: 1, state, unmatchedCents: 0, dispute: null, ...more });
const paid = (receivedCents = 13_600) =>
  ({ status: 'paid', receivedCents, paidAt: '2026-11-24T09:00:00.000Z', form: '01' }) as const;

const PAID = {
  ...{ paymentStatus: 'paid', paymentDate: '2026-11-24T09:00:00.000Z', paymentForm: '01' },
  rejectionReason: null,
};
const rejectedAs = (rejectionReason: string) => ({ paymentStatus: 'rejected', rejectionReason });

describe('what the provider says of the current attempt', () => {
  it.each<[ProvidedState, Date, object]>([
    [{ status: 'open' }, NOW, {}],
    [{ status: 'partly_paid', receivedCents: 100 }, NOW, {}],
    [{ status: 'processing' }, LATER, { paymentStatus: 'in_process' }],
    [paid(), NOW, PAID],
    // Less than the total is not paid.
    [paid(13_599), NOW, {}],
    [{ status: 'failed', reason: 'card_declined' }, NOW, rejectedAs('card_declined')],
    [{ status: 'expired' }, LATER, rejectedAs('expired')],
    // A CLABE and the page of a card are cancelled when their time is over.
    [{ status: 'cancelled' }, LATER, rejectedAs('expired')],
    [{ status: 'cancelled' }, NOW, rejectedAs('cancelled')],
  ])('%j moves the payment of its order', (state, now, moved) => {
    const { payment: _, ...change } = applyProvided(order(asked()), news(state), now) ?? {};
    expect(change).toEqual(moved);
  });

  it.each<[Partial<CollectedOrder>, ProvidedState, string | undefined]>([
    [{ paymentStatus: 'paid' }, paid(), undefined],
    [{ paymentStatus: 'credit' }, paid(), undefined],
    [{ paymentStatus: 'rejected' }, paid(), 'paid'],
    [{ orderStatus: 'cancelled' }, paid(), 'paid'],
    [{ orderStatus: 'cancelled' }, { status: 'expired' }, undefined],
    [{ orderStatus: 'cancelled', paymentStatus: 'in_process' }, { status: 'expired' }, 'rejected'],
  ])('of an order that is %j, that it is %j makes it %s', (more, state, expected) => {
    expect(applyProvided(order(asked(), more), news(state), LATER)?.paymentStatus).toBe(expected);
  });

  it('is nothing for an attempt that the order does not have', () => {
    expect(applyProvided(order(asked()), news(paid(), { attempt: 2 }), NOW)).toBeUndefined();
  });
});

describe('a superseded attempt', () => {
  const two = asked(asked());

  it('has its money told apart', () => {
    expect(findCurrentAttempt({ payment: two })?.number).toBe(2);
    const change = applyProvided(order(two), news(paid(5_000)), NOW);
    expect(change?.paymentStatus).toBeUndefined();
    const after = order(change?.payment ?? two);
    expect([getMismatchCents(after), listPaymentExceptions(after)]).toEqual([5_000, ['mismatch']]);
    const handled = order(handleExceptions({ ...after, payment: change?.payment ?? two }));
    expect(listPaymentExceptions(handled)).toEqual([]);
  });

  it('does not change the customer of the order when its reference is found late', () => {
    const lost = startAttempt(startAttempt(undefined, TERMS), TERMS);
    const [first, second] = lost.attempts;
    if (!first || !second) throw new Error('there are two attempts');
    const other = { ...ASKED, customer: 'cus_2' };
    expect(recordReference(recordReference(lost, second, other), first, ASKED).customer).toBe('cus_2');
    expect(recordReference(recordReference(lost, first, ASKED), second, other).customer).toBe('cus_2');
  });

  it('is forgotten once it is over without money, unless the money of the customer is read through it', () => {
    const expire = (payment: OrderPayment): OrderPayment => {
      const last = payment.attempts.at(-1);
      return last ? putAttempt(payment, { ...last, status: 'expired' }) : payment;
    };
    const numbersOfNext = (payment: OrderPayment) => startAttempt(payment, TERMS).attempts.map(({ number }) => number);
    const over = expire(asked());
    expect(numbersOfNext(over)).toEqual([1, 2]);
    // The provider knows a later one of the same customer.
    expect(numbersOfNext(expire(asked(over)))).toEqual([2, 3]);
    // It never knew the second one.
    expect(numbersOfNext(expire(startAttempt(over, TERMS)))).toEqual([1, 3]);
    // A card has no customer.
    expect(numbersOfNext({ ...over, customer: null })).toEqual([2]);
  });
});

describe('money beside the total that an operator has dealt with', () => {
  // The money kept, and what an operator has dealt with of it, before; what is kept then, and what of it is listed.
  it.each([
    [100, 100, 0, 0, []],
    [100, 100, 40, 40, []],
    [100, 100, 150, 100, ['mismatch']],
    [150, 100, 50, 0, ['mismatch']],
  ])('%i kept, %i dealt with, then %i: %i dealt with', (before, handledCents, unmatchedCents, handled, lists) => {
    const known = order({ ...asked(), unmatchedCents: before, handledCents });
    const { payment } = applyProvided(known, news({ status: 'open' }, { unmatchedCents }), NOW) ?? {};
    expect(payment?.handledCents).toBe(handled);
    expect(payment && listPaymentExceptions(order(payment))).toEqual(lists);
  });
});

it('an order shows the reference of the current attempt once it is made, also when it is paid, but not once it ended', () => {
  expect(findShown({ payment: asked() })?.referenceId).toBe(7);
  const applied = (state: ProvidedState) => applyProvided(order(asked()), news(state), LATER)?.payment;
  expect(findShown({ payment: applied(paid()) })?.referenceId).toBe(7);
  for (const payment of [startAttempt(undefined, TERMS), supersedeAttempts(asked()), applied({ status: 'expired' })])
    expect(findShown({ payment })).toBeUndefined();
});

it.each([
  [0, []],
  [1, ['card', 'spei']],
  [999, ['card', 'spei']],
  [1_000, ['card', 'oxxo', 'spei']],
  [1_000_000, ['card', 'oxxo', 'spei']],
  [1_000_001, ['card', 'spei']],
  [99_999_999, ['card', 'spei']],
  [100_000_000, []],
])('an amount of %i cents can be collected by %j', (cents, possible) => {
  expect(COLLECTIONS.filter((collection) => isCollectable(collection, cents))).toEqual(possible);
});

describe('an order', () => {
  it.each<[string, Partial<CollectedOrder>, boolean]>([
    ['unpaid', {}, true],
    ['of more than OXXO takes', { totalCents: 1_000_001 }, false],
    ['rejected', { paymentStatus: 'rejected' }, true],
    ['paid', { paymentStatus: 'paid' }, false],
    ['being paid', { paymentStatus: 'in_process' }, false],
    ['on credit', { paymentStatus: 'credit' }, false],
    ['cancelled', { orderStatus: 'cancelled' }, false],
    ['of 0.00', { totalCents: 0 }, false],
    ['not collected', { paymentMethod: {} }, false],
  ])('that is %s can be paid anew or not', (_, more, expected) => {
    expect(isPayable(order(asked(), more))).toBe(expected);
  });

  it('has at most five references that can still be paid', () => {
    let payment = asked();
    for (let count = 1; count < 4; count++) payment = asked(payment);
    expect([payment.attempts.length, mayAddReference({ payment })]).toEqual([4, true]);
    payment = asked(payment);
    expect([payment.attempts.length, mayAddReference({ payment })]).toEqual([5, false]);
    const [first] = payment.attempts;
    for (const [status, expected] of [
      ['requested', false],
      ['processing', false],
      ['expired', true],
      ['not_made', true],
    ] as const) {
      expect(mayAddReference({ payment: first && putAttempt(payment, { ...first, status }) })).toBe(expected);
    }
    // The last one can be paid all the same.
    expect(isPayable(order(payment))).toBe(true);
  });

  it('is rejected when the provider refuses what is asked for, with at most 50 characters', () => {
    const payment = startAttempt(undefined, TERMS);
    const [attempt] = payment.attempts;
    if (!attempt) throw new Error('there is an attempt');
    const change = refuseAttempt({ ...order(payment), payment }, attempt, 'x'.repeat(60));
    expect([change?.paymentStatus, change?.rejectionReason]).toEqual(['rejected', 'x'.repeat(50)]);
    expect(findOpenAttempt({ payment: change?.payment })).toBeUndefined();
    // Not by what it does not want any more.
    for (const more of [{ orderStatus: 'cancelled' as const }, { payment: startAttempt(payment, TERMS) }])
      expect(refuseAttempt({ ...order(payment), payment, ...more }, attempt, 'x')).not.toHaveProperty('paymentStatus');
  });

  it('is listed while a dispute of it is open or lost, until somebody has seen to it', () => {
    const disputed = (status: 'open' | 'won' | 'lost') => {
      const told = news(paid(), { dispute: { status, amountCents: 13_600 } });
      return order(applyProvided(order(asked()), told, NOW)?.payment ?? asked(), { paymentStatus: 'paid' });
    };
    const listed = (['open', 'lost', 'won'] as const).map((status) => listPaymentExceptions(disputed(status)));
    expect(listed).toEqual([['disputed'], ['disputed'], []]);
    const { payment } = disputed('open');
    const handled = payment && handleExceptions({ ...disputed('open'), payment });
    expect(listPaymentExceptions({ ...disputed('open'), payment: handled })).toEqual([]);
  });
});

it('the job begins with new payments, then at another place of the older ones each hour', () => {
  // Two are one hour old, 14 from four hours on.
  const sortAt = (hour: number) => {
    const toTime = (ago: number) => new Date(NOW.getTime() + (hour - ago) * 3_600_000);
    const toRow = (orderId: number) => {
      const askedAt = toTime(orderId <= 2 ? 1 : orderId + 1).toISOString();
      return { clientId: 1, orderId, collection: 'oxxo', askedAt } as const;
    };
    const rows = Array.from({ length: 16 }, (_, index) => toRow(index + 1));
    return sortDue(rows, toTime(0)).map(({ orderId }) => orderId);
  };
  expect(sortAt(0).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  const beginnings = [0, 1, 2, 3, 4, 5, 6].map((hour) => sortAt(hour).slice(0, 3));
  const expected = [3, 5, 7, 9, 11, 13, 15].map((older) => [1, 2, older]);
  expect(beginnings.toSorted(([, , a = 0], [, , b = 0]) => a - b)).toEqual(expected);
});

const BEGUN = new Date('2026-11-23T18:00:00.000Z');
const HOUR_MS = 3_600_000;
const SPEI = {
  referenceId: 7,
  collection: 'spei',
  amountCents: 13_600,
  now: BEGUN,
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
  // A finished attempt is still read, for late money and disputes.
  [{ ...KNOWN, status: 'paid' }, CANCELLED, 'none yet', 99, 'read'],
  [{ ...KNOWN, status: 'expired', superseded: true }, {}, 'none yet', 99, 'read'],
])(
  'an attempt %j of %j after %j and %d hours: %s',
  (fields, { isErased = false, earlier, ...more }, answer, hours, step) => {
    const started = startAttempt(earlier && startAttempt(undefined, SPEI), SPEI);
    const last = started.attempts.at(-1);
    if (!last) throw new Error('there is an attempt');
    const attempt = { ...last, ...fields };
    const order = {
      orderStatus: 'approved',
      payment: putAttempt(started, attempt),
      updatedAt: BEGUN.toISOString(),
      ...more,
    } as const;
    const now = new Date(BEGUN.getTime() + hours * HOUR_MS);
    expect(nextStep(attempt, order, { answer, now, isErased })).toBe(step);
  },
);
