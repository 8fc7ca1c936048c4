import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderStatus, PaymentStatus } from '../../../shared/order/rules/status.ts';
import {
  findWaits,
  getDueAt,
  isDueOn,
  listWaitSteps,
  listWaits,
  type OrderWait,
} from '../../../shared/order/rules/waits.ts';
import { syntheticOrder, unverifiedPrescription } from '../../support/orders/synthetic-orders.ts';

const TODAY = '2026-11-23';
const PAID = { paymentStatus: 'paid' } as const;
type Changes = Partial<Parameters<typeof syntheticOrder>[0]>;
const waitsOf = (changes: Changes) => listWaits(syntheticOrder({ id: 1, ...changes }), TODAY);

describe('what a paid order waits for', () => {
  it.each([
    ['quoted', ['approval']],
    ['pending_approval', ['approval']],
    ['approved', ['preparation']],
    ['in_process', ['preparation']],
    ['delayed', ['preparation']],
    ['shortage', ['stock']],
    ['ready', ['shipment']],
    ['shipped', ['receipt']],
    ['delivered', []],
  ] satisfies [OrderStatus, string[]][])('is in %s: %s', (orderStatus, waits) => {
    expect(waitsOf({ orderStatus, ...PAID })).toEqual(waits);
  });
});

it('an order that is collected at a store waits for its patient once it is ready', () => {
  const waitsAtStore = (orderStatus: OrderStatus) =>
    listWaits({ ...syntheticOrder({ id: 1, orderStatus, ...PAID }), store: { id: 1 } }, TODAY);
  expect(waitsAtStore('ready')).toEqual(['receipt']);
  expect(waitsAtStore('in_process')).toEqual(['preparation']);
});

describe('the payment of an order', () => {
  it('comes before the preparation of an order that is collected online', () => {
    const paymentMethod = { ...syntheticOrder({ id: 1 }).paymentMethod, collection: 'oxxo' } as const;
    expect(waitsOf({ orderStatus: 'approved', paymentStatus: 'unpaid', paymentMethod })).toEqual(['payment']);
    expect(waitsOf({ orderStatus: 'approved', paymentStatus: 'paid', paymentMethod })).toEqual(['preparation']);
    expect(waitsOf({ orderStatus: 'in_process', paymentStatus: 'unpaid', paymentMethod })).toEqual([
      'preparation',
      'payment',
    ]);
  });
});

describe('payment and refund of an order', () => {
  const refunds = [{ cents: 19_300, form: '03', at: '2026-11-20T18:00:00.000Z', parts: [] }];

  it.each<[OrderStatus, PaymentStatus, Changes, string[]]>([
    ['ready', 'unpaid', {}, ['shipment', 'payment']],
    ['delivered', 'unpaid', {}, ['payment']],
    ['delivered', 'processing', {}, ['payment']],
    ['delivered', 'in_process', {}, ['payment']],
    ['delivered', 'rejected', {}, ['payment']],
    ['ready', 'credit', {}, ['shipment']],
    ['cancelled', 'unpaid', {}, []],
    ['cancelled', 'paid', {}, ['refund']],
    ['cancelled', 'paid', { totalCents: 19_300, refunds }, []],
    ['cancelled', 'paid', { totalCents: 19_301, refunds }, ['refund']],
    ['approved', 'paid', { totalCents: 19_300, refunds }, ['refunded']],
    ['shipped', 'paid', { totalCents: 19_300, refunds }, ['refunded']],
    ['shipped', 'paid', { totalCents: 19_301, refunds }, ['receipt']],
    ['delivered', 'paid', { totalCents: 19_300, refunds }, []],
    ['ready', 'paid', { totalCents: 0 }, ['shipment']],
  ])('are awaited when it is %s and %s, %j: %j', (orderStatus, paymentStatus, changes, waits) => {
    expect(waitsOf({ orderStatus, paymentStatus, ...changes })).toEqual(waits);
  });
});

