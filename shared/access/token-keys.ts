import * as z from 'zod';
import { unavailable } from '../domain/refusal.ts';
import { tokenConfig } from '../runtime/config.ts';
import { cachedSecret } from '../runtime/secret.ts';

// RFC 7518, 3.2: a key of HS256 is at least as long as its hash.
const MIN_SECRET_BYTES = 32;

const tokenKey = z.object({
  kid: z.string().min(1).max(64),
  secret: z
    .base64url()
    .transform((text) => new Uint8Array(Buffer.from(text, 'base64url')))
    .refine((secret) => secret.length >= MIN_SECRET_BYTES, `shorter than ${MIN_SECRET_BYTES} bytes`),
});
// The first key of a stack stands alone, because CloudFormation generates only a field of the outermost object.
const wrapped = (input: unknown): unknown =>
  typeof input === 'object' && input !== null && 'kid' in input ? { current: input } : input;
const tokenKeys = z.preprocess(
  wrapped,
  z
    .object({ current: tokenKey, previous: tokenKey.optional() })
    .refine(({ current, previous }) => current.kid !== previous?.kid, 'two keys of one name'),
);

export type TokenKey = z.infer<typeof tokenKey>;
/** New tokens are signed with the current key; tokens of the previous key are valid until they expire. */
export type TokenKeys = z.infer<typeof tokenKeys>;
export type TokenKeySource = () => Promise<TokenKeys>;

/**
 * Parses `{"current":{"kid","secret"},"previous":{…}}`, or `{"kid","secret"}` alone, with each `secret` in base64url of at
 * least 32 bytes. Throws an Error on anything else.
 */
export function parseTokenKeys(json: string): TokenKeys {
  const read = tokenKeys.safeParse(JSON.parse(json));
  if (read.success) return read.data;
  throw new Error(`token keys: ${z.prettifyError(read.error)}`);
}

/** Returns a source of the keys in TOKEN_KEYS, or in the secret TOKEN_SECRET_ID. It throws Refusal `unavailable`. */
export function configuredTokenKeys(now: () => Date): TokenKeySource {
  const { TOKEN_KEYS, TOKEN_SECRET_ID } = tokenConfig();
  if (TOKEN_KEYS !== undefined) {
    const keys = parseTokenKeys(TOKEN_KEYS);
    return async () => keys;
  }
  if (TOKEN_SECRET_ID === undefined) throw new Error('configuration: TOKEN_KEYS or TOKEN_SECRET_ID is needed');
  const keys = cachedSecret(TOKEN_SECRET_ID, parseTokenKeys, now);
  return async () => {
    try {
      return await keys();
    } catch (cause) {
      throw unavailable({ cause });
    }
  };
}
