import { describe, expect, it } from 'vitest';
import {
  countTimes,
  type FiguredOrder,
  groupByPeriod,
  listPeriods,
  spreadTimes,
  sumFigures,
} from '../../../shared/order/lists/figures.ts';

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
  });

  it('are hours, named as the clock of the shop shows their beginning', () => {
    const hours = listPeriods({ from: '2026-11-20', to: '2026-11-20', by: 'hour', timeZone: CITY });
    expect(hours).toHaveLength(24);
    expect([hours[0], hours[23]]).toEqual([
      { start: '2026-11-20T00:00', from: '2026-11-20T06:00:00.000Z', until: '2026-11-20T07:00:00.000Z' },
      { start: '2026-11-20T23:00', from: '2026-11-21T05:00:00.000Z', until: '2026-11-21T06:00:00.000Z' },
    ]);
  });

  // At the border, clocks go forward on 8 March 2026 at 2:00 and back on 1 November 2026 at 2:00.
  it('have 23 hours when clocks go forward, and none of them is 2:00', () => {
    const hours = listPeriods({ from: '2026-03-08', to: '2026-03-08', by: 'hour', timeZone: BORDER });
    expect(hours).toHaveLength(23);
    expect(hours.slice(1, 3)).toEqual([
      { start: '2026-03-08T01:00', from: '2026-03-08T09:00:00.000Z', until: '2026-03-08T10:00:00.000Z' },
      { start: '2026-03-08T03:00', from: '2026-03-08T10:00:00.000Z', until: '2026-03-08T11:00:00.000Z' },
    ]);
    expect(listPeriods({ from: '2026-03-08', to: '2026-03-08', by: 'day', timeZone: BORDER })).toEqual([
      { start: '2026-03-08', from: '2026-03-08T08:00:00.000Z', until: '2026-03-09T07:00:00.000Z' },
    ]);
  });

  it('have 25 hours when clocks go back, and two of them are 1:00', () => {
    const hours = listPeriods({ from: '2026-11-01', to: '2026-11-01', by: 'hour', timeZone: BORDER });
    expect(hours).toHaveLength(25);
    expect(hours.slice(1, 4)).toEqual([
      { start: '2026-11-01T01:00', from: '2026-11-01T08:00:00.000Z', until: '2026-11-01T09:00:00.000Z' },
      { start: '2026-11-01T01:00', from: '2026-11-01T09:00:00.000Z', until: '2026-11-01T10:00:00.000Z' },
      { start: '2026-11-01T02:00', from: '2026-11-01T10:00:00.000Z', until: '2026-11-01T11:00:00.000Z' },
    ]);
  });

  it('are none if the last day is before the first', () => {
    expect(listPeriods({ from: '2026-11-20', to: '2026-11-19', by: 'day', timeZone: CITY })).toEqual([]);
  });
});

describe('the orders of periods', () => {
  it('are in that which began at their instant, not in that which ended there', () => {
    const days = listPeriods({ from: '2026-11-20', to: '2026-11-22', by: 'day', timeZone: CITY });
    const last = order({ createdAt: '2026-11-21T05:59:59.999Z' });
    const first = order({ createdAt: '2026-11-21T06:00:00.000Z' });
    const before = order({ createdAt: '2026-11-20T05:59:59.999Z' });
    const after = order({ createdAt: '2026-11-23T06:00:00.000Z' });
    expect(groupByPeriod([after, first, last, before], days)).toEqual([[last], [first], []]);
  });
});

describe('figures', () => {
  it('of no orders are zeros', () => {
    expect(sumFigures([])).toEqual({
      orders: 0,
      turnoverCents: 0,
      cancelledCents: 0,
      byOrderStatus: new Map(),
      byPaymentStatus: new Map(),
      minutesToApproval: [],
      minutesToShipment: [],
    });
  });

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
      byOrderStatus: new Map([
        ['approved', { orders: 2, cents: 20_300 }],
        ['shipped', { orders: 1, cents: 13_700 }],
        ['cancelled', { orders: 1, cents: 5_050 }],
      ]),
      byPaymentStatus: new Map([
        ['unpaid', { orders: 2, cents: 20_300 }],
        ['paid', { orders: 2, cents: 18_750 }],
      ]),
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
    [[1, 2, 3, 4, 5, 6, 7, 8, 9, 100], { count: 10, median: 5, p90: 9 }],
    [[1, 2, 3], { count: 3, median: 2, p90: 3 }],
    [[7], { count: 1, median: 7, p90: 7 }],
    [[], { count: 0, median: null, p90: null }],
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
