import { LocalServerError } from '../local-server-error.ts';

export type RateLimit = { readonly requestsPerSecond: number; readonly burst: number };

const BURST_SECONDS = 2;

/** Parses `LOCAL_RATE_LIMIT`: requests per second, or requests per second and burst as in `50:100`. Undefined means no limit. */
export function readRateLimit(written: string | undefined): RateLimit | undefined {
  if (written === undefined || written === '') return undefined;
  const match = /^([1-9]\d{0,5})(?::([1-9]\d{0,5}))?$/.exec(written);
  if (!match)
    throw new LocalServerError(`LOCAL_RATE_LIMIT must be requests a second as in 50 or 50:100, not "${written}"`);
  const requestsPerSecond = Number(match[1]);
  return { requestsPerSecond, burst: Number(match[2] ?? requestsPerSecond * BURST_SECONDS) };
}

/** Returns what takes a token from the bucket of a key, which holds `burst`; false if it is empty. */
export function createTokenBuckets({ requestsPerSecond, burst }: RateLimit) {
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>();

  return function take(key: string, now: Date): boolean {
    const at = now.getTime();
    const bucket = buckets.get(key) ?? { tokens: burst, at };
    const tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1_000) * requestsPerSecond);
    const isTaken = tokens >= 1;
    buckets.set(key, { tokens: isTaken ? tokens - 1 : tokens, at });
    return isTaken;
  };
}
