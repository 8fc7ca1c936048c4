import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderStatus, PaymentStatus } from '../../../shared/domain/order.ts';
import {
  findWaits,
  getDueAt,
  isDueOn,
  listWaitSteps,
  listWaits,
  type OrderWait,
} from '../../../shared/domain/order-waits.ts';
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

describe('the payment of an order', () => {
  it.each(['unpaid', 'processing', 'in_process', 'rejected'] satisfies PaymentStatus[])(
    'is awaited while it is %s',
    (paymentStatus) => {
      expect(waitsOf({ orderStatus: 'ready', paymentStatus })).toEqual(['shipment', 'payment']);
      expect(waitsOf({ orderStatus: 'delivered', paymentStatus })).toEqual(['payment']);
    },
  );

  it('comes before the preparation of an order that is collected online', () => {
    const paymentMethod = { ...syntheticOrder({ id: 1 }).paymentMethod, collection: 'oxxo' } as const;
    expect(waitsOf({ orderStatus: 'approved', paymentStatus: 'unpaid', paymentMethod })).toEqual(['payment']);
    expect(waitsOf({ orderStatus: 'approved', paymentStatus: 'paid', paymentMethod })).toEqual(['preparation']);
    expect(waitsOf({ orderStatus: 'in_process', paymentStatus: 'unpaid', paymentMethod })).toEqual([
      'preparation',
      'payment',
    ]);
  });

  it('is not awaited on credit, nor of a cancelled order', () => {
    expect(waitsOf({ orderStatus: 'ready', paymentStatus: 'credit' })).toEqual(['shipment']);
    expect(waitsOf({ orderStatus: 'cancelled', paymentStatus: 'unpaid' })).toEqual([]);
  });
});

describe('the refund of an order', () => {
  const refunds = [{ cents: 19_300, form: '03', at: '2026-11-20T18:00:00.000Z', parts: [] }];

  it('is awaited once it is cancelled and was paid', () => {
    expect(waitsOf({ orderStatus: 'cancelled', ...PAID })).toEqual(['refund']);
  });

  it('is not awaited once all of it has gone back', () => {
    expect(waitsOf({ orderStatus: 'cancelled', ...PAID, totalCents: 19_300, refunds })).toEqual([]);
    expect(waitsOf({ orderStatus: 'cancelled', ...PAID, totalCents: 19_301, refunds })).toEqual(['refund']);
  });
});

describe('an order of a product that requires a prescription', () => {
  const [line] = syntheticOrder({ id: 1, quantities: [2] }).lines;
  const lines = line ? [{ ...line, requiresPrescription: true }] : [];
  const sent = unverifiedPrescription(7, 'key');
  const verifiedFor = (quantity: number) => ({
    ...sent,
    verification: { at: '2026-11-20T18:00:00.000Z', by: 'eva', lines: [{ productId: 1, quantity }] },
  });
  const rejected = { ...sent, rejection: { at: '2026-11-20T18:00:00.000Z', by: 'eva', reason: 'Sin firma' } };
  const waits = (orderStatus: OrderStatus, prescriptions: Changes['prescriptions'] = []) =>
    waitsOf({ orderStatus, ...PAID, lines, prescriptions });

  it('waits for a prescription while there is none, or only rejected and expired ones', () => {
    expect(waits('pending_approval')).toEqual(['prescription']);
    expect(waits('quoted', [rejected])).toEqual(['prescription']);
    expect(waits('approved', [{ ...verifiedFor(2), expiringDate: '2026-11-22' }])).toEqual(['prescription']);
  });

  it('waits for its verification once there is one', () => {
    expect(waits('pending_approval', [rejected, sent])).toEqual(['verification']);
    expect(waits('pending_approval', [{ ...sent, expiringDate: TODAY }])).toEqual(['verification']);
  });

  it('waits for it again when the lines have grown since', () => {
    expect(waits('approved', [verifiedFor(1)])).toEqual(['verification']);
  });

  it('waits for its next step once all is verified', () => {
    expect(waits('pending_approval', [verifiedFor(2)])).toEqual(['approval']);
    expect(waits('approved', [verifiedFor(2)])).toEqual(['preparation']);
  });

  it('waits for no prescription once it is prepared, or while there is no stock', () => {
    expect(waits('ready')).toEqual(['shipment']);
    expect(waits('shortage')).toEqual(['stock']);
  });
});

