import { LocalServerError } from '../local-server-error.ts';

export type RateLimit = {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly requestsPerMonth: number;
};

const REQUESTS_PER_MONTH = 1_000_000;
const BURST_SECONDS = 2;

/** Parses `LOCAL_RATE_LIMIT`: requests per second, or requests per second and burst as in `50:100`. Undefined means no limit. */
export function readRateLimit(written: string | undefined): RateLimit | undefined {
  if (written === undefined || written === '') return undefined;
  const found = /^([1-9]\d{0,5})(?::([1-9]\d{0,5}))?$/.exec(written);
  if (!found)
    throw new LocalServerError(`LOCAL_RATE_LIMIT must be requests a second as in 50 or 50:100, not "${written}"`);
  const requestsPerSecond = Number(found[1]);
  const burst = Number(found[2] ?? requestsPerSecond * BURST_SECONDS);
  return { requestsPerSecond, burst, requestsPerMonth: REQUESTS_PER_MONTH };
}

type Spent = { tokens: number; at: number; month: string; requests: number };

/** A usage plan: each key has a token bucket of size `burst` and a counter for the UTC month. */
export function createUsagePlan(limit: RateLimit) {
  const spentBy = new Map<string, Spent>();

  /** Counts one request of the key. Returns the code of the refusal if the limit is exceeded. */
  return function take(apiKeyId: string, now: Date): 'throttled' | 'quota_exceeded' | undefined {
    const spent = refilled(spentBy.get(apiKeyId), limit, now);
    spentBy.set(apiKeyId, spent);
    if (spent.requests >= limit.requestsPerMonth) return 'quota_exceeded';
    if (spent.tokens < 1) return 'throttled';
    spent.tokens -= 1;
    spent.requests += 1;
    return undefined;
  };
}

function refilled(spent: Spent | undefined, { requestsPerSecond, burst }: RateLimit, now: Date): Spent {
  const month = now.toISOString().slice(0, 7);
  const at = now.getTime();
  if (!spent) return { tokens: burst, at, month, requests: 0 };
  const tokens = Math.min(burst, spent.tokens + ((at - spent.at) / 1_000) * requestsPerSecond);
  return { tokens, at, month, requests: spent.month === month ? spent.requests : 0 };
}
