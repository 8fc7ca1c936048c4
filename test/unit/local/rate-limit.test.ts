import { describe, expect, it } from 'vitest';
import { createUsagePlan, readRateLimit } from '../../../infra/local/gateway/api-keys.ts';

describe('LOCAL_RATE_LIMIT', () => {
  it.each([undefined, ''])('%s means no limit', (written) => {
    expect(readRateLimit(written)).toBeUndefined();
  });

  it('is requests a second, with twice as many in a burst', () => {
    expect(readRateLimit('50')).toEqual({ requestsPerSecond: 50, burst: 100, requestsPerMonth: 1_000_000 });
  });

  it('can name the burst', () => {
    expect(readRateLimit('5:7')).toEqual({ requestsPerSecond: 5, burst: 7, requestsPerMonth: 1_000_000 });
  });

  it.each(['0', '-1', 'many', '5:', '5:0', '1.5', '5:7:9'])('%s is refused', (written) => {
    expect(() => readRateLimit(written)).toThrow(
      `LOCAL_RATE_LIMIT must be requests a second as in 50 or 50:100, not "${written}"`,
    );
  });
});

describe('a usage plan of 2 a second, 3 at once, 6 a month', () => {
  const limit = { requestsPerSecond: 2, burst: 3, requestsPerMonth: 6 };
  const at = (milliseconds: number) => new Date(Date.UTC(2026, 10, 30, 23, 59, 0, milliseconds));
  const takeMany = (take: ReturnType<typeof createUsagePlan>, count: number, now: Date) =>
    Array.from({ length: count }, () => take('a', now));

  it('lets three pass at once and refills two a second', () => {
    const take = createUsagePlan(limit);
    expect(takeMany(take, 4, at(0))).toEqual([undefined, undefined, undefined, 'throttled']);
    expect(take('a', at(499))).toBe('throttled');
    expect(take('a', at(500))).toBeUndefined();
    expect(take('a', at(500))).toBe('throttled');
  });

  it('never saves up more than the burst', () => {
    const take = createUsagePlan(limit);
    take('a', at(0));
    expect(takeMany(take, 4, at(50_000))).toEqual([undefined, undefined, undefined, 'throttled']);
  });

  it('counts each key by itself', () => {
    const take = createUsagePlan(limit);
    takeMany(take, 3, at(0));
    expect(take('b', at(0))).toBeUndefined();
  });

  it('ends with the quota of the month, which throttled requests do not use, and restarts the next month', () => {
    const take = createUsagePlan(limit);
    takeMany(take, 10, at(0));
    expect(takeMany(take, 4, at(10_000))).toEqual([undefined, undefined, undefined, 'quota_exceeded']);
    expect(take('a', new Date('2026-12-01T00:00:00.000Z'))).toBeUndefined();
  });
});
