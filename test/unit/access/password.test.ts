import { describe, expect, it } from 'vitest';
import {
  DUMMY_HASH,
  hashNewPassword,
  hashPassword,
  needsRehash,
  verifyPassword,
} from '../../../shared/access/password.ts';

// The reference implementation tests "password" with salt "somesalt" (P-H-C/phc-winner-argon2, src/test.c).
const KNOWN_SMALL = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
const KNOWN_LARGE = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
// This hash of "correct horse battery" has today's parameters, a salt of 16 bytes ("0123456789abcdef") and a tag of 32.
const KNOWN_TODAY = '$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$69I7qCjDTsQwhQqFvpQJiqEI0lGQvxC84fXE0Ktxca4';

describe('verifyPassword', () => {
  it.each([
    ['accepts a known answer', KNOWN_SMALL, 'password', true],
    ['accepts a known answer with more memory', KNOWN_LARGE, 'password', true],
    ['refuses another case', KNOWN_SMALL, 'Password', false],
    ['refuses a long text', KNOWN_SMALL, 'p'.repeat(100_000), false],
    ['refuses a tag with one bit changed', KNOWN_SMALL.replace('$nf65', '$nf64'), 'password', false],
  ])('%s', async (_, phc, password, expected) => {
    expect(await verifyPassword(phc, password)).toBe(expected);
  });

  it.each([
    '',
    'password',
    KNOWN_SMALL.replace('argon2id', 'argon2i'),
    KNOWN_SMALL.replace('v=19', 'v=16'),
    `${KNOWN_SMALL}\n`,
    '$scrypt$ln=17,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$HLryCq/g8heq8avq9ixG5k8eQ5EOR5tBmdGSsayk4yI',
  ])('throws on "%s", which is no valid stored hash', async (phc) => {
    await expect(verifyPassword(phc, 'password')).rejects.toThrow('no PHC string of argon2id');
  });
});

describe('hashPassword', () => {
  it('makes a PHC string of argon2id with 19 MiB, 2 passes, 1 lane, 16 bytes of salt and 32 of tag', async () => {
    const phc = await hashPassword('correct horse battery');
    expect(phc).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await verifyPassword(phc, 'correct horse battery')).toBe(true);
    expect(await verifyPassword(phc, 'correct horse batterz')).toBe(false);
    expect(await hashPassword('correct horse battery')).not.toBe(phc);
  });

  it('treats a letter and its accent as the accented letter', async () => {
    const phc = await hashPassword('contrase\u00f1a');
    expect(await verifyPassword(phc, 'contrasen\u0303a')).toBe(true);
    expect(await verifyPassword(phc, 'contrasena')).toBe(false);
    expect(await verifyPassword(phc, 'contrase\u00f1a\u200b')).toBe(true);
  });
});

describe('hashNewPassword', () => {
  it.each(['123456789012', 'contrasen\u0303a-2', '😀'.repeat(12), 'e\u0301💊'.repeat(64)])(
    'accepts 12 to 128 characters, however many units they have: %s',
    async (password) => {
      expect(await verifyPassword(await hashNewPassword(password), password)).toBe(true);
    },
  );

  const tooShort = { code: 'too_short', values: { minimum: 12 } };
  const tooLong = { code: 'too_long', values: { maximum: 128 } };
  it.each([
    ['contrasen\u0303a4', tooShort],
    ['😀'.repeat(6), tooShort],
    ['p'.repeat(129), tooLong],
    ['e\u0301'.repeat(129), tooLong],
    ['p'.repeat(1_000_000), tooLong],
  ])('refuses fewer or more: %s', async (password, error) => {
    const refused = { code: 'invalid_input', errors: [{ path: ['password'], ...error }] };
    await expect(hashNewPassword(password)).rejects.toMatchObject(refused);
  });
});

describe('needsRehash', () => {
  it("leaves today's parameters alone, as those of the dummy hash, which matches no password", async () => {
    expect([needsRehash(KNOWN_TODAY), needsRehash(DUMMY_HASH)]).toEqual([false, false]);
    expect(await verifyPassword(DUMMY_HASH, 'password')).toBe(false);
  });

  it.each([
    KNOWN_SMALL,
    KNOWN_LARGE,
    KNOWN_TODAY.replace('m=19456', 'm=19455'),
    KNOWN_TODAY.replace('t=2', 't=1'),
    KNOWN_TODAY.replace('p=1', 'p=2'),
    KNOWN_TODAY.replace('MDEyMzQ1Njc4OWFiY2RlZg', 'c29tZXNhbHQ'),
    KNOWN_TODAY.slice(0, -11),
  ])('asks for another hash of %s', (phc) => {
    expect(needsRehash(phc)).toBe(true);
  });
});
