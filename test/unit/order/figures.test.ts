import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countTimes,
  type FiguredOrder,
  groupByPeriod,
  listPeriods,
  spreadTimes,
  sumFigures,
} from '../../../shared/order/lists/figures.ts';
import { ORDER_STATUSES } from '../../../shared/order/rules/status.ts';
import { tries } from '../../support/proofs/proof.ts';

const CITY = 'America/Mexico_City';
const BORDER = 'America/Tijuana';

const order = (asked: Partial<FiguredOrder> = {}): FiguredOrder => ({
  createdAt: '2026-11-20T18:00:00.000Z',
  orderStatus: 'approved',
  paymentStatus: 'unpaid',
  totalCents: 10_000,
  approvedAt: null,
  shippedAt: null,
  ...asked,
});

describe('the periods between two days', () => {
  it('are days of the shop, from midnight to midnight', () => {
    expect(listPeriods({ from: '2026-02-28', to: '2026-03-01', by: 'day', timeZone: CITY })).toEqual([
      { start: '2026-02-28', from: '2026-02-28T06:00:00.000Z', until: '2026-03-01T06:00:00.000Z' },
      { start: '2026-03-01', from: '2026-03-01T06:00:00.000Z', until: '2026-03-02T06:00:00.000Z' },
    ]);
    expect(listPeriods({ from: '2026-03-08', to: '2026-03-08', by: 'day', timeZone: BORDER })).toEqual([
      { start: '2026-03-08', from: '2026-03-08T08:00:00.000Z', until: '2026-03-09T07:00:00.000Z' },
    ]);
    expect(listPeriods({ from: '2026-11-20', to: '2026-11-19', by: 'day', timeZone: CITY })).toEqual([]);
  });

  it('hold the orders that were placed at their beginning, and not those at their end', () => {
    const days = listPeriods({ from: '2026-11-20', to: '2026-11-21', by: 'day', timeZone: CITY });
    const orders = ['20', '21', '22'].map((day) => order({ createdAt: `2026-11-${day}T06:00:00.000Z` }));
    expect(groupByPeriod(orders, days)).toEqual([[orders[0]], [orders[1]]]);
  });

  // At the border, clocks go forward on 8 March 2026 at 2:00 and back on 1 November 2026 at 2:00.
  it.each([
    ['2026-11-20', CITY, 24, 0, ['00:00 06 07', '01:00 07 08']],
    ['2026-11-20', CITY, 24, 22, ['22:00 04 05', '23:00 05 06']],
    ['2026-03-08', BORDER, 23, 1, ['01:00 09 10', '03:00 10 11']],
    ['2026-11-01', BORDER, 25, 1, ['01:00 08 09', '01:00 09 10']],
    ['2026-11-01', BORDER, 25, 2, ['01:00 09 10', '02:00 10 11']],
  ])('are the hours of %s in %s, as the clock shows their beginning: %i', (day, timeZone, count, first, expected) => {
    const hours = listPeriods({ from: day, to: day, by: 'hour', timeZone });
    const shown = hours.map(({ start, from, until }) => [start.slice(11), from.slice(11, 13), until.slice(11, 13)]);
    expect(hours).toHaveLength(count);
    expect(shown.slice(first, first + 2).map((parts) => parts.join(' '))).toEqual(expected);
    expect(hours.map(({ from }) => from).slice(1)).toEqual(hours.map(({ until }) => until).slice(0, -1));
  });
});

