import * as z from 'zod';
import { unavailable } from '../domain/refusal.ts';
import { cachedSecret } from '../runtime/aws.ts';
import { sealConfig, tokenConfig } from '../runtime/config.ts';

// A key of Ed25519 (RFC 8032, 5.1.5) and one of AES-256 are made of as many.
const MIN_SECRET_BYTES = 32;

const signingKey = z.object({
  kid: z.string().min(1).max(64),
  secret: z
    .base64url()
    .transform((text) => new Uint8Array(Buffer.from(text, 'base64url')))
    .refine((secret) => secret.length >= MIN_SECRET_BYTES, `shorter than ${MIN_SECRET_BYTES} bytes`),
});
// The first key of a stack stands alone, because CloudFormation generates only a field of the outermost object.
const wrapped = (input: unknown): unknown =>
  typeof input === 'object' && input !== null && 'kid' in input ? { current: input } : input;
const signingKeys = z.preprocess(
  wrapped,
  z
    .object({ current: signingKey, previous: signingKey.optional() })
    .refine(({ current, previous }) => current.kid !== previous?.kid, 'two keys of one name'),
);

export type SigningKey = z.infer<typeof signingKey>;
/** The current key signs or encrypts; what the previous key encrypted is read as well. */
export type SigningKeys = z.infer<typeof signingKeys>;
export type SigningKeySource = () => Promise<SigningKeys>;

/**
 * Parses `{"current":{"kid","secret"},"previous":{…}}`, or `{"kid","secret"}` alone, with each `secret` in base64url of at
 * least 32 bytes. Throws an Error on anything else.
 */
export function parseSigningKeys(json: string): SigningKeys {
  const read = signingKeys.safeParse(JSON.parse(json));
  if (read.success) return read.data;
  throw new Error(`signing keys: ${z.prettifyError(read.error)}`);
}

/** Returns a source of the keys in TOKEN_KEYS, or in the secret TOKEN_SECRET_ID. It throws Refusal `unavailable`. */
export function configuredTokenKeys(now: () => Date): SigningKeySource {
  const { TOKEN_KEYS, TOKEN_SECRET_ID } = tokenConfig();
  return openKeys('TOKEN', { keys: TOKEN_KEYS, secretId: TOKEN_SECRET_ID }, now);
}

/** Returns a source of the keys in SEAL_KEYS, or in the secret SEAL_SECRET_ID. It throws Refusal `unavailable`. */
export function configuredSealKeys(now: () => Date): SigningKeySource {
  const { SEAL_KEYS, SEAL_SECRET_ID } = sealConfig();
  return openKeys('SEAL', { keys: SEAL_KEYS, secretId: SEAL_SECRET_ID }, now);
}

type Configured = { readonly keys: string | undefined; readonly secretId: string | undefined };

function openKeys(use: 'TOKEN' | 'SEAL', { keys, secretId }: Configured, now: () => Date): SigningKeySource {
  if (keys !== undefined) {
    const given = parseSigningKeys(keys);
    return async () => given;
  }
  if (secretId === undefined) throw new Error(`configuration: ${use}_KEYS or ${use}_SECRET_ID is needed`);
  const read = cachedSecret(secretId, parseSigningKeys, now);
  return () =>
    read().catch((cause: unknown) => {
      throw unavailable({ cause });
    });
}
