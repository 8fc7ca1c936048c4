import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createPace, once, retry, sideBySide, singleFlight } from '../../../shared/runtime/async.ts';

describe('once', () => {
  it('makes a value at the first call, and keeps it', () => {
    const make = vi.fn(() => ({}));
    const value = once(make);
    expect(make).not.toHaveBeenCalled();
    expect(value()).toBe(value());
  });

  it('makes a promise anew that was rejected', async () => {
    const outcomes = [Promise.reject(new Error('first')), Promise.resolve('second')];
    const value = once(() => outcomes.shift() as Promise<string>);
    await expect(value()).rejects.toThrow('first');
    expect(await value()).toBe('second');
    expect(await value()).toBe('second');
  });
});

describe('singleFlight', () => {
  it('does the work once for calls at the same time, and again later', async () => {
    let calls = 0;
    const work = singleFlight(async () => ++calls);
    expect(await Promise.all([work(), work()])).toEqual([1, 1]);
    expect(await work()).toBe(2);
  });
});

/** Returns work that ends when the test says so, and the items that have begun. */
function heldWork() {
  const begun: number[] = [];
  const ends = new Map<number, PromiseWithResolvers<string>>();
  const work = (each: number) => {
    begun.push(each);
    const end = Promise.withResolvers<string>();
    ends.set(each, end);
    return end.promise;
  };
  return { begun, work, end: (each: number) => ends.get(each) };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('a pace lets a quarter of a second go at once, then one turn after the other, and saves up no more', async () => {
  vi.useFakeTimers({ fakeNodeBuiltins: true });
  onTestFinished(() => void vi.useRealTimers());
  const awaitTurn = createPace(20);
  let turns = 0;
  const ask = () => awaitTurn().then(() => ++turns);
  for (let asked = 0; asked < 8; asked++) void ask();
  const counts: number[] = [];
  for (const ms of [0, 49, 1, 50, 60_000]) {
    await vi.advanceTimersByTimeAsync(ms);
    counts.push(turns);
  }
  expect(counts).toEqual([5, 5, 6, 7, 8]);
  for (let asked = 0; asked < 8; asked++) void ask();
  await vi.advanceTimersByTimeAsync(0);
  expect(turns).toBe(13);
});

describe('sideBySide', () => {
  it('works on a few at once, and returns the results in the order in which they were done', async () => {
    const { begun, work, end } = heldWork();
    const shares: number[] = [];
    const done = sideBySide([1, 2, 3, 4], { atOnce: 2, onProgress: (share) => shares.push(share) }, work);
    expect(begun).toEqual([1, 2]);
    end(2)?.resolve('b');
    await settled();
    expect(begun).toEqual([1, 2, 3]);
    end(1)?.resolve('a');
    await settled();
    end(4)?.resolve('d');
    end(3)?.resolve('c');
    expect(await done).toEqual(['b', 'a', 'd', 'c']);
    expect(shares).toEqual([0.25, 0.5, 0.75, 1]);
  });

  it('begins nothing after a failure, which it throws when all under way is done', async () => {
    const { begun, work, end } = heldWork();
    const outcome = vi.fn();
    const done = sideBySide([1, 2, 3], { atOnce: 2 }, work).catch(outcome);
    end(1)?.reject(new Error('failed'));
    await settled();
    expect(outcome).not.toHaveBeenCalled();
    end(2)?.resolve('b');
    await done;
    expect(outcome).toHaveBeenCalledWith(new Error('failed'));
    expect(begun).toEqual([1, 2]);
  });

  it('begins nothing after its end', async () => {
    const begun: number[] = [];
    await sideBySide([1, 2, 3], { atOnce: 1, isOver: () => begun.length >= 2 }, async (each) => begun.push(each));
    expect(begun).toEqual([1, 2]);
  });
});

describe('retry', () => {
  const PATIENCE = { tries: 3, longestPauseMs: 0 };

  it.each([0, 'third'])('returns the first result, as %j', async (result) => {
    const results = [undefined, undefined, result];
    expect(await retry(PATIENCE, async () => results.shift())).toBe(result);
    expect(results).toEqual([]);
  });

  it('ends after the last try', async () => {
    const attempt = vi.fn(async () => undefined);
    expect(await retry(PATIENCE, attempt)).toBeUndefined();
    expect(attempt).toHaveBeenCalledTimes(3);
  });

  it('throws a failure at once', async () => {
    const attempt = vi.fn(() => Promise.reject(new Error('failed')));
    await expect(retry(PATIENCE, attempt)).rejects.toThrow('failed');
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});
