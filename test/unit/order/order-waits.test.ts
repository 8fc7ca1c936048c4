import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/order/order.ts';
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
const waitsOf = ({ store, ...changes }: Changes) =>
  listWaits({ ...syntheticOrder({ id: 1, ...changes }), ...(store && { store }) }, TODAY);

const refunds = [{ cents: 19_300, form: '03', at: '2026-11-20T18:00:00.000Z', parts: [] }];
const AT_STORE = { store: { id: 1 } as Order['store'] };
const COLLECTED = { paymentMethod: { ...syntheticOrder({ id: 1 }).paymentMethod, collection: 'oxxo' } } as const;

it.each<[OrderStatus, PaymentStatus, Changes, string]>([
  ['pending_approval', 'paid', {}, 'approval'],
  ['approved', 'paid', {}, 'preparation'],
  ['in_process', 'paid', {}, 'preparation'],
  ['delayed', 'paid', {}, 'preparation'],
  ['shortage', 'paid', {}, 'stock'],
  ['ready', 'paid', {}, 'shipment'],
  ['shipped', 'paid', {}, 'receipt'],
  ['delivered', 'paid', {}, ''],
  ['ready', 'paid', AT_STORE, 'receipt'],
  ['in_process', 'paid', AT_STORE, 'preparation'],
  // What is collected online is paid before it is prepared.
  ['approved', 'unpaid', COLLECTED, 'payment'],
  ['approved', 'paid', COLLECTED, 'preparation'],
  ['in_process', 'unpaid', COLLECTED, 'preparation payment'],
  ['ready', 'unpaid', {}, 'shipment payment'],
  ['delivered', 'unpaid', {}, 'payment'],
  ['delivered', 'rejected', {}, 'payment'],
  ['ready', 'credit', {}, 'shipment'],
  ['cancelled', 'unpaid', {}, ''],
  ['cancelled', 'paid', {}, 'refund'],
  ['cancelled', 'paid', { totalCents: 19_300, refunds }, ''],
  ['cancelled', 'paid', { totalCents: 19_301, refunds }, 'refund'],
  ['approved', 'paid', { totalCents: 19_300, refunds }, 'refunded'],
  ['shipped', 'paid', { totalCents: 19_301, refunds }, 'receipt'],
  ['delivered', 'paid', { totalCents: 19_300, refunds }, ''],
])('an order in %s that is %s, with %j, waits for: %s', (orderStatus, paymentStatus, changes, waits) => {
  expect(waitsOf({ orderStatus, paymentStatus, ...changes }).join(' ')).toBe(waits);
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
    ['the verification of the one that is not rejected', 'pending_approval', [rejected, sent(null)], 'verification'],
    ['the verification of one on its last day', 'pending_approval', [sent(TODAY)], 'verification'],
    ['another verification when the lines have grown since', 'approved', [verified(null, 1)], 'verification'],
    ['its approval once all is verified', 'pending_approval', [verified(null)], 'approval'],
    ['no prescription once it is prepared', 'ready', [], 'shipment'],
    ['no prescription while there is no stock', 'shortage', [], 'stock'],
  ])('waits for %s', (_, orderStatus, prescriptions, wait) => {
    expect(waitsOf({ orderStatus, ...PAID, lines, prescriptions })).toEqual([wait]);
  });
});

describe('what an order waits for as time passes', () => {
  const prescribed = (...prescriptions: Changes['prescriptions'] & object) =>
    syntheticOrder({ id: 1, orderStatus: 'approved', paymentStatus: 'unpaid', lines, prescriptions });

  it('changes after the last day of a prescription that is still needed, and on no other one', () => {
    const same = [{ until: null, waits: ['preparation', 'payment'] }];
    expect(listWaitSteps(prescribed(verified(null)))).toEqual(same);
    const steps = listWaitSteps(prescribed(verified('2026-12-01'), sent('2026-12-15'), sent('2026-11-30')));
    expect(steps).toEqual([
      { until: '2026-12-01', waits: ['preparation', 'payment'] },
      { until: '2026-12-15', waits: ['verification', 'payment'] },
      { until: null, waits: ['prescription', 'payment'] },
    ]);
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

  const NONE = { expectedDeliveryDate: null, maxDeliveryDate: null };
  it.each<[OrderStatus, Partial<typeof NONE>, string]>([
    ['ready', {}, '24T23'],
    ['shipped', {}, '26T23'],
    ['ready', { expectedDeliveryDate: null }, '26T23'],
    ['shipped', { maxDeliveryDate: null }, '24T23'],
    // Then it is its creation, and of a cancelled order the last change.
    ['approved', NONE, '20T18'],
    ['cancelled', {}, '21T18'],
  ])('is in %s, with %j, November %s', (orderStatus, changes, dueAt) => {
    expect(getDueAt({ ...promised, ...changes, orderStatus })).toBe(`2026-11-${dueAt}:00:00.000Z`);
  });

  // It is 24 November in the shop, and the 25th in UTC.
  const dueAt = '2026-11-25T05:59:59.000Z';
  it.each<[OrderStatus, OrderWait[], string, boolean]>([
    // The pharmacy has the next step, which is due at once.
    ['approved', ['preparation'], '2026-11-23', true],
    ['approved', ['verification', 'payment'], '2026-11-23', true],
    ['cancelled', ['refund'], '2026-11-23', true],
    // Money and the patient have theirs, on the day.
    ['approved', ['payment'], '2026-11-23', false],
    ['approved', ['payment'], '2026-11-24', true],
    ['shipped', ['receipt'], '2026-11-30', true],
    // Nobody has sent the prescription yet.
    ['pending_approval', ['prescription', 'payment'], '2026-11-23', false],
    ['pending_approval', ['prescription'], '2026-11-24', true],
    // The client cannot send one any more, or not yet.
    ['approved', ['prescription', 'payment'], '2026-11-23', true],
    ['shortage', ['stock', 'payment', 'invoice'], '2026-11-23', false],
    ['delivered', [], '2026-11-24', false],
  ])('has come for an order in %s that waits for %j on %s in the shop: %s', (orderStatus, waits, today, expected) => {
    expect(isDueOn({ orderStatus, waits, dueAt }, today, 'America/Mexico_City')).toBe(expected);
  });
});
