import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';

/** The attribute that tells which transaction wrote an item. */
export const STAMP = 'writtenBy';

// What the SDK sends again by itself, plain throttling above all, is not among it: 10 times 4 sendings would be a storm.
const RETRYABLE = new Set([
  'TransactionConflict',
  'TransactionConflictException',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/** A request that DynamoDB calls malformed is a defect of ours: it must be seen as one, not retried by the caller. */
export const isOurFault = (error: unknown): boolean =>
  error instanceof Error && /^(ValidationException|ResourceNotFoundException|SerializationException)$/.test(error.name);

/** Whether a write was turned away because of others, and may go through when it is sent again. */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return RETRYABLE.has(error.name) || reasonsOf(error).some(({ Code = '' }) => RETRYABLE.has(Code));
}

/** The places of the writes whose conditions did not hold; undefined when it failed for another reason. */
export function failedConditions(error: unknown): number[] | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'ConditionalCheckFailedException') return [0];
  const failed = reasonsOf(error).flatMap(({ Code }, index) => (Code === 'ConditionalCheckFailed' ? [index] : []));
  return failed.length > 0 ? failed : undefined;
}

/** Whether a transaction met what it had written itself: it was done by an earlier sending that nobody heard back from. */
export const isDoneBefore = (error: unknown, token: string): boolean =>
  error instanceof Error && reasonsOf(error).some(({ Item }) => Item?.[STAMP]?.S === token);

const reasonsOf = (error: Error) =>
  error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
