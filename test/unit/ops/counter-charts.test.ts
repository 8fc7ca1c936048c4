import { describe, expect, it } from 'vitest';
import { listTicks, spaceLabels } from '../../../infra/ops/counter/page/pictures/chart/scale.ts';
import { areValidDays, canShowHours, toDays } from '../../../infra/ops/counter/page/pictures/range.ts';

describe('the lines of an axis', () => {
  it.each([
    [0, 1, [0, 1]],
    [3, 1, [0, 1, 2, 3]],
    [4, 1, [0, 1, 2, 3, 4]],
    [5, 1, [0, 2, 4, 6]],
    [97, 1, [0, 50, 100]],
    [1_234, 1, [0, 500, 1_000, 1_500]],
    [50, 100, [0, 100]],
    [12_345_678, 100, [0, 5_000_000, 10_000_000, 15_000_000]],
  ])('up to %d in steps of at least %d are round', (highest, smallestStep, ticks) => {
    expect(listTicks(highest, 4, smallestStep)).toEqual(ticks);
  });
});

describe('the labels of an axis', () => {
  it('are all shown where they have room, and otherwise every second one or fewer', () => {
    expect(spaceLabels(7, { width: 400, labelWidth: 50 })).toBe(1);
    expect(spaceLabels(9, { width: 400, labelWidth: 50 })).toBe(2);
    expect(spaceLabels(92, { width: 320, labelWidth: 50 })).toBe(15);
  });
});

describe('a range of days', () => {
  it('ends today in the shop, which may be another day than in UTC', () => {
    const evening = new Date('2026-12-01T05:59:00.000Z');
    expect(toDays('today', evening, 'America/Mexico_City')).toEqual({ from: '2026-11-30', to: '2026-11-30' });
    expect(toDays('week', evening, 'America/Mexico_City')).toEqual({ from: '2026-11-24', to: '2026-11-30' });
    expect(toDays('month', evening, 'America/Mexico_City')).toEqual({ from: '2026-11-01', to: '2026-11-30' });
  });

  it('is valid from one day to 92', () => {
    expect(areValidDays({ from: '2026-11-30', to: '2026-11-30' })).toBe(true);
    expect(areValidDays({ from: '2026-08-01', to: '2026-10-31' })).toBe(true);
    expect(areValidDays({ from: '2026-08-01', to: '2026-11-01' })).toBe(false);
    expect(areValidDays({ from: '2026-11-30', to: '2026-11-29' })).toBe(false);
    expect(areValidDays({ from: '', to: '2026-11-29' })).toBe(false);
  });

  it('has hours for a week at most', () => {
    expect(canShowHours({ from: '2026-11-24', to: '2026-11-30' })).toBe(true);
    expect(canShowHours({ from: '2026-11-23', to: '2026-11-30' })).toBe(false);
  });
});
