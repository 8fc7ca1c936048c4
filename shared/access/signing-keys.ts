import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto';
import * as z from 'zod';
import { unavailable } from '../domain/refusal.ts';
import { cachedSecret } from '../runtime/aws.ts';
import { sealConfig, tokenConfig } from '../runtime/config.ts';
import { tokenKeyKey } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import type { Table } from '../store/table.ts';

// Keys of Ed25519 (RFC 8032, 5.1.5) and of AES-256 have as many.
const MIN_SECRET_BYTES = 32;

const signingKey = z.object({
  kid: z.string().min(1).max(64),
  secret: z
    .base64url()
    .transform((text) => new Uint8Array(Buffer.from(text, 'base64url')))
    .refine((secret) => secret.length >= MIN_SECRET_BYTES, `shorter than ${MIN_SECRET_BYTES} bytes`),
});
// A stack's first key stands alone: CloudFormation can only generate a field of the outermost object.
const wrapped = (input: unknown): unknown =>
  typeof input === 'object' && input !== null && 'kid' in input ? { current: input } : input;
const signingKeys = z.preprocess(
  wrapped,
  z
    .object({ current: signingKey, previous: signingKey.optional() })
    .refine(({ current, previous }) => current.kid !== previous?.kid, 'two keys of one name'),
);

export type SigningKey = z.infer<typeof signingKey>;
/** The current key signs and encrypts; the previous one still decrypts. */
export type SigningKeys = z.infer<typeof signingKeys>;
export type SigningKeySource = () => Promise<SigningKeys>;

/** Parses `{"current":{"kid","secret"},"previous":{…}}`, or `{"kid","secret"}` alone; each `secret` is base64url. */
export function parseSigningKeys(json: string): SigningKeys {
  const result = signingKeys.safeParse(JSON.parse(json));
  if (result.success) return result.data;
  throw new Error(`signing keys: ${z.prettifyError(result.error)}`);
}

/** The keys are in TOKEN_KEYS, or in the secret TOKEN_SECRET_ID. The source throws Refusal `unavailable`. */
export function configuredTokenKeys(now: () => Date): SigningKeySource {
  const { TOKEN_KEYS, TOKEN_SECRET_ID } = tokenConfig();
  return openKeys('TOKEN', TOKEN_KEYS, TOKEN_SECRET_ID, now);
}

/** The keys are in SEAL_KEYS, or in the secret SEAL_SECRET_ID. The source throws Refusal `unavailable`. */
export function configuredSealKeys(now: () => Date): SigningKeySource {
  const { SEAL_KEYS, SEAL_SECRET_ID } = sealConfig();
  return openKeys('SEAL', SEAL_KEYS, SEAL_SECRET_ID, now);
}

type Setting = string | undefined;

function openKeys(use: 'TOKEN' | 'SEAL', keys: Setting, secretId: Setting, now: () => Date): SigningKeySource {
  if (keys !== undefined) {
    const fixed = parseSigningKeys(keys);
    return async () => fixed;
  }
  if (secretId === undefined) throw new Error(`configuration: ${use}_KEYS or ${use}_SECRET_ID is needed`);
  const readSecret = cachedSecret(secretId, parseSigningKeys, now);
  return () =>
    readSecret().catch((cause: unknown) => {
      throw unavailable({ cause });
    });
}

// Only the token route reads the secret that yields the private key. It publishes the public key in the table before it signs;
// all other functions look it up there by name. A key that no longer signs expires by itself.

/** The Ed25519 key pair that signs access tokens (RFC 8037). `kid` is the SHA-256 of the public key. */
export type TokenKeys = { readonly kid: string; readonly publicKey: string; readonly privateKey: KeyObject };
export type TokenKeySource = () => Promise<TokenKeys>;

/** A public key of 32 bytes in base64url, and when the last token that it signed expires. */
export type PublishedKey = { readonly publicKey: string; readonly until: Date };
/** Undefined if no key of this name is published. Throws Refusal `unavailable`. */
export type PublicKeySource = (kid: string) => Promise<KeyObject | undefined>;

// The PKCS #8 encoding before the 32 bytes of a private key (RFC 8410, 7 and 10.3).
const PRIVATE_KEY_START = Buffer.from('302e020100300506032b657004220420', 'hex');

export function toTokenKeys({ secret }: Pick<SigningKey, 'secret'>): TokenKeys {
  const key = Buffer.concat([PRIVATE_KEY_START, hash('sha256', secret, 'buffer')]);
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  const { x: publicKey = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { kid: hash('sha256', publicKey, 'base64url'), publicKey, privateKey };
}

const REPUBLISHED_MS = 60 * 60_000;

type Publishing = {
  readonly publish: (kid: string, key: PublishedKey) => Promise<void>;
  readonly lifetimeSeconds: number;
  readonly now: () => Date;
};

/** Returns a source of the current secret's key pair, published for a token's lifetime plus two hours and renewed hourly. */
export function publishedTokenKeys(
  secrets: SigningKeySource,
  { publish, lifetimeSeconds, now }: Publishing,
): TokenKeySource {
  let latest: { readonly of: SigningKey; readonly renewAt: number; readonly keys: Promise<TokenKeys> } | undefined;

  const publishKeys = async (of: SigningKey, time: number): Promise<TokenKeys> => {
    const keys = toTokenKeys(of);
    const until = new Date(time + lifetimeSeconds * 1_000 + 2 * REPUBLISHED_MS);
    await publish(keys.kid, { publicKey: keys.publicKey, until });
    return keys;
  };

  return async () => {
    const { current: of } = await secrets();
    const time = now().getTime();
    if (latest?.of === of && time < latest.renewAt) return latest.keys;
    const keys = publishKeys(of, time);
    latest = { of, renewAt: time + REPUBLISHED_MS, keys };
    keys.catch(() => {
      latest = undefined;
    });
    return keys;
  };
}

const CACHE_MS = 5 * 60_000;

/** Caches each published key for 5 minutes, after which a withdrawn key ends. */
export function keptPublicKeys(
  find: (kid: string) => Promise<PublishedKey | undefined>,
  now: () => Date,
): PublicKeySource {
  const cache = new Map<string, { readonly key: KeyObject; readonly until: number }>();
  return async (kid) => {
    const time = now().getTime();
    const cached = cache.get(kid);
    if (cached && time < cached.until) return cached.key;
    const published = await find(kid);
    if (!published || time >= published.until.getTime()) return undefined;
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: published.publicKey }, format: 'jwk' });
    cache.set(kid, { key, until: Math.min(time + CACHE_MS, published.until.getTime()) });
    return key;
  };
}

// `ttl` is in seconds. Readers compare it, since an expired item may linger for days.
const publicKeyItem = z.object({
  publicKey: z.string(),
  ttl: z.number().transform((seconds) => new Date(seconds * 1_000)),
});

export async function publishTokenKey(table: Table, kid: string, { publicKey, until }: PublishedKey): Promise<void> {
  await table.putAll([toItem(tokenKeyKey(kid), { publicKey, ttl: Math.ceil(until.getTime() / 1_000) })]);
}

/** Returns a published key, even if expired. */
export async function findTokenKey(table: Table, kid: string): Promise<PublishedKey | undefined> {
  const item = await table.get(tokenKeyKey(kid));
  if (!item) return undefined;
  const { publicKey, ttl: until } = parseItem(publicKeyItem, item, 'token key');
  return { publicKey, until };
}
