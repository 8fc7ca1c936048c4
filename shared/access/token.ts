import { errors, jwtVerify, SignJWT } from 'jose';
import * as z from 'zod';
import { ROLES, type Role } from '../domain/person.ts';
import { Refusal, unavailable } from '../domain/refusal.ts';
import { cachedSecret } from '../runtime/aws.ts';
import { sealConfig, tokenConfig } from '../runtime/config.ts';

// RFC 7518, 3.2: a key of HS256 is at least as long as its hash.
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
/** The current key signs; what the previous key signed is accepted as well. */
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

const ALGORITHM = 'HS256';
// A type of its own (RFC 9068, 2.1), so that a token made for another purpose with the same keys is refused.
const TYPE = 'at+jwt';
const ISSUER = 'pharmacy';
const AUDIENCE = 'pharmacy-orders';
const CLOCK_TOLERANCE_SECONDS = 5;
const MAX_TOKEN_LENGTH = 2_048;

// A token has three parts, the last the 32 bytes of an HS256 signature. Its 43rd character carries 4 bits of 6. Decoders
// ignore the other two, so they must be zero, or every token would have four spellings.
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;

const claims = z.object({
  sub: z
    .string()
    .regex(/^[1-9]\d{0,14}$/)
    .transform(Number),
  client: z.int().positive(),
  role: z.enum(ROLES),
  credentials: z.int().nonnegative(),
  access_lifetime: z.int().positive(),
});

/** The user that a token is for, in one role, of one client. */
export type Subject = {
  readonly client: number;
  readonly user: {
    readonly id: number;
    readonly role: Role;
    /** The number of times that the user got another password, which ends all tokens from before. */
    readonly credentialsVersion: number;
  };
};

/** Issues an access token with the current key; `access_lifetime` is its lifetime in seconds, as the interface has it. */
export async function issueAccessToken(
  { client, user }: Subject,
  { keys, lifetimeSeconds, now }: { keys: SigningKeys; lifetimeSeconds: number; now: Date },
): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1_000);
  return new SignJWT({ client, ...toClaims(user), access_lifetime: lifetimeSeconds })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: keys.current.kid })
    .setSubject(String(user.id))
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(keys.current.secret);
}

const toClaims = ({ role, credentialsVersion }: Subject['user']) => ({ role, credentials: credentialsVersion });

/** Verifies a token and returns its subject. Throws Refusal `token_expired`, or `token_invalid` for anything else wrong. */
export async function verifyAccessToken(
  token: string,
  { keys, now }: { keys: SigningKeys; now: Date },
): Promise<Subject> {
  if (token.length > MAX_TOKEN_LENGTH || !COMPACT_JWS.test(token)) throw new Refusal('token_invalid');
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => findKey(keys, kid).secret, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ['iat', 'exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: now,
    });
    const { sub, client, role, credentials } = claims.parse(payload);
    return { client, user: { id: sub, role, credentialsVersion: credentials } };
  } catch (cause) {
    throw new Refusal(cause instanceof errors.JWTExpired ? 'token_expired' : 'token_invalid', { cause });
  }
}

function findKey({ current, previous }: SigningKeys, kid: string | undefined): SigningKey {
  const key = [current, previous].find((candidate) => candidate?.kid === kid);
  if (!key) throw new Refusal('token_invalid');
  return key;
}
