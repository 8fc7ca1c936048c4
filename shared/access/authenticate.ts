import type { KeyObject } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import * as z from 'zod';
import { Refusal } from '../domain/refusal.ts';
import { ROLES, type Role } from '../people/rules/roles.ts';
import { parseUser, type UserRecord } from '../people/users.ts';
import { noteRequest } from '../runtime/log.ts';
import type { Item } from '../store/table.ts';
import type { Client } from './clients.ts';
import type { PublicKeySource, TokenKeys } from './signing-keys.ts';

type ClientDeps = { readonly findClient: (gatewayKeyId: string) => Promise<Client | undefined> };
type UserDeps = ClientDeps & {
  readonly readUser: (client: number, user: number) => Promise<Item | undefined>;
  readonly findPublicKey: PublicKeySource;
  readonly now: () => Date;
};

export type ClientCaller = { readonly client: Client };
export type UserCaller = ClientCaller & {
  readonly user: Subject['user'];
  /**
   * The stored user, read in parallel with the route's first read. Rejects with `token_invalid` if the token was
   * revoked: await it before any write, and in any case before the answer.
   */
  readonly confirmed: Promise<UserRecord>;
};

/** Throws `client_unknown` if no client has the API key. */
export const identifyClient =
  ({ findClient }: ClientDeps) =>
  async ({ gatewayKeyId }: { readonly gatewayKeyId: string }): Promise<ClientCaller> => {
    const client = await findClient(gatewayKeyId);
    if (!client) throw new Refusal('client_unknown');
    noteRequest({ clientId: client.id });
    return { client };
  };

export const authenticateUser = (deps: UserDeps) => {
  const identify = identifyClient(deps);
  return async (credentials: { gatewayKeyId: string; token: string | undefined }): Promise<UserCaller> => {
    // In parallel; if both fail, the API key's refusal is the answer.
    const verifying = verify(credentials.token, deps);
    verifying.catch(() => undefined);
    const { client } = await identify(credentials);
    const { client: issuedFor, user } = await verifying;
    if (issuedFor !== client.id) throw new Refusal('token_invalid');
    noteRequest({ userId: user.id, role: user.role });
    const confirmed = deps.readUser(client.id, user.id).then((item) => requireUser(item, user));
    confirmed.catch(() => undefined);
    return { client, user, confirmed };
  };
};

async function verify(token: string | undefined, { findPublicKey, now }: UserDeps): Promise<Subject> {
  if (token === undefined) throw new Refusal('not_authenticated');
  return verifyAccessToken(token, { findPublicKey, now: now() });
}

/** Parses the user of a token. Throws `token_invalid` if they were removed or disabled, or their password changed. */
export function requireUser(item: Item | undefined, { credentialsVersion }: Subject['user']): UserRecord {
  const user = item && parseUser(item);
  const isCurrent = user && !user.disabledAt && user.credentialsVersion === credentialsVersion;
  if (!isCurrent) throw new Refusal('token_invalid');
  return user;
}

// Named by its curve (RFC 9864, 2.2). Verifying takes 0.13 ms, as with ES256.
const ALGORITHM = 'Ed25519';
// A type of its own (RFC 9068, 2.1), so that a token made for another purpose with the same keys is refused.
const TYPE = 'at+jwt';
const ISSUER = 'pharmacy';
const AUDIENCE = 'pharmacy-orders';
const CLOCK_TOLERANCE_SECONDS = 5;
const MAX_TOKEN_LENGTH = 2_048;

// Three parts, the last a signature of 64 bytes. Of its 86th character decoders ignore four of six bits, which must be zero, or
// every token would have 16 spellings.
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/;

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

export type Subject = {
  readonly client: number;
  readonly user: { readonly id: number; readonly role: Role; readonly credentialsVersion: number };
};

/** `access_lifetime` is the lifetime in seconds, as the interface has it. */
export async function issueAccessToken(
  { client, user }: Subject,
  { keys, lifetimeSeconds, now }: { keys: TokenKeys; lifetimeSeconds: number; now: Date },
): Promise<string> {
  const { id, role, credentialsVersion } = user;
  const issuedAt = Math.floor(now.getTime() / 1_000);
  return new SignJWT({ client, role, credentials: credentialsVersion, access_lifetime: lifetimeSeconds })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: keys.kid })
    .setSubject(String(id))
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(keys.privateKey);
}

/** Throws Refusal `token_expired`, `token_invalid`, or `unavailable` if the public key cannot be looked up. */
export async function verifyAccessToken(
  token: string,
  { findPublicKey, now }: { findPublicKey: PublicKeySource; now: Date },
): Promise<Subject> {
  if (token.length > MAX_TOKEN_LENGTH || !COMPACT_JWS.test(token)) throw new Refusal('token_invalid');
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => requireKey(kid, findPublicKey), {
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
    // The public key could not be read.
    if (cause instanceof Refusal) throw cause;
    throw new Refusal(cause instanceof errors.JWTExpired ? 'token_expired' : 'token_invalid', { cause });
  }
}

// The SHA-256 of a public key (signing-keys.ts).
const KEY_NAME = /^[\w-]{43}$/;

async function requireKey(kid: string | undefined, findPublicKey: PublicKeySource): Promise<KeyObject> {
  const key = kid !== undefined && KEY_NAME.test(kid) ? await findPublicKey(kid) : undefined;
  if (!key) throw new Refusal('token_invalid');
  return key;
}
