import * as z from 'zod';
import { unavailable } from '../domain/refusal.ts';
import { cachedSecret } from '../runtime/aws.ts';
import { sealConfig, tokenConfig } from '../runtime/config.ts';

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
  return openKeys('TOKEN', { keys: TOKEN_KEYS, secretId: TOKEN_SECRET_ID }, now);
}

/** The keys are in SEAL_KEYS, or in the secret SEAL_SECRET_ID. The source throws Refusal `unavailable`. */
export function configuredSealKeys(now: () => Date): SigningKeySource {
  const { SEAL_KEYS, SEAL_SECRET_ID } = sealConfig();
  return openKeys('SEAL', { keys: SEAL_KEYS, secretId: SEAL_SECRET_ID }, now);
}

type Settings = { readonly keys: string | undefined; readonly secretId: string | undefined };

function openKeys(use: 'TOKEN' | 'SEAL', { keys, secretId }: Settings, now: () => Date): SigningKeySource {
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
