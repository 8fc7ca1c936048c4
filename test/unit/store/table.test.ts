import { setImmediate as turn } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { BatchGetCommand, BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Table } from '../../../shared/store/table.ts';
import {
  ConditionFailed,
  failedConditions,
  isDefect,
  isDoneBefore,
  isNotMade,
  isRetryable,
  withRetries,
} from '../../../shared/store/table-failures.ts';

type Reason = { readonly Code?: string; readonly Item?: Record<string, { S: string }> };

const cancelled = (...reasons: readonly Reason[]) =>
  new TransactionCanceledException({ message: 'cancelled', $metadata: {}, CancellationReasons: [...reasons] });
const named = (name: string) => Object.assign(new Error('refused'), { name });

describe('a failure of the table', () => {
  it('is a defect by its exact name', () => {
    for (const name of ['ValidationException', 'ResourceNotFoundException', 'SerializationException']) {
      expect([name, `${name}s`, `My${name}`].map((each) => isDefect(named(each)))).toEqual([true, false, false]);
      expect(isDefect(name)).toBe(false);
    }
  });

  it.each(['TransactionConflict', 'TransactionConflictException', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'can be retried when it is a %s, by name or as a reason of one write, and for no other reason',
    (name) => {
      expect(isRetryable(named(name))).toBe(true);
      expect(isRetryable(cancelled({ Code: 'None' }, { Code: name }))).toBe(true);
      expect(isRetryable({ name })).toBe(false);
      const others = [named('ValidationException'), cancelled({ Code: 'ConditionalCheckFailed' }, {}), cancelled()];
      expect(others.map(isRetryable)).toEqual([false, false, false]);
    },
  );

  it('names the writes whose conditions did not hold', () => {
    const [held, failed] = [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }];
    expect(failedConditions(cancelled(held, failed, held, failed))).toEqual([1, 3]);
    expect(failedConditions(named('ConditionalCheckFailedException'))).toEqual([0]);
    expect(failedConditions(cancelled({ Code: 'TransactionConflict' }))).toBeUndefined();
    expect(failedConditions(named('TimeoutError'))).toBeUndefined();
    expect(failedConditions({ name: 'ConditionalCheckFailedException' })).toBeUndefined();
  });

  it('is a repeated transaction when the item found carries its own token', () => {
    const met = cancelled({ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item: { writtenBy: { S: 'token-1' } } });
    expect(isDoneBefore(met, 'token-1')).toBe(true);
    expect(isDoneBefore(met, 'token-2')).toBe(false);
    expect(isDoneBefore(cancelled({ Code: 'ConditionalCheckFailed', Item: {} }), 'token-1')).toBe(false);
    expect(isDoneBefore(new TransactionCanceledException({ message: '', $metadata: {} }), 'token-1')).toBe(false);
    expect(isDoneBefore(named('TimeoutError'), 'token-1')).toBe(false);
    expect(isDoneBefore(undefined, 'token-1')).toBe(false);
  });
});

