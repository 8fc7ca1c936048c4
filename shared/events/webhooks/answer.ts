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
