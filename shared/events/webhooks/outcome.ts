import type { Endpoint, Progress } from './endpoints.ts';

/** The answer of a receiver, or why there is none. */
export type WebhookAnswer = {
  /** Its HTTP status; null if it did not answer. */
  readonly status: number | null;
  /** The code of the failure if it did not answer: `timeout`, `address_not_public`, `ECONNREFUSED` and so on. */
  readonly code: string | null;
  readonly durationMs: number;
  readonly retryAfterMs: number | undefined;
  /** The first kilobyte of its body, for the operator who tests an endpoint. */
  readonly body: string;
};

/** `gone`: the receiver wants no more events at all. `busy`: it wants none until the time that it names. */
export type Verdict = 'delivered' | 'failed' | 'busy' | 'gone';

const GONE = 410;
const BUSY: readonly (number | null)[] = [429, 503];

/** Tells what an answer means: 2xx is a success, and everything else, a redirect too, is a failure. */
export function judgeAnswer({ status, retryAfterMs }: Pick<WebhookAnswer, 'status' | 'retryAfterMs'>): Verdict {
  if (status !== null && status >= 200 && status < 300) return 'delivered';
  if (status === GONE) return 'gone';
  return BUSY.includes(status) && retryAfterMs !== undefined ? 'busy' : 'failed';
}

/** Returns the milliseconds that a `Retry-After` names, as seconds or as a date; undefined if it names none. */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime());
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

// The pauses before the second to the eleventh try of an event: 71 h 36 min 5 s in all, without jitter.
const PAUSES = [
  5 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  20 * HOUR,
] as const;
// Receivers that come back are not met by all retries at once.
const JITTER = 0.1;
const LONGEST_RETRY_AFTER = HOUR;
/** An endpoint that only failed for this long is disabled. */
const LONGEST_FAILING = 24 * HOUR;

/** A failed try: how many there were with it, and what the receiver asked for. */
export type FailedTry = { readonly tries: number; readonly now: Date; readonly retryAfterMs?: number | undefined };

/**
 * Returns when an event is tried again, undefined when it is given up. `random`, from 0 to 1, adds up to a tenth to the
 * pause. A receiver may ask for a longer pause, up to an hour, but not for a shorter one.
 */
export function nextTryAt({ tries, now, retryAfterMs = 0 }: FailedTry, random: number): Date | undefined {
  const pause = PAUSES[tries - 1];
  if (pause === undefined) return undefined;
  const wanted = Math.min(retryAfterMs, LONGEST_RETRY_AFTER);
  return new Date(now.getTime() + Math.max(Math.round(pause * (1 + JITTER * random)), wanted));
}

/** Returns until when a receiver that named a time with 429 or 503 gets nothing at all. */
export const pausedUntil = (now: Date, retryAfterMs: number): Date =>
  new Date(now.getTime() + Math.min(retryAfterMs, LONGEST_RETRY_AFTER));

/** True when an endpoint has failed for a day without one success. `failingSince` is the time of its first failure. */
export const hasFailedTooLong = (failingSince: string, now: Date): boolean =>
  now.getTime() - Date.parse(failingSince) >= LONGEST_FAILING;

/** The outcome of one try of an event. */
export type TryOutcome = Pick<WebhookAnswer, 'retryAfterMs'> & {
  readonly verdict: Verdict;
  readonly isGivenUp: boolean;
};

/** Returns what the outcome of a try changes about its endpoint. */
export function judgeEndpoint(
  endpoint: Pick<Endpoint, 'failingSince' | 'givenUpCount'>,
  { verdict, isGivenUp, retryAfterMs = 0 }: TryOutcome,
  now: Date,
): Progress {
  if (verdict === 'delivered') return { failingSince: null };
  const at = now.toISOString();
  const failingSince = endpoint.failingSince ?? at;
  const failing = {
    failingSince,
    ...(isGivenUp && { givenUpCount: endpoint.givenUpCount + 1, lastGivenUpAt: at }),
  };
  if (verdict === 'gone') return { ...failing, disabled: { by: 'gone', at }, isNoticeDue: true };
  if (hasFailedTooLong(failingSince, now)) return { ...failing, disabled: { by: 'failures', at }, isNoticeDue: true };
  return verdict === 'busy' ? { ...failing, pausedUntil: pausedUntil(now, retryAfterMs).toISOString() } : failing;
}
