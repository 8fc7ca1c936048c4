import type { Endpoint, Progress } from './endpoints.ts';

export type WebhookAnswer = {
  /** Null without an answer. */
  readonly status: number | null;
  /** The failure if there is no answer: `timeout`, `address_not_public`, `ECONNREFUSED` and so on. */
  readonly code: string | null;
  readonly durationMs: number;
  readonly retryAfterMs: number | undefined;
  /** The first kilobyte, for an operator's test. */
  readonly body: string;
};

/** `gone`: the receiver wants no more events. `busy`: none until the time that it states. */
export type Verdict = 'delivered' | 'failed' | 'busy' | 'gone';

const GONE = 410;
const BUSY: readonly (number | null)[] = [429, 503];

/** 2xx is a success; everything else, including a redirect, is a failure. */
export function judgeAnswer({ status, retryAfterMs }: Pick<WebhookAnswer, 'status' | 'retryAfterMs'>): Verdict {
  if (status !== null && status >= 200 && status < 300) return 'delivered';
  if (status === GONE) return 'gone';
  return BUSY.includes(status) && retryAfterMs !== undefined ? 'busy' : 'failed';
}

export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime());
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

// Before the second to the eleventh try: 71 h 36 min 5 s in total, without jitter.
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
// Spreads the retries to a receiver that comes back.
const JITTER = 0.1;
const LONGEST_RETRY_AFTER = HOUR;
/** After only failures for this long, an endpoint is disabled. */
const LONGEST_FAILING = 24 * HOUR;

/** `tries` includes the failed one. */
export type FailedTry = { readonly tries: number; readonly now: Date; readonly retryAfterMs?: number | undefined };

/** Returns the next try, undefined after the last. `random` (0 to 1) adds jitter. Receivers may ask for up to an hour. */
export function nextTryAt({ tries, now, retryAfterMs = 0 }: FailedTry, random: number): Date | undefined {
  const pause = PAUSES[tries - 1];
  if (pause === undefined) return undefined;
  const requestedMs = Math.min(retryAfterMs, LONGEST_RETRY_AFTER);
  return new Date(now.getTime() + Math.max(Math.round(pause * (1 + JITTER * random)), requestedMs));
}

export type TryOutcome = Pick<WebhookAnswer, 'retryAfterMs'> & {
  readonly verdict: Verdict;
  readonly isGivenUp: boolean;
};

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
  if (now.getTime() - Date.parse(failingSince) >= LONGEST_FAILING)
    return { ...failing, disabled: { by: 'failures', at }, isNoticeDue: true };
  const pausedUntil = new Date(now.getTime() + Math.min(retryAfterMs, LONGEST_RETRY_AFTER)).toISOString();
  return verdict === 'busy' ? { ...failing, pausedUntil } : failing;
}