// The order is of 2 pieces of a product that requires a prescription.
const lines = syntheticOrder({ id: 1, quantities: [2] }).lines.map((line) => ({ ...line, requiresPrescription: true }));
const judged = { at: '2026-11-20T18:00:00.000Z', by: 'eva' };
const sent = (expiringDate: string | null) => ({ ...unverifiedPrescription(7, 'key'), expiringDate });
const verified = (expiringDate: string | null, quantity = 2) => ({
  ...sent(expiringDate),
  verification: { ...judged, lines: [{ productId: 1, quantity }] },
});
const rejection = { ...judged, reason: 'Sin firma' };

describe('an order of a product that requires a prescription', () => {
  const rejected = { ...sent(null), rejection };

  it.each<[string, OrderStatus, Changes['prescriptions'] & object, string]>([
    ['a prescription while there is none', 'pending_approval', [], 'prescription'],
    ['a prescription while all are rejected', 'quoted', [rejected], 'prescription'],
    ['a prescription while all have expired', 'approved', [verified('2026-11-22')], 'prescription'],
    [
      'the verification of the only one that is not rejected',
      'pending_approval',
      [rejected, sent(null)],
      'verification',
    ],
    ['the verification of one on its last day', 'pending_approval', [sent(TODAY)], 'verification'],
    ['another verification when the lines have grown since', 'approved', [verified(null, 1)], 'verification'],
    ['its approval once all is verified', 'pending_approval', [verified(null)], 'approval'],
    ['its preparation once all is verified', 'approved', [verified(null)], 'preparation'],
    ['no prescription once it is prepared', 'ready', [], 'shipment'],
    ['no prescription while there is no stock', 'shortage', [], 'stock'],
  ])('waits for %s', (_, orderStatus, prescriptions, wait) => {
    expect(waitsOf({ orderStatus, ...PAID, lines, prescriptions })).toEqual([wait]);
  });
});

describe('what an order waits for as time passes', () => {
  const prescribed = (...prescriptions: Changes['prescriptions'] & object) =>
    syntheticOrder({ id: 1, orderStatus: 'approved', paymentStatus: 'unpaid', lines, prescriptions });

  it('is the same on every date without prescriptions that expire', () => {
    const steps = [{ until: null, waits: ['preparation', 'payment'] }];
    expect(listWaitSteps(syntheticOrder({ id: 1 }))).toEqual(steps);
    expect(listWaitSteps(prescribed(verified(null)))).toEqual(steps);
  });

  it('changes after the last day of a prescription, and on no other one', () => {
    const steps = listWaitSteps(prescribed(verified('2026-12-01'), sent('2026-12-15'), sent('2026-11-30')));
    expect(steps).toEqual([
      { until: '2026-12-01', waits: ['preparation', 'payment'] },
      { until: '2026-12-15', waits: ['verification', 'payment'] },
      { until: null, waits: ['prescription', 'payment'] },
    ]);
    const dates = ['2026-12-01', '2026-12-02', '2026-12-15', '2026-12-16'];
    const first = dates.map((date) => findWaits(steps, date)[0]);
    expect(first).toEqual(['preparation', 'verification', 'verification', 'prescription']);
  });

  it('does not change where expired prescriptions are not needed any more', () => {
    const order = { ...prescribed(verified('2026-12-01')), orderStatus: 'ready' } as const;
    expect(listWaitSteps(order)).toEqual([{ until: null, waits: ['shipment', 'payment'] }]);
  });

  it('is on every date what the whole order says then, in three steps at most', () => {
    const day = fc.integer({ min: 1, max: 9 }).map((date) => `2026-12-0${date}`);
    const expiry = fc.option(fc.oneof(day, fc.constantFrom('0001-01-01', '9999-12-31')));
    const prescription = fc.oneof(
      expiry.map(sent),
      expiry.map((date) => ({ ...sent(date), rejection })),
      fc.tuple(expiry, fc.integer({ min: 1, max: 3 })).map(([date, quantity]) => verified(date, quantity)),
    );
    const status = fc.constantFrom<OrderStatus>('quoted', 'pending_approval', 'approved', 'shortage', 'cancelled');
    const dates = ['0001-01-02', '2026-11-30', '2026-12-10', '9999-12-31'];
    fc.assert(
      fc.property(status, fc.array(prescription, { maxLength: 6 }), day, (orderStatus, prescriptions, date) => {
        const order = { ...prescribed(...prescriptions), orderStatus };
        const steps = listWaitSteps(order);
        expect(steps.length).toBeLessThanOrEqual(3);
        for (const today of [date, ...dates]) expect(findWaits(steps, today)).toEqual(listWaits(order, today));
      }),
      { numRuns: 500 },
    );
  });
});

