import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FiguredOrder, groupByPeriod, listPeriods, sumFigures } from '../../../shared/order/lists/figures.ts';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../../../shared/order/rules/status.ts';
import { tries } from '../../support/proofs/proof.ts';

// Clocks change at the border in this week, which begins and ends at midnight there.
const WEEK = { from: '2026-10-29', to: '2026-11-04', timeZone: 'America/Tijuana' } as const;
const BEGIN = Date.parse('2026-10-29T07:00:00.000Z');
const END = Date.parse('2026-11-05T08:00:00.000Z');
const HOUR_MS = 3_600_000;

const instant = fc.oneof(
  fc.integer({ min: BEGIN - HOUR_MS, max: END + HOUR_MS }),
  // The edges of hours, where an order could be in two of them or in none.
  fc.integer({ min: -1, max: (END - BEGIN) / HOUR_MS + 1 }).map((hours) => BEGIN + hours * HOUR_MS),
);
const later = fc.option(fc.integer({ min: 0, max: 20 * 24 * 60 }));

const order: fc.Arbitrary<FiguredOrder> = fc
  .record({
    at: instant,
    orderStatus: fc.constantFrom(...ORDER_STATUSES),
    paymentStatus: fc.constantFrom(...PAYMENT_STATUSES),
    totalCents: fc.nat(1_000_000),
    approval: later,
    shipment: later,
  })
  .map(({ at, approval, shipment, ...more }) => {
    const after = (minutes: number | null) => (minutes === null ? null : toText(at + minutes * 60_000));
    return { ...more, createdAt: toText(at), approvedAt: after(approval), shippedAt: after(shipment) };
  });
const toText = (ms: number) => new Date(ms).toISOString();

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe('the figures of all periods', () => {
  it('add up to those of the orders between the first and the last instant', () => {
    const property = fc.property(fc.array(order), fc.constantFrom('hour', 'day'), (orders, by) => {
      const within = orders.filter(({ createdAt }) => Date.parse(createdAt) >= BEGIN && Date.parse(createdAt) < END);
      const parts = groupByPeriod(orders, listPeriods({ ...WEEK, by })).map(sumFigures);
      const total = (field: 'orders' | 'turnoverCents' | 'cancelledCents') => sum(parts.map((part) => part[field]));
      expect(total('orders')).toBe(within.length);
      expect(total('turnoverCents') + total('cancelledCents')).toBe(sum(within.map((each) => each.totalCents)));
      const lost = within.filter(({ orderStatus }) => orderStatus === 'cancelled');
      expect(total('cancelledCents')).toBe(sum(lost.map((each) => each.totalCents)));
      for (const status of ORDER_STATUSES) {
        const counted = sum(parts.map(({ byOrderStatus }) => byOrderStatus.get(status)?.orders ?? 0));
        expect(counted).toBe(within.filter(({ orderStatus }) => orderStatus === status).length);
      }
      const approvals = parts.flatMap(({ minutesToApproval }) => minutesToApproval).length;
      expect(approvals).toBe(within.filter(({ approvedAt }) => approvedAt !== null).length);
    });
    fc.assert(property, { numRuns: tries(100, 5_000) });
  });
});
