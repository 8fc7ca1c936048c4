import { setTimeout as pause } from 'node:timers/promises';
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { Refusal, SHORT_PAUSE_SECONDS, unavailable } from '../domain/refusal.ts';

/** Thrown when a condition of a transaction or update did not hold: nothing was written. `failed` lists the writes by index. */
export class ConditionFailed extends Error {
  readonly failed: readonly number[];
  constructor(failed: readonly number[]) {
    super('a condition did not hold');
    this.name = 'ConditionFailed';
    this.failed = failed;
  }
}

/** Thrown when every sending of a write was turned away because of other writes: it is unavailable, and nothing was written. */
class TurnedAway extends Refusal {
  constructor(cause: unknown) {
    super('unavailable', { retryAfterSeconds: SHORT_PAUSE_SECONDS, cause });
  }
}

/** True of the failure of a write that was not made and is not under way; after any other one it may still be made. */
export const isNotMade = (error: unknown): boolean => error instanceof ConditionFailed || error instanceof TurnedAway;

// The SDK does not retry a cancelled transaction, so we do, with full jitter, for as long as a request has time: it is
// answered after 7 s.
const CONFLICT_MS = 5_000;
// 50 writers of one item that is held for 60 ms each, as on a busy machine: when the number of tries was limited to 10, one
// of them gave up in nearly every crowd, with these in none of 200.
const CONFLICT_BASE_MS = 50;
const CONFLICT_CAP_MS = 1_000;
const CONFLICT_SHORTEST_MS = 20;
// A table without throughput is not helped by more calls.
const THROTTLED_TRIES = 10;

/** The attribute that names the write that wrote an item. */
export const STAMP = 'writtenBy';

/** Returns a put whose item is recognised when its condition fails on it. */
export const stampedPut = <Put extends { readonly Item: object | undefined }>(put: Put, token: string) => ({
  ...put,
  Item: { ...put.Item, [STAMP]: token },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
});

const CONFLICTS = new Set(['TransactionConflict', 'TransactionConflictException']);
// The SDK itself repeats plain throttling and the like, so that is not among these: 10 times 4 sendings would be a storm.
const THROTTLED = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);
const RETRYABLE = new Set([...CONFLICTS, ...THROTTLED]);

/** True of a request that DynamoDB calls malformed: a defect of ours, which must be seen and not retried by the caller. */
export const isDefect = (error: unknown): boolean =>
  error instanceof Error && /^(ValidationException|ResourceNotFoundException|SerializationException)$/.test(error.name);

/** True when a write was turned away because of other writes, and may go through when it is sent again. */
export const isRetryable = (error: unknown): boolean => hasOneOf(error, RETRYABLE);

function hasOneOf(error: unknown, codes: ReadonlySet<string>): boolean {
  if (!(error instanceof Error)) return false;
  return codes.has(error.name) || cancellationReasons(error).some(({ Code = '' }) => codes.has(Code));
}

/** Returns the indexes of the writes whose conditions did not hold; undefined when it failed for another reason. */
export function failedConditions(error: unknown): number[] | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'ConditionalCheckFailedException') return [0];
  const failed = cancellationReasons(error).flatMap(({ Code }, index) =>
    Code === 'ConditionalCheckFailed' ? [index] : [],
  );
  return failed.length > 0 ? failed : undefined;
}

/** True when a write met an item that it had written itself: an earlier sending was applied, and its answer lost. */
export const isDoneBefore = (error: unknown, token: string): boolean =>
  error instanceof Error && listMet(error).some((item) => item?.[STAMP]?.S === token);

const listMet = (error: Error) =>
  error instanceof ConditionalCheckFailedException ? [error.Item] : cancellationReasons(error).map(({ Item }) => Item);

const cancellationReasons = (error: Error) =>
  error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];

/** Returns the answer of a write, or `otherwise` when its condition did not hold. */
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

/** Makes a call; when DynamoDB cannot be reached or cannot answer, throws Refusal `unavailable`. */
export async function reached<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (cause) {
    throw isDefect(cause) ? cause : unavailable({ cause });
  }
}

type Sent = { readonly $metadata?: { readonly attempts?: number } };

/** True when the only sending of a call was turned away; of several, the SDK tells the answer to the last one alone. */
const wasTurnedAway = (error: unknown): boolean => isRetryable(error) && (error as Sent).$metadata?.attempts === 1;

/** Makes a write, again when it meets other writes. Throws ConditionFailed, or Refusal `unavailable`. */
export async function withRetries<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  const started = performance.now();
  let isTurnedAway = true;
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      const failed = failedConditions(error);
      if (failed) throw new ConditionFailed(failed);
      if (isDefect(error)) throw error;
      const leftMs = started + CONFLICT_MS - performance.now();
      isTurnedAway &&= wasTurnedAway(error);
      if (!isWorthAnother(error, tries, leftMs)) {
        throw isTurnedAway ? new TurnedAway(error) : unavailable({ cause: error });
      }
      await pause(Math.random() * longestPauseMs(tries, leftMs));
    }
  }
}

const isWorthAnother = (error: unknown, tries: number, leftMs: number): boolean =>
  leftMs > 0 && (hasOneOf(error, CONFLICTS) || (hasOneOf(error, THROTTLED) && tries < THROTTLED_TRIES));

/** The pauses grow with the tries, and shrink with the time left, so that writers who came later do not go first. */
const longestPauseMs = (tries: number, leftMs: number): number =>
  Math.max(CONFLICT_SHORTEST_MS, Math.min(CONFLICT_CAP_MS, CONFLICT_BASE_MS * 2 ** tries) * (leftMs / CONFLICT_MS));

/** Sends a write with its token until it is applied, also if an earlier sending was. Throws ConditionFailed. */
export const sendOnce = (token: string, send: () => Promise<unknown>): Promise<void> =>
  withRetries(async () => {
    try {
      await send();
    } catch (error) {
      if (!isDoneBefore(error, token)) throw error;
    }
  });
