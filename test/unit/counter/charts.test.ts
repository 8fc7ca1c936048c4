import { describe, expect, it } from 'vitest';
import {
  countDays,
  type Figures,
  listCharts,
  listLastDays,
  listTicks,
  nameLimit,
} from '../../../infra/counter/page/figures/chart-data.ts';

describe('the lines of an axis', () => {
  it.each([
    [0, [0, 1]],
    [4, [0, 1, 2, 3, 4]],
    [5, [0, 2, 4, 6]],
    [97, [0, 50, 100]],
    [12_345_678, [0, 5_000_000, 10_000_000, 15_000_000]],
  ])('up to %d are round', (highest, ticks) => {
    expect(listTicks(highest, 4)).toEqual(ticks);
  });
});

describe('a range of days', () => {
  it.each([
    [1, '2026-11-30'],
    [30, '2026-11-01'],
  ])('of the last %d begins on %s and ends today in the shop, which is another day than in UTC', (count, from) => {
    const evening = new Date('2026-12-01T05:59:00.000Z');
    expect(listLastDays(count, evening, 'America/Mexico_City')).toEqual({ from, to: '2026-11-30' });
  });

  it.each([
    ['2026-11-30', '2026-11-30', 1],
    ['2026-08-01', '2026-10-31', 92],
    ['2026-11-30', '2026-11-29', 0],
    ['', '2026-11-29', Number.NaN],
  ])('from %s to %s has %d days', (from, to, count) => {
    expect(countDays({ from, to })).toBe(count);
  });
});

const period = (day: number, figures: object = {}) => ({
  start: `2026-11-${day}`,
  orders: 0,
  turnover_cents: 0,
  cancelled_cents: 0,
  order_status: {},
  payment_status: {},
  ...figures,
});

const ONE = { orders: 1, cents: 0 };

const FIGURES = {
  from: '2026-11-20',
  to: '2026-11-22',
  periods: [
    period(20, { orders: 2, turnover_cents: 30_050, order_status: { shipped: ONE, approved: ONE } }),
    period(21, { orders: 1, cancelled_cents: 5_000, order_status: { cancelled: ONE } }),
    period(22),
  ],
  total: {
    orders: 3,
    turnover_cents: 30_050,
    cancelled_cents: 5_000,
    order_status: { shipped: ONE, approved: ONE, cancelled: ONE },
    payment_status: {},
    approval: {
      counts: [
        { from: 0, until: 30, orders: 0 },
        { from: 30, until: 60, orders: 2 },
        { from: 2_880, until: null, orders: 0 },
      ],
    },
    shipment: { counts: [] },
  },
} as unknown as Figures;

describe('the charts of orders', () => {
  const [, turnover, statuses, payments, approval] = listCharts(FIGURES);

  it('stack the statuses that occur, in their order, beside an axis of thousands', () => {
    expect(statuses?.series.map(({ name }) => name)).toEqual(['Aprobada', 'Enviada', 'Cancelada']);
    expect(statuses?.bars.map(({ values }) => values)).toEqual([
      [1, 1, 0],
      [0, 0, 1],
      [0, 0, 0],
    ]);
    expect(payments?.series).toEqual([]);
    expect(turnover?.formatTick(1_500_000)).toBe('$15\u00a0k');
  });

  it('tell how long it took', () => {
    expect([119, 121, 2_821].map(nameLimit)).toEqual(['119 min', '3 h', '2 días']);
    expect(approval?.bars.map(({ name, label }) => [name, label])).toEqual([
      ['0 – 30 min', '< 30 min'],
      ['30 min – 60 min', '< 60 min'],
      ['desde 2 días', '> 2 días'],
    ]);
  });
});