describe('a write that meets other writes', () => {
  beforeEach(() => {
    vi.useFakeTimers({ fakeNodeBuiltins: true });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const conflict = cancelled({ Code: 'None' }, { Code: 'TransactionConflict' });
  const throttled = cancelled({ Code: 'ThrottlingError' });

  /** Returns a write that always fails, and the times of its calls. */
  function failing(error: Error) {
    const times: number[] = [];
    const call = async (): Promise<never> => {
      times.push(performance.now());
      throw error;
    };
    return { times, call };
  }

  /** Returns how a write ends, with the time it took. */
  async function finish(write: Promise<unknown>): Promise<{ outcome: unknown; tookMs: number }> {
    const started = performance.now();
    const ended = write.then(
      () => 'done',
      (error: unknown) => error,
    );
    const took = ended.then(() => performance.now() - started);
    await vi.advanceTimersByTimeAsync(60_000);
    return { outcome: await ended, tookMs: await took };
  }

  /** Returns a write of one item, which holds it for 60 ms and is refused while another one does. */
  function contended() {
    let isHeld = false;
    return async () => {
      if (isHeld) throw conflict;
      isHeld = true;
      await new Promise((resolve) => setTimeout(resolve, 60));
      isHeld = false;
    };
  }

  it('is done in the end by each of 50 writers of one item, as often as they meet', async () => {
    const write = contended();
    const ended = Promise.all(Array.from({ length: 50 }, () => withRetries(write)));
    expect((await finish(ended)).outcome).toBe('done');
  });

  it('is unavailable after 5 s of conflicts, and was tried more often the less time was left', async () => {
    const { times, call } = failing(conflict);
    const { outcome, tookMs } = await finish(withRetries(call));
    expect(outcome).toMatchObject({ code: 'unavailable', cause: conflict });
    expect(tookMs).toBeGreaterThanOrEqual(5_000);
    expect(tookMs).toBeLessThan(5_020);
    const [start = 0] = times;
    const early = times.filter((time) => time >= start + 1_000 && time < start + 2_000);
    const late = times.filter((time) => time >= start + 4_000);
    expect(late.length).toBeGreaterThan(early.length);
  });

  it('is unavailable after 10 tries without throughput', async () => {
    const { times, call } = failing(throttled);
    expect((await finish(withRetries(call))).outcome).toMatchObject({ code: 'unavailable', cause: throttled });
    expect(times).toHaveLength(10);
  });

  const conflictOf = (attempts: number) =>
    new TransactionCanceledException({
      message: 'cancelled',
      $metadata: { attempts },
      CancellationReasons: [{ Code: 'TransactionConflict' }],
    });

  it.each([
    ['each sending was turned away', true, conflictOf(1), conflictOf(1)],
    ['a condition did not hold at last', true, conflictOf(1), cancelled({ Code: 'ConditionalCheckFailed' })],
    ['the answer to an early sending is not known', false, conflictOf(2), conflictOf(1)],
    ['the last sending was not answered', false, conflictOf(1), named('TimeoutError')],
  ])('is known not to be made when %s: %s', async (_, expected, first, later) => {
    const { times, call } = failing(first);
    const again = failing(later);
    const { outcome } = await finish(withRetries(() => (times.length === 0 ? call() : again.call())));
    expect(isNotMade(outcome)).toBe(expected);
  });

  it.each([
    ['of a condition', cancelled({ Code: 'ConditionalCheckFailed' }), new ConditionFailed([0])],
    ['of a defect', named('ValidationException'), named('ValidationException')],
    ['of another reason', named('TimeoutError'), expect.objectContaining({ code: 'unavailable' })],
  ])('is not tried again because %s', async (_, error, thrown) => {
    const { times, call } = failing(error);
    expect((await finish(withRetries(call))).outcome).toEqual(thrown);
    expect(times).toHaveLength(1);
  });
});

it('items without conditions are sent by 25, four batches at once', async () => {
  const sizes: (number | undefined)[] = [];
  const underWay: (() => void)[] = [];
  const send = async ({ input }: BatchWriteCommand) => {
    sizes.push(input.RequestItems?.pharmacy?.length);
    await new Promise<void>((answer) => underWay.push(answer));
    return {};
  };
  const table = new Table('pharmacy', { send } as unknown as DynamoDBDocumentClient);
  const written = table.putAll(Array.from({ length: 210 }, (_, number) => ({ pk: 'a', sk: String(number) })));
  await turn();
  expect(sizes).toHaveLength(4);
  // The fifth is sent when one of the first four has been answered.
  underWay.shift()?.();
  await turn();
  expect(sizes).toHaveLength(5);
  while (underWay.length > 0) {
    underWay.shift()?.();
    await turn();
  }
  await written;
  expect(sizes).toEqual([25, 25, 25, 25, 25, 25, 25, 25, 10]);
});

it('items are read by their names, without those that have no key or are not there', async () => {
  const asked: unknown[] = [];
  const [first, absent, third] = [
    { pk: 'a', sk: '1' },
    { pk: 'b', sk: '2' },
    { pk: 'c', sk: '3' },
  ];
  const send = async ({ input }: BatchGetCommand) => {
    asked.push(input.RequestItems?.pharmacy?.Keys);
    return { Responses: { pharmacy: [third, first] } };
  };
  const table = new Table('pharmacy', { send } as unknown as DynamoDBDocumentClient);
  expect(await table.getNamed({ first, absent, unasked: undefined, third })).toEqual({ first, third });
  expect(asked).toEqual([[first, absent, third]]);
});

it('items that DynamoDB did not process are sent again after a growing pause', async () => {
  vi.useFakeTimers({ fakeNodeBuiltins: true });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  const startedAt = Date.now();
  const sentAfterMs: number[] = [];
  const send = async ({ input }: BatchWriteCommand) => {
    sentAfterMs.push(Date.now() - startedAt);
    return sentAfterMs.length < 3 ? { UnprocessedItems: input.RequestItems } : {};
  };
  const table = new Table('pharmacy', { send } as unknown as DynamoDBDocumentClient);
  const written = table.putAll([{ pk: 'a', sk: '1' }]);
  await vi.runAllTimersAsync();
  await written;
  expect(sentAfterMs).toEqual([0, 100, 300]);
});