describe('figures', () => {
  it('add up what was ordered, with cancelled orders apart, and count each status', () => {
    const orders = [
      order({ totalCents: 13_700, orderStatus: 'shipped', paymentStatus: 'paid' }),
      order({ totalCents: 20_000 }),
      order({ totalCents: 5_050, orderStatus: 'cancelled', paymentStatus: 'paid' }),
      order({ totalCents: 300 }),
    ];
    expect(sumFigures(orders)).toMatchObject({
      orders: 4,
      turnoverCents: 34_000,
      cancelledCents: 5_050,
      byOrderStatus: { approved: 2, shipped: 1, cancelled: 1 },
      byPaymentStatus: { unpaid: 2, paid: 2 },
    });
  });

  it('have whole minutes from an order to its approval and its shipment, the shortest first', () => {
    const orders = [
      order({ approvedAt: '2026-11-20T19:30:59.999Z', shippedAt: '2026-11-21T18:00:00.000Z' }),
      order({ approvedAt: '2026-11-20T18:00:00.000Z' }),
      order({ shippedAt: '2026-11-20T18:05:00.000Z' }),
    ];
    const { minutesToApproval, minutesToShipment } = sumFigures(orders);
    expect(minutesToApproval).toEqual([0, 90]);
    expect(minutesToShipment).toEqual([5, 1_440]);
  });
});

describe('times', () => {
  it.each([
    [[1, 2, 3, 4, 5, 6, 7, 8, 9, 100], { median: 5, p90: 9 }],
    [[1, 2, 3], { median: 2, p90: 3 }],
    [[7], { median: 7, p90: 7 }],
    [[], { median: null, p90: null }],
  ])('%j have a median and a ninth decile that occur among them: %j', (times, spread) => {
    expect(spreadTimes(times)).toEqual(spread);
  });

  it('are counted by how long they are, the last without a bound', () => {
    expect(countTimes([0, 14, 15, 29, 59, 60, 1_439, 1_440, 11_520, 99_999])).toEqual([
      { from: 0, until: 15, orders: 2 },
      { from: 15, until: 30, orders: 2 },
      { from: 30, until: 60, orders: 1 },
      { from: 60, until: 120, orders: 1 },
      { from: 120, until: 240, orders: 0 },
      { from: 240, until: 480, orders: 0 },
      { from: 480, until: 1_440, orders: 1 },
      { from: 1_440, until: 2_880, orders: 1 },
      { from: 2_880, until: 5_760, orders: 0 },
      { from: 5_760, until: 11_520, orders: 0 },
      { from: 11_520, until: null, orders: 2 },
    ]);
  });
});

// Clocks change at the border in this week, which begins and ends at midnight there.
const WEEK = { from: '2026-10-29', to: '2026-11-04', timeZone: 'America/Tijuana' } as const;
const BEGIN = Date.parse('2026-10-29T07:00:00.000Z');
const END = Date.parse('2026-11-05T08:00:00.000Z');
const HOUR_MS = 3_600_000;

const anyOrder = fc
  .record({
    at: fc.oneof(
      fc.integer({ min: BEGIN - HOUR_MS, max: END + HOUR_MS }),
      // The edges of hours, where an order could be in two of them or in none.
      fc.integer({ min: -1, max: (END - BEGIN) / HOUR_MS + 1 }).map((hours) => BEGIN + hours * HOUR_MS),
    ),
    orderStatus: fc.constantFrom(...ORDER_STATUSES),
    totalCents: fc.nat(1_000_000),
  })
  .map(({ at, ...more }) => order({ ...more, createdAt: new Date(at).toISOString() }));

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

it('the figures of all periods add up to those of the orders between the first and the last instant', () => {
  const property = fc.property(fc.array(anyOrder), fc.constantFrom('hour', 'day'), (orders, by) => {
    const within = orders.filter(({ createdAt }) => Date.parse(createdAt) >= BEGIN && Date.parse(createdAt) < END);
    const lost = within.filter(({ orderStatus }) => orderStatus === 'cancelled');
    const parts = groupByPeriod(orders, listPeriods({ ...WEEK, by })).map(sumFigures);
    const total = (field: 'orders' | 'turnoverCents' | 'cancelledCents') => sum(parts.map((part) => part[field]));
    expect(total('orders')).toBe(within.length);
    expect(total('turnoverCents') + total('cancelledCents')).toBe(sum(within.map((each) => each.totalCents)));
    expect(total('cancelledCents')).toBe(sum(lost.map((each) => each.totalCents)));
  });
  fc.assert(property, { numRuns: tries(100, 5_000) });
});
