import { randomInt } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { LocalServerError } from '../local-server-error.ts';

const apiKey = z.object({
  id: z.string(),
  value: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  /** True once the key is in the usage plan; before that, requests with it are refused. */
  inUsagePlan: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type ApiKey = Readonly<z.infer<typeof apiKey>>;
type NewApiKey = Pick<ApiKey, 'name' | 'enabled'> & { readonly value?: string | undefined };

/** The gateway's API keys, stored in one file. */
export type ApiKeys = ReturnType<typeof openApiKeys>;

/** Opens the file, or starts with no keys if it is missing. Throws if it is not a list of keys. */
export function openApiKeys(file: string) {
  const keys = new Map(readKeyFile(file).map((key) => [key.id, key]));
  const byValue = new Map([...keys.values()].map((key) => [key.value, key]));
  const keep = (key: ApiKey): void => {
    keys.set(key.id, key);
    byValue.set(key.value, key);
    replaceFile(file, keys);
  };
  return {
    /** Returns the key with this secret value. */
    find: (value: string): ApiKey | undefined => byValue.get(value),
    get: (id: string): ApiKey | undefined => keys.get(id),
    list: (): readonly ApiKey[] => [...keys.values()],
    create({ value = randomText(40), ...rest }: NewApiKey): ApiKey {
      const now = new Date().toISOString();
      const key = { id: randomText(10), value, ...rest, inUsagePlan: false, createdAt: now, updatedAt: now };
      keep(key);
      return key;
    },
    change(id: string, change: Partial<Pick<ApiKey, 'enabled' | 'inUsagePlan'>>): void {
      const key = keys.get(id);
      if (key) keep({ ...key, ...change, updatedAt: new Date().toISOString() });
    },
    remove(id: string): void {
      byValue.delete(keys.get(id)?.value ?? '');
      keys.delete(id);
      replaceFile(file, keys);
    },
  };
}

function readKeyFile(file: string): ApiKey[] {
  try {
    return z.array(apiKey).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function replaceFile(file: string, keys: ReadonlyMap<string, ApiKey>): void {
  // A rename is atomic: a crash leaves the old file or the new one.
  writeFileSync(`${file}.new`, JSON.stringify([...keys.values()], null, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const randomText = (length: number) =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

export type RateLimit = { readonly requestsPerSecond: number; readonly burst: number };

const BURST_SECONDS = 2;

/** Parses `LOCAL_RATE_LIMIT`: requests per second, or requests per second and burst as in `50:100`. Undefined means no limit. */
export function readRateLimit(written: string | undefined): RateLimit | undefined {
  if (written === undefined || written === '') return undefined;
  const found = /^([1-9]\d{0,5})(?::([1-9]\d{0,5}))?$/.exec(written);
  if (!found)
    throw new LocalServerError(`LOCAL_RATE_LIMIT must be requests a second as in 50 or 50:100, not "${written}"`);
  const requestsPerSecond = Number(found[1]);
  const burst = Number(found[2] ?? requestsPerSecond * BURST_SECONDS);
  return { requestsPerSecond, burst };
}

type Bucket = { tokens: number; at: number };

/** A usage plan: each key has a token bucket of size `burst`. */
export function createUsagePlan(limit: RateLimit) {
  const buckets = new Map<string, Bucket>();

  /** Counts one request of the key. Returns the code of the refusal if the limit is exceeded. */
  return function take(apiKeyId: string, now: Date): 'throttled' | undefined {
    const bucket = refill(buckets.get(apiKeyId), limit, now.getTime());
    buckets.set(apiKeyId, bucket);
    if (bucket.tokens < 1) return 'throttled';
    bucket.tokens -= 1;
    return undefined;
  };
}

function refill(bucket: Bucket | undefined, { requestsPerSecond, burst }: RateLimit, at: number): Bucket {
  if (!bucket) return { tokens: burst, at };
  return { tokens: Math.min(burst, bucket.tokens + ((at - bucket.at) / 1_000) * requestsPerSecond), at };
}