describe('the time by which an order has to be dealt with', () => {
  const promised = {
    createdAt: '2026-11-20T18:00:00.000Z',
    updatedAt: '2026-11-21T18:00:00.000Z',
    expectedDeliveryDate: '2026-11-24T23:00:00.000Z',
    maxDeliveryDate: '2026-11-26T23:00:00.000Z',
  };

  it.each([
    ['its expected delivery', { orderStatus: 'ready' }, '2026-11-24T23:00:00.000Z'],
    ['its latest delivery once it is on its way', { orderStatus: 'shipped' }, '2026-11-26T23:00:00.000Z'],
    [
      'the latest where there is only that',
      { orderStatus: 'ready', expectedDeliveryDate: null },
      '2026-11-26T23:00:00.000Z',
    ],
    [
      'the expected where there is only that',
      { orderStatus: 'shipped', maxDeliveryDate: null },
      '2026-11-24T23:00:00.000Z',
    ],
    [
      'its creation where there is neither',
      { orderStatus: 'approved', expectedDeliveryDate: null, maxDeliveryDate: null },
      '2026-11-20T18:00:00.000Z',
    ],
    ['the last change of a cancelled order', { orderStatus: 'cancelled' }, '2026-11-21T18:00:00.000Z'],
  ] as const)('is %s', (_, changes, dueAt) => {
    expect(getDueAt({ ...promised, ...changes })).toBe(dueAt);
  });

  // It is 24 November in the shop, and the 25th in UTC.
  const dueAt = '2026-11-25T05:59:59.000Z';
  it.each<[OrderStatus, OrderWait[], string, boolean]>([
    // The pharmacy has the next step, which is due at once.
    ['approved', ['preparation'], '2026-11-23', true],
    ['approved', ['verification', 'payment'], '2026-11-23', true],
    ['pending_approval', ['approval', 'payment'], '2026-11-23', true],
    ['ready', ['shipment', 'payment'], '2026-11-23', true],
    ['cancelled', ['refund'], '2026-11-23', true],
    // Money and the patient have theirs, on the day.
    ['approved', ['payment'], '2026-11-23', false],
    ['approved', ['payment'], '2026-11-24', true],
    ['shipped', ['receipt'], '2026-11-23', false],
    ['shipped', ['receipt'], '2026-11-30', true],
    // Nobody has sent the prescription yet.
    ['pending_approval', ['prescription', 'payment'], '2026-11-23', false],
    ['pending_approval', ['prescription'], '2026-11-24', true],
    // The client cannot send one any more, or not yet.
    ['approved', ['prescription', 'payment'], '2026-11-23', true],
    ['quoted', ['prescription', 'payment'], '2026-11-23', true],
    ['shortage', ['stock', 'payment', 'invoice'], '2026-11-23', false],
    ['delivered', [], '2026-11-24', false],
  ])('has come for an order in %s that waits for %j on %s in the shop: %s', (orderStatus, waits, today, expected) => {
    expect(isDueOn({ orderStatus, waits, dueAt }, today, 'America/Mexico_City')).toBe(expected);
  });
});
