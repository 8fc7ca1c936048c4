import { Refusal } from '../domain/refusal.ts';
import { passwordConfig } from '../runtime/config.ts';
import { argon2Feature, argon2id } from './argon2id.ts';
import type { PasswordHash } from './password-hash.ts';
import { scrypt } from './scrypt.ts';

const MIN_LENGTH = 8;
const MAX_LENGTH = 128;

// Keyboards compose an accented letter differently, and both spellings are the same password.
const normalize = (password: string): string => password.normalize('NFC');

/**
 * Returns the PHC string of a new password: of argon2id, or of scrypt where Node has no argon2 or PASSWORD_HASH asks for
 * it. Throws Refusal `invalid_input` on `password` unless it has 8 to 128 characters.
 */
export async function hashPassword(password: string): Promise<string> {
  const normalized = normalize(password);
  refuseLength(normalized.length);
  return hashForNew().hash(normalized);
}

/**
 * True when the PHC string was made from this password, with whatever parameters it names. Throws Refusal `unavailable` for
 * one of argon2id where Node has no argon2.
 */
export const verifyPassword = async (phc: string, password: string): Promise<boolean> =>
  hashOf(phc).verify(phc, normalize(password));

/** True when a new PHC string would have another algorithm or other parameters than this one. */
export function needsRehash(phc: string): boolean {
  const hash = hashOf(phc);
  return hash !== hashForNew() || !hash.isOfToday(phc);
}

/** Returns a hash that no password fits: verifying it takes as long as one that was made today. */
export const dummyHash = (): string => hashForNew().dummy;

function hashForNew(): PasswordHash {
  const isScryptWanted = passwordConfig().PASSWORD_HASH === 'scrypt';
  return isScryptWanted || !argon2Feature.isThere() ? scrypt : argon2id;
}

function hashOf(phc: string): PasswordHash {
  const hash = [argon2id, scrypt].find(({ prefix }) => phc.startsWith(prefix));
  if (!hash) throw new Error('a stored password hash is no PHC string of argon2id or scrypt');
  return hash;
}

function refuseLength(length: number): void {
  const path = ['password'];
  const tooShort = { path, code: 'too_short', values: { minimum: MIN_LENGTH } } as const;
  if (length < MIN_LENGTH) throw new Refusal('invalid_input', { errors: [tooShort] });
  const tooLong = { path, code: 'too_long', values: { maximum: MAX_LENGTH } } as const;
  if (length > MAX_LENGTH) throw new Refusal('invalid_input', { errors: [tooLong] });
}
