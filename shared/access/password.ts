import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Refusal } from '../domain/refusal.ts';

// OWASP's Password Storage Cheat Sheet (2026) prefers argon2id with 19 MiB, 2 passes and 1 lane; it takes 30 to 60 ms.
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

const MIN_LENGTH = 8;
const MAX_LENGTH = 128;

/** A hash with today's parameters and a random tag, which no password fits: verifying it takes as long as a real one. */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$Xp70q3LswM5QMoiCas2ObQ$Or/JDVVsdeSPgY+cL1bz/GnadeimBXuBK8Z8yfN9yqs';

type Argon2Hash = { memory: number; passes: number; lanes: number; salt: Buffer; tag: Buffer };

/**
 * Returns the PHC string of a new password, e.g. `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`.
 * Throws Refusal `invalid_input` on `password` unless it has 8 to 128 characters.
 */
export async function hashPassword(password: string): Promise<string> {
  refuseLength(password.normalize('NFC').length);
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(password, { memory: MEMORY_KIB, passes: PASSES, lanes: LANES, salt }, TAG_BYTES);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** True when the PHC string was made from this password, with whatever argon2id parameters it names. */
export async function verifyPassword(phc: string, password: string): Promise<boolean> {
  const hash = parsePhc(phc);
  return timingSafeEqual(await derive(password, hash, hash.tag.length), hash.tag);
}

/** True when the PHC string was made with other parameters than a new one would be. */
export function needsRehash(phc: string): boolean {
  const { memory, passes, lanes, salt, tag } = parsePhc(phc);
  const isOfToday = memory === MEMORY_KIB && passes === PASSES && lanes === LANES;
  return !(isOfToday && salt.length === SALT_BYTES && tag.length === TAG_BYTES);
}

function refuseLength(length: number): void {
  const path = ['password'];
  const tooShort = { path, code: 'too_short', values: { minimum: MIN_LENGTH } } as const;
  if (length < MIN_LENGTH) throw new Refusal('invalid_input', { errors: [tooShort] });
  const tooLong = { path, code: 'too_long', values: { maximum: MAX_LENGTH } } as const;
  if (length > MAX_LENGTH) throw new Refusal('invalid_input', { errors: [tooLong] });
}

const argon2Async = promisify(argon2);

function derive(password: string, hash: Omit<Argon2Hash, 'tag'>, tagLength: number): Promise<Buffer> {
  return argon2Async('argon2id', {
    // Keyboards compose an accented letter differently, and both spellings are the same password.
    message: password.normalize('NFC'),
    nonce: hash.salt,
    memory: hash.memory,
    passes: hash.passes,
    parallelism: hash.lanes,
    tagLength,
  });
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

function parsePhc(phc: string): Argon2Hash {
  const match = PHC.exec(phc);
  if (!match) throw new Error('a stored password hash is no argon2id PHC string');
  const [memory, passes, lanes, salt, tag] = match.slice(1) as [string, string, string, string, string];
  return {
    memory: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}
