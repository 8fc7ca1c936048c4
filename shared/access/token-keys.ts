import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto';
import type { SigningKey, SigningKeySource } from './signing-keys.ts';

/*
 * The token route alone reads the secret of which the private key is made. It publishes the public key in the table before it
 * signs, where every other function looks it up by its name. A key that signs no longer goes by itself.
 */

/** The key pair that signs access tokens (Ed25519, RFC 8037). `kid` names it in tokens: the SHA-256 of the public key. */
export type TokenKeys = { readonly kid: string; readonly publicKey: string; readonly privateKey: KeyObject };
export type TokenKeySource = () => Promise<TokenKeys>;

/** A public key, 32 bytes in base64url, and the time until which tokens that it signed are valid. */
export type PublishedKey = { readonly publicKey: string; readonly until: Date };
/** Returns the public key of this name; undefined if none is published. Throws Refusal `unavailable`. */
export type PublicKeySource = (kid: string) => Promise<KeyObject | undefined>;

// All that stands before the 32 bytes of a private key in PKCS #8 (RFC 8410, 7 and 10.3).
const PRIVATE_KEY_START = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Makes the key pair of a secret: the same one of each, whatever it is named. */
export function toTokenKeys({ secret }: Pick<SigningKey, 'secret'>): TokenKeys {
  const key = Buffer.concat([PRIVATE_KEY_START, hash('sha256', secret, 'buffer')]);
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  const { x: publicKey = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { kid: hash('sha256', publicKey, 'base64url'), publicKey, privateKey };
}

const PUBLISHED_ANEW_MS = 60 * 60_000;

type Publishing = {
  readonly publish: (kid: string, key: PublishedKey) => Promise<void>;
  readonly lifetimeSeconds: number;
  readonly now: () => Date;
};

/**
 * Returns a source of the key pair of the current secret, which has been published when it is given. It is published for the
 * life of a token and two hours, and anew after an hour.
 */
export function publishedTokenKeys(
  secrets: SigningKeySource,
  { publish, lifetimeSeconds, now }: Publishing,
): TokenKeySource {
  let latest: { readonly of: SigningKey; readonly anewAt: number; readonly keys: Promise<TokenKeys> } | undefined;

  const publishKeys = async (of: SigningKey, time: number): Promise<TokenKeys> => {
    const keys = toTokenKeys(of);
    const until = new Date(time + lifetimeSeconds * 1_000 + 2 * PUBLISHED_ANEW_MS);
    await publish(keys.kid, { publicKey: keys.publicKey, until });
    return keys;
  };

  return async () => {
    const { current: of } = await secrets();
    const time = now().getTime();
    if (latest?.of === of && time < latest.anewAt) return latest.keys;
    const keys = publishKeys(of, time);
    latest = { of, anewAt: time + PUBLISHED_ANEW_MS, keys };
    keys.catch(() => {
      latest = undefined;
    });
    return keys;
  };
}

const KEPT_MS = 5 * 60_000;

/** Returns a source of published keys that keeps each for 5 minutes, so that one that is taken back ends then. */
export function keptPublicKeys(
  find: (kid: string) => Promise<PublishedKey | undefined>,
  now: () => Date,
): PublicKeySource {
  const kept = new Map<string, { readonly key: KeyObject; readonly until: number }>();
  return async (kid) => {
    const time = now().getTime();
    const known = kept.get(kid);
    if (known && time < known.until) return known.key;
    const found = await find(kid);
    if (!found || time >= found.until.getTime()) return undefined;
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: found.publicKey }, format: 'jwk' });
    kept.set(kid, { key, until: Math.min(time + KEPT_MS, found.until.getTime()) });
    return key;
  };
}
