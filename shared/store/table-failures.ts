import { setTimeout as pause } from 'node:timers/promises';
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { Refusal, SHORT_PAUSE_SECONDS, unavailable } from '../domain/refusal.ts';

/** A condition of a transaction or update did not hold: nothing was written. `failed` lists the writes by index. */
export class ConditionFailed extends Error {
  readonly failed: readonly number[];
  constructor(failed: readonly number[]) {
    super('a condition did not hold');
    this.name = 'ConditionFailed';
    this.failed = failed;
  }
}

/** Every sending of a write was rejected because of other writes: nothing was written. */
class WriteRejected extends Refusal {
  constructor(cause: unknown) {
    super('unavailable', { retryAfterSeconds: SHORT_PAUSE_SECONDS, cause });
  }
}

/** True if a write was certainly not made; after another failure it may still be. */
export const isNotMade = (error: unknown): boolean =>
  error instanceof ConditionFailed || error instanceof WriteRejected;

// The SDK does not retry a cancelled transaction, so we do, with full jitter, within a request's 7 s.
const CONFLICT_MS = 5_000;
// 50 writers of one item, held for 60 ms each: with 10 tries nearly every crowd had a failure, with these values none of 200.
const CONFLICT_BASE_MS = 50;
const CONFLICT_CAP_MS = 1_000;
const CONFLICT_SHORTEST_MS = 20;
// More calls do not help a table without throughput.
const THROTTLED_TRIES = 10;

/** The attribute that identifies the write of an item. */
export const STAMP = 'writtenBy';

/** Returns a put that recognises its own item when its condition fails. */
export const stampedPut = <Put extends { readonly Item: object | undefined }>(put: Put, token: string) => ({
  ...put,
  Item: { ...put.Item, [STAMP]: token },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
});

const CONFLICTS = new Set(['TransactionConflict', 'TransactionConflictException']);
// The SDK retries plain throttling itself; 10 times 4 sendings would be a storm.
const THROTTLED = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);
const RETRYABLE = new Set([...CONFLICTS, ...THROTTLED]);

/** True for a request that DynamoDB calls invalid: a bug of ours, which must be visible and not retried. */
export const isDefect = (error: unknown): boolean =>
  error instanceof Error && /^(ValidationException|ResourceNotFoundException|SerializationException)$/.test(error.name);

/** True if a write was rejected because of other writes and may be retried. */
export const isRetryable = (error: unknown): boolean => hasCode(error, RETRYABLE);

function hasCode(error: unknown, codes: ReadonlySet<string>): boolean {
  if (!(error instanceof Error)) return false;
  return codes.has(error.name) || cancellationReasons(error).some(({ Code = '' }) => codes.has(Code));
}

/** Returns the indexes of failed conditions; undefined for another failure. */
export function failedConditions(error: unknown): number[] | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'ConditionalCheckFailedException') return [0];
  const failed = cancellationReasons(error).flatMap(({ Code }, index) =>
    Code === 'ConditionalCheckFailed' ? [index] : [],
  );
  return failed.length > 0 ? failed : undefined;
}

/** True if a write found its own item: an earlier sending was applied, and its answer lost. */
export const isDoneBefore = (error: unknown, token: string): boolean =>
  error instanceof Error && listConflictingItems(error).some((item) => item?.[STAMP]?.S === token);

const listConflictingItems = (error: Error) =>
  error instanceof ConditionalCheckFailedException ? [error.Item] : cancellationReasons(error).map(({ Item }) => Item);

const cancellationReasons = (error: Error) =>
  error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];

/** Returns a write's answer, or `otherwise` if its condition did not hold. */
export async function unlessRefused<Answer, Otherwise>(
  write: Promise<Answer>,
  otherwise: Otherwise,
): Promise<Answer | Otherwise> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionFailed) return otherwise;
    throw error;
  }
}

/** Throws Refusal `unavailable` if DynamoDB cannot answer a call. */
export async function callDynamo<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (cause) {
    throw isDefect(cause) ? cause : unavailable({ cause });
  }
}

type CallError = { readonly $metadata?: { readonly attempts?: number } };

/** True if a call's only sending was rejected; of several, the SDK reports only the last answer. */
const wasRejected = (error: unknown): boolean => isRetryable(error) && (error as CallError).$metadata?.attempts === 1;

/** Retries a write that conflicts with others. Throws ConditionFailed, or Refusal `unavailable`. */
export async function withRetries<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  const startedAt = performance.now();
  let isRejected = true;
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      const failed = failedConditions(error);
      if (failed) throw new ConditionFailed(failed);
      if (isDefect(error)) throw error;
      const remainingMs = startedAt + CONFLICT_MS - performance.now();
      isRejected &&= wasRejected(error);
      if (!isWorthAnother(error, tries, remainingMs)) {
        throw isRejected ? new WriteRejected(error) : unavailable({ cause: error });
      }
      await pause(Math.random() * longestPauseMs(tries, remainingMs));
    }
  }
}

const isWorthAnother = (error: unknown, tries: number, remainingMs: number): boolean =>
  remainingMs > 0 && (hasCode(error, CONFLICTS) || (hasCode(error, THROTTLED) && tries < THROTTLED_TRIES));

/** Pauses grow with the tries and shrink with the remaining time, so that later writers do not overtake. */
const longestPauseMs = (tries: number, remainingMs: number): number =>
  Math.max(
    CONFLICT_SHORTEST_MS,
    Math.min(CONFLICT_CAP_MS, CONFLICT_BASE_MS * 2 ** tries) * (remainingMs / CONFLICT_MS),
  );

/** Sends a write until it is applied; an earlier sending counts. Throws ConditionFailed. */
export const sendOnce = (token: string, send: () => Promise<unknown>): Promise<void> =>
  withRetries(async () => {
    try {
      await send();
    } catch (error) {
      if (!isDoneBefore(error, token)) throw error;
    }
  });
