import { describe, expect, it } from 'vitest';
import { judgeAnswer, judgeEndpoint, nextTryAt, parseRetryAfter } from '../../../../shared/events/webhooks/outcome.ts';

const NOW = new Date('2026-11-23T18:00:00.000Z');
const next = (tries: number, more: { retryAfterMs?: number; random?: number } = {}) =>
  nextTryAt({ tries, now: NOW, retryAfterMs: more.retryAfterMs }, more.random ?? 0)?.toISOString();

describe('the next try', () => {
  it.each([
    [1, '2026-11-23T18:00:05.000Z'],
    [2, '2026-11-23T18:01:00.000Z'],
    [3, '2026-11-23T18:05:00.000Z'],
    [4, '2026-11-23T18:30:00.000Z'],
    [5, '2026-11-23T20:00:00.000Z'],
    [6, '2026-11-23T23:00:00.000Z'],
    [7, '2026-11-24T04:00:00.000Z'],
    [8, '2026-11-24T08:00:00.000Z'],
    [9, '2026-11-24T14:00:00.000Z'],
    [10, '2026-11-24T14:00:00.000Z'],
    [11, undefined],
  ])('after try %i is at %s', (tries, expected) => {
    expect(next(tries)).toBe(expected);
  });

  it('comes up to a tenth of the pause later', () => {
    expect(next(2, { random: 1 })).toBe('2026-11-23T18:01:06.000Z');
    expect(next(2, { random: 0.5 })).toBe('2026-11-23T18:01:03.000Z');
  });

  it('is as late as the receiver asks, but not more than an hour, and never earlier', () => {
    expect(next(1, { retryAfterMs: 90_000 })).toBe('2026-11-23T18:01:30.000Z');
    expect(next(1, { retryAfterMs: 86_400_000 })).toBe('2026-11-23T19:00:00.000Z');
    expect(next(4, { retryAfterMs: 1_000 })).toBe('2026-11-23T18:30:00.000Z');
  });
});

describe('an endpoint', () => {
  const judge = (failingSince: string | null, retryAfterMs?: number) =>
    judgeEndpoint({ failingSince, givenUpCount: 0 }, { verdict: 'busy', isGivenUp: false, retryAfterMs }, NOW);

  it('has failed too long after a day', () => {
    expect(judge('2026-11-22T18:00:00.001Z').disabled).toBeUndefined();
    expect(judge('2026-11-22T18:00:00.000Z').disabled).toEqual({ by: 'failures', at: '2026-11-23T18:00:00.000Z' });
  });

  it('is paused for as long as it asks, but not more than an hour', () => {
    expect(judge(null, 120_000).pausedUntil).toBe('2026-11-23T18:02:00.000Z');
    expect(judge(null, 86_400_000).pausedUntil).toBe('2026-11-23T19:00:00.000Z');
  });
});

describe('an answer', () => {
  it.each([
    [200, 'delivered'],
    [299, 'delivered'],
    [199, 'failed'],
    [300, 'failed'],
    [410, 'gone'],
    [429, 'failed'],
    [503, 'failed'],
    [null, 'failed'],
  ] as const)('%s is %s', (status, verdict) => {
    expect(judgeAnswer({ status, retryAfterMs: undefined })).toBe(verdict);
  });

  it('429 and 503 that name a time ask for a pause; others do not', () => {
    expect(judgeAnswer({ status: 429, retryAfterMs: 5_000 })).toBe('busy');
    expect(judgeAnswer({ status: 503, retryAfterMs: 0 })).toBe('busy');
    expect(judgeAnswer({ status: 500, retryAfterMs: 5_000 })).toBe('failed');
  });

  it('names the time in seconds or as a date', () => {
    expect(parseRetryAfter('120', NOW)).toBe(120_000);
    expect(parseRetryAfter('Mon, 23 Nov 2026 18:00:30 GMT', NOW)).toBe(30_000);
    expect(parseRetryAfter('Mon, 23 Nov 2026 17:00:00 GMT', NOW)).toBe(0);
    expect(parseRetryAfter('soon', NOW)).toBeUndefined();
    expect(parseRetryAfter(undefined, NOW)).toBeUndefined();
  });
});
