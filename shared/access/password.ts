import { argon2 as argon2Callback, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Refusal, refuseInvalid } from '../domain/refusal.ts';
import { normalizeText } from '../domain/text.ts';
import { replacePasswordHash, userByEmail } from '../people/users.ts';
import type { Table } from '../store/table.ts';
import { issueAccessToken } from './authenticate.ts';
import { reserveLoginTry } from './login-attempts.ts';
import type { TokenKeySource } from './signing-keys.ts';

const MIN_LENGTH = 12;
const MAX_LENGTH = 128;

// OWASP's Password Storage Cheat Sheet (2026) recommends argon2id with 19 MiB, 2 passes and 1 lane; takes 30 to 60 ms.
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** A hash with today's parameters that no password matches, since its tag is random: verifying it takes the usual time. */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$Xp70q3LswM5QMoiCas2ObQ$Or/JDVVsdeSPgY+cL1bz/GnadeimBXuBK8Z8yfN9yqs';

/** Hashes a password that somebody chooses. Throws Refusal `invalid_input` unless it has 12 to 128 characters. */
export async function hashNewPassword(password: string): Promise<string> {
  const { length } = [...normalizeText(password)];
  const path = ['password'];
  if (length < MIN_LENGTH) refuseInvalid([{ path, code: 'too_short', values: { minimum: MIN_LENGTH } }]);
  if (length > MAX_LENGTH) refuseInvalid([{ path, code: 'too_long', values: { maximum: MAX_LENGTH } }]);
  return hashPassword(password);
}

/** Returns a PHC string: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`. */
export async function hashPassword(password: string): Promise<string> {
  // Keyboards compose accented letters differently; all spellings are the same password.
  const normalized = normalizeText(password);
  const salt = randomBytes(SALT_BYTES);
  const parameters = { memory: MEMORY_KIB, passes: PASSES, lanes: LANES, salt, tagLength: TAG_BYTES };
  const tag = await derive(normalized, parameters);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${encodeBase64(salt)}$${encodeBase64(tag)}`;
}

/** Uses the parameters in the PHC string. Throws on any other text. */
export async function verifyPassword(phc: string, password: string): Promise<boolean> {
  const { tag, ...parameters } = parsePhc(phc);
  return timingSafeEqual(await derive(normalizeText(password), { ...parameters, tagLength: tag.length }), tag);
}

export function needsRehash(phc: string): boolean {
  const { memory, passes, lanes, salt, tag } = parsePhc(phc);
  const hasParameters = memory === MEMORY_KIB && passes === PASSES && lanes === LANES;
  return !hasParameters || salt.length !== SALT_BYTES || tag.length !== TAG_BYTES;
}

type Parameters = { readonly memory: number; readonly passes: number; readonly lanes: number; readonly salt: Buffer };

const argon2 = /* @__PURE__ */ promisify(argon2Callback);
const derive = (
  message: string,
  { memory, passes, lanes: parallelism, salt: nonce, tagLength }: Parameters & { readonly tagLength: number },
): Promise<Buffer> => argon2('argon2id', { message, nonce, memory, passes, parallelism, tagLength });

// PHC strings have no padding.
const encodeBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/(?<!=)=+$/, '');

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parsePhc(phc: string): Parameters & { readonly tag: Buffer } {
  const match = PHC.exec(phc);
  if (!match) throw new Error('a stored password hash is no PHC string of argon2id');
  const [memory, passes, lanes] = match.slice(1, 4).map(Number) as [number, number, number];
  const [salt, tag] = match.slice(4).map((text) => Buffer.from(text, 'base64')) as [Buffer, Buffer];
  return { memory, passes, lanes, salt, tag };
}

type Login = {
  readonly email: string;
  readonly password: string;
  readonly client: { readonly id: number };
  readonly sourceAddress: string;
  readonly now: Date;
};
type Deps = { readonly table: Table; readonly tokenKeys: TokenKeySource; readonly lifetimeSeconds: number };

/** Unknown e-mail, disabled user, missing and wrong password are refused alike (`wrong_credentials`), after the same work. */
export async function issueToken(login: Login, deps: Deps): Promise<{ access: string; lifetimeSeconds: number }> {
  const { table, tokenKeys, lifetimeSeconds } = deps;
  const client = login.client.id;
  const email = login.email.trim().toLowerCase();
  // A known e-mail takes longer to look up, but the reservation takes longest, so the difference does not show.
  const [giveBack, user] = await Promise.all([
    reserveLoginTry(table, { client, email, sourceAddress: login.sourceAddress }, login.now),
    userByEmail(table, client, email),
  ]);
  const passwordHash = user?.passwordHash ?? DUMMY_HASH;
  const isRight = await verifyPassword(passwordHash, login.password);
  if (!isRight || !user?.passwordHash || user.disabledAt) throw new Refusal('wrong_credentials');
  await giveBack();
  if (needsRehash(passwordHash)) await replacePasswordHash(table, user, await hashPassword(login.password));
  const keys = await tokenKeys();
  const access = await issueAccessToken({ client, user }, { keys, lifetimeSeconds, now: login.now });
  return { access, lifetimeSeconds };
}
