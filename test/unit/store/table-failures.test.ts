import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { failedConditions, isDefect, isDoneBefore, isRetryable } from '../../../shared/store/table-failures.ts';

type Reason = { readonly Code?: string; readonly Item?: Record<string, { S: string }> };

const cancelled = (...reasons: readonly Reason[]) =>
  new TransactionCanceledException({ message: 'cancelled', $metadata: {}, CancellationReasons: [...reasons] });
const named = (name: string) => Object.assign(new Error('refused'), { name });

describe('a failure of the table', () => {
  it.each(['ValidationException', 'ResourceNotFoundException', 'SerializationException'])(
    'is a defect when it is a %s',
    (name) => {
      expect(isDefect(named(name))).toBe(true);
      expect(isDefect(name)).toBe(false);
      expect(isDefect(named(`${name}s`))).toBe(false);
      expect(isDefect(named(`My${name}`))).toBe(false);
    },
  );

  it.each(['TransactionConflict', 'TransactionConflictException', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'can be retried when it is a %s, by name or as a reason of one write',
    (name) => {
      expect(isRetryable(named(name))).toBe(true);
      expect(isRetryable(cancelled({ Code: 'None' }, { Code: name }))).toBe(true);
      expect(isRetryable({ name })).toBe(false);
    },
  );

  it('cannot be retried for another reason', () => {
    expect(isRetryable(named('ValidationException'))).toBe(false);
    expect(isRetryable(cancelled({ Code: 'ConditionalCheckFailed' }, {}))).toBe(false);
    expect(isRetryable(cancelled())).toBe(false);
  });

  it('names the writes whose conditions did not hold', () => {
    const [held, failed] = [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }];
    expect(failedConditions(cancelled(held, failed, held, failed))).toEqual([1, 3]);
    expect(failedConditions(named('ConditionalCheckFailedException'))).toEqual([0]);
  });

  it('names no conditions when it has another reason', () => {
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
