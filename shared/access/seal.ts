import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SigningKey, SigningKeys } from './signing-keys.ts';

export type SealKeys = SigningKeys;
/** The purpose of a sealed text; one that was sealed for another purpose does not unseal. */
export type SealPurpose = 'cursor' | 'hold';

// A hold has the figures of 50 lines; a cursor is part of a URL, and the schema of its parameter has a lower bound.
const MAX_SEALED_LENGTH = 16_384;

// The name of the key, the payload and 32 bytes of HMAC, each in base64url.
const SEALED = /^([\w-]+)\.([\w-]*)\.([\w-]{43})$/;

/** Returns URL-safe text with the payload, which anybody can read, signed with the current key. */
export function seal(purpose: SealPurpose, payload: string, { current }: SealKeys): string {
  const content = encode(payload);
  return `${encode(current.kid)}.${content}.${sign(purpose, content, current)}`;
}

/**
 * Returns the payload of a text that was sealed for this purpose with the current or the previous key; undefined for any
 * other text. Every payload has one sealed text only for each key.
 */
export function unseal(purpose: SealPurpose, text: string, { current, previous }: SealKeys): string | undefined {
  if (text.length > MAX_SEALED_LENGTH) return undefined;
  const [, kid, content = '', signature = ''] = SEALED.exec(text) ?? [];
  const key = [current, previous].find((one) => one && encode(one.kid) === kid);
  if (!key || !isEqual(signature, sign(purpose, content, key))) return undefined;
  return Buffer.from(content, 'base64url').toString();
}

// Signatures are compared, and contents signed, as they are written: decoders ignore the last bits of some characters, so
// that one signature would have several spellings.
const isEqual = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other));

const sign = (purpose: SealPurpose, content: string, { secret }: SigningKey): string =>
  createHmac('sha256', secret).update(`${purpose}.${content}`).digest('base64url');

const encode = (text: string): string => Buffer.from(text).toString('base64url');