describe('what an order waits for as time passes', () => {
  const [line] = syntheticOrder({ id: 1, quantities: [2] }).lines;
  const lines = line ? [{ ...line, requiresPrescription: true }] : [];
  const sent = (expiringDate: string | null) => ({ ...unverifiedPrescription(7, 'key'), expiringDate });
  const verified = (expiringDate: string | null, quantity = 2) => ({
    ...sent(expiringDate),
    verification: { at: '2026-11-20T18:00:00.000Z', by: 'eva', lines: [{ productId: 1, quantity }] },
  });
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
    expect(findWaits(steps, '2026-12-01')).toEqual(['preparation', 'payment']);
    expect(findWaits(steps, '2026-12-02')).toEqual(['verification', 'payment']);
    expect(findWaits(steps, '2026-12-15')).toEqual(['verification', 'payment']);
    expect(findWaits(steps, '2026-12-16')).toEqual(['prescription', 'payment']);
  });

  it('does not change where expired prescriptions are not needed any more', () => {
    const order = { ...prescribed(verified('2026-12-01')), orderStatus: 'ready' } as const;
    expect(listWaitSteps(order)).toEqual([{ until: null, waits: ['shipment', 'payment'] }]);
  });

  it('is on every date what the whole order says then, in three steps at most', () => {
    const day = fc.integer({ min: 1, max: 9 }).map((date) => `2026-12-0${date}`);
    const expiry = fc.option(fc.oneof(day, fc.constantFrom('0001-01-01', '9999-12-31')));
    const rejection = { at: '2026-11-20T18:00:00.000Z', by: 'eva', reason: 'Sin firma' };
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

  it('is its expected delivery, and once it is on its way the latest one', () => {
    expect(getDueAt({ ...promised, orderStatus: 'ready' })).toBe('2026-11-24T23:00:00.000Z');
    expect(getDueAt({ ...promised, orderStatus: 'shipped' })).toBe('2026-11-26T23:00:00.000Z');
  });

  it('is the other of the two where there is only that, or its creation', () => {
    expect(getDueAt({ ...promised, expectedDeliveryDate: null, orderStatus: 'ready' })).toBe(
      '2026-11-26T23:00:00.000Z',
    );
    expect(getDueAt({ ...promised, maxDeliveryDate: null, orderStatus: 'shipped' })).toBe('2026-11-24T23:00:00.000Z');
    const without = { ...promised, expectedDeliveryDate: null, maxDeliveryDate: null };
    expect(getDueAt({ ...without, orderStatus: 'approved' })).toBe('2026-11-20T18:00:00.000Z');
  });

  it('is the last change of a cancelled order', () => {
    expect(getDueAt({ ...promised, orderStatus: 'cancelled' })).toBe('2026-11-21T18:00:00.000Z');
  });

  // It is 24 November in the shop, and the 25th in UTC.
  const dueAt = '2026-11-25T05:59:59.000Z';
  const isDue = (waits: readonly OrderWait[], today: string) => isDueOn({ waits, dueAt }, today, 'America/Mexico_City');

  it('has come on its day in the shop, which is not that of UTC', () => {
    expect(isDue(['preparation'], '2026-11-23')).toBe(false);
    expect(isDue(['preparation'], '2026-11-24')).toBe(true);
    expect(isDue(['preparation'], '2026-11-30')).toBe(true);
  });

  it.each<[string, OrderWait[], boolean]>([
    ['verification', ['verification', 'payment'], true],
    ['approval', ['approval', 'payment'], true],
    ['a prescription that nobody has sent', ['prescription', 'payment'], false],
    ['what comes after the approval', ['stock', 'payment', 'invoice'], false],
  ])('has come at once for an order that waits for %s: %j, %s', (_, waits, isDueAtOnce) => {
    expect(isDue(waits, '2026-11-23')).toBe(isDueAtOnce);
  });

  it('comes for the prescription on the day of the delivery, and never for what waits for nothing', () => {
    expect(isDue(['prescription'], '2026-11-24')).toBe(true);
    expect(isDue([], '2026-11-24')).toBe(false);
  });
});
