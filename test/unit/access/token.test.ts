import { createHmac } from 'node:crypto';
import { CompactEncrypt } from 'jose';
import { describe, expect, it } from 'vitest';
import { issueAccessToken, verifyAccessToken } from '../../../shared/access/token.ts';
import { parseTokenKeys } from '../../../shared/access/token-keys.ts';

const SECRET = 'a secret of thirty-two bytes....';
const OLD_SECRET = 'the secret before, also 32 bytes';
const base64url = (value: string | Uint8Array) => Buffer.from(value).toString('base64url');
const keys = parseTokenKeys(
  JSON.stringify({
    current: { kid: 'b', secret: base64url(SECRET) },
    previous: { kid: 'a', secret: base64url(OLD_SECRET) },
  }),
);

const NOW = new Date('2026-11-21T18:00:00.000Z');
const NOW_SECONDS = 1_795_284_000;
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

const HEADER = { alg: 'HS256', typ: 'at+jwt', kid: 'b' };
const CLAIMS = {
  client: 3,
  role: 'doctor',
  access_lifetime: 900,
  sub: '71',
  iss: 'pharmacy',
  aud: 'pharmacy-orders',
  iat: NOW_SECONDS,
  exp: NOW_SECONDS + 900,
};

const DIGESTS: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' };

// By hand and not by the library that is under test.
function sign(header: object, claims: object, secret = SECRET, digest = 'sha256'): string {
  const input = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`;
  return `${input}.${createHmac(digest, secret).update(input).digest('base64url')}`;
}

const verify = (token: string, now = NOW) => verifyAccessToken(token, { keys, now });
const subject = { client: 3, user: { id: 71, role: 'doctor' } } as const;

describe('issueAccessToken', () => {
  it('says who, of which client, in which role, and for how long', async () => {
    const token = await issueAccessToken(subject, { keys, lifetimeSeconds: 900, now: NOW });
    expect(token).toBe(sign(HEADER, CLAIMS));
  });

  it('is read back by verifyAccessToken', async () => {
    const token = await issueAccessToken(subject, { keys, lifetimeSeconds: 900, now: NOW });
    expect(await verify(token)).toEqual(subject);
  });
});

describe('verifyAccessToken accepts', () => {
  it('a token of the current key', async () => {
    expect(await verify(sign(HEADER, CLAIMS))).toEqual(subject);
  });

  it('a token of the previous key', async () => {
    expect(await verify(sign({ ...HEADER, kid: 'a' }, CLAIMS, OLD_SECRET))).toEqual(subject);
  });

  it('a token up to 5 seconds after its end, for clocks that differ', async () => {
    expect(await verify(sign(HEADER, CLAIMS), later(904))).toEqual(subject);
  });

  it('a token of another server whose clock is 5 seconds ahead', async () => {
    expect(await verify(sign(HEADER, { ...CLAIMS, nbf: NOW_SECONDS + 5 }))).toEqual(subject);
  });
});

describe('verifyAccessToken refuses as expired', () => {
  it.each([905, 906, 86_400])('a token %i seconds after it was issued for 900', async (seconds) => {
    await expect(verify(sign(HEADER, CLAIMS), later(seconds))).rejects.toMatchObject({ code: 'token_expired' });
  });

  it('but an expired token with a wrong signature is invalid', async () => {
    const forged = sign(HEADER, CLAIMS, OLD_SECRET);
    await expect(verify(forged, later(86_400))).rejects.toMatchObject({ code: 'token_invalid' });
  });
});

const without = (claim: keyof typeof CLAIMS) => {
  const { [claim]: _, ...rest } = CLAIMS;
  return rest;
};
const unsigned = (alg: string) =>
  `${base64url(JSON.stringify({ ...HEADER, alg }))}.${base64url(JSON.stringify(CLAIMS))}.`;
const borrowed = (alg: string) => unsigned(alg) + sign(HEADER, CLAIMS).split('.')[2];
const hmac = (alg: string) => sign({ ...HEADER, alg }, CLAIMS, SECRET, DIGESTS[alg]);

describe('verifyAccessToken refuses as invalid', () => {
  it.each([
    ['nothing', ''],
    ['one part', 'abc'],
    ['dots alone', '..'],
    ['no algorithm', unsigned('none')],
    ['no algorithm, spelled otherwise', unsigned('NoNe')],
    ['no algorithm, with a signature', borrowed('none')],
    ['no algorithm, spelled otherwise, with a signature', borrowed('NONE')],
    ['an algorithm in lower case', sign({ ...HEADER, alg: 'hs256' }, CLAIMS)],
    ['HS384', hmac('HS384')],
    ['HS512', hmac('HS512')],
    ['RS256', borrowed('RS256')],
    ['an algorithm that is no text', sign({ ...HEADER, alg: ['HS256'] }, CLAIMS)],
    ['another secret', sign(HEADER, CLAIMS, 'another secret of thirty-2 bytes')],
    ['the secret of the other key', sign(HEADER, CLAIMS, OLD_SECRET)],
    ['an empty secret', sign(HEADER, CLAIMS, '')],
    ['an unknown key', sign({ ...HEADER, kid: 'c' }, CLAIMS)],
    ['a path for a key', sign({ ...HEADER, kid: '../../dev/null' }, CLAIMS, '')],
    ['a property of objects for a key', sign({ ...HEADER, kid: '__proto__' }, CLAIMS)],
    ['no key', sign({ alg: 'HS256', typ: 'at+jwt' }, CLAIMS)],
    ['a key of its own', sign({ ...HEADER, kid: undefined, jku: 'https://attacker.example/keys' }, CLAIMS)],
    ['another type', sign({ ...HEADER, typ: 'JWT' }, CLAIMS)],
    ['no type', sign({ alg: 'HS256', kid: 'b' }, CLAIMS)],
    ['an unknown critical header', sign({ ...HEADER, crit: ['x'], x: 1 }, CLAIMS)],
    ['a payload that is not encoded', sign({ ...HEADER, crit: ['b64'], b64: false }, CLAIMS)],
    ['another issuer', sign(HEADER, { ...CLAIMS, iss: 'someone' })],
    ['no issuer', sign(HEADER, without('iss'))],
    ['another audience', sign(HEADER, { ...CLAIMS, aud: 'someone' })],
    ['no audience', sign(HEADER, without('aud'))],
    ['no end', sign(HEADER, without('exp'))],
    ['an end that is no number', sign(HEADER, { ...CLAIMS, exp: '9999999999' })],
    ['no time of issue', sign(HEADER, without('iat'))],
    ['a time that has not come', sign(HEADER, { ...CLAIMS, nbf: NOW_SECONDS + 6 })],
    ['no user', sign(HEADER, without('sub'))],
    ['a user that is no id', sign(HEADER, { ...CLAIMS, sub: '1#2' })],
    ['user 0', sign(HEADER, { ...CLAIMS, sub: '0' })],
    ['no client', sign(HEADER, without('client'))],
    ['a client that is no id', sign(HEADER, { ...CLAIMS, client: '3' })],
    ['no role', sign(HEADER, without('role'))],
    ['an unknown role', sign(HEADER, { ...CLAIMS, role: 'admin' })],
    ['claims that are no object', sign(HEADER, [CLAIMS])],
    ['a blank before it', ` ${sign(HEADER, CLAIMS)}`],
    ['a line end after it', `${sign(HEADER, CLAIMS)}\n`],
    ['padding after it', `${sign(HEADER, CLAIMS)}=`],
    ['a fourth part', `${sign(HEADER, CLAIMS)}.e30`],
    ['more than 2,048 characters', sign(HEADER, { ...CLAIMS, more: 'x'.repeat(1_600) })],
  ])('%s', async (_, token) => {
    await expect(verify(token)).rejects.toMatchObject({ name: 'Refusal', code: 'token_invalid' });
  });

  it('an encrypted token', async () => {
    const jwe = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(CLAIMS)))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: 'at+jwt', kid: 'b' })
      .encrypt(new TextEncoder().encode(SECRET));
    await expect(verify(jwe)).rejects.toMatchObject({ code: 'token_invalid' });
  });

  it('1 MB without working on it', async () => {
    const began = performance.now();
    await expect(verify(sign(HEADER, { ...CLAIMS, more: 'x'.repeat(786_000) }))).rejects.toMatchObject({
      code: 'token_invalid',
    });
    expect(performance.now() - began).toBeLessThan(200);
  });

  it('every token with one bit changed', async () => {
    const token = Buffer.from(sign(HEADER, CLAIMS));
    const bits = token.length * 8;
    for (let change = 0; change < 200; change++) {
      // A stride without a common divisor visits 200 places all over the token.
      const bit = (change * 7_919) % bits;
      const changed = Buffer.from(token);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      await expect(verify(changed.toString('latin1'))).rejects.toMatchObject({ code: 'token_invalid' });
    }
  });

  it('the other spellings of its last character, which decode to the same signature', async () => {
    const token = sign(HEADER, CLAIMS);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const others = [...alphabet].map((last) => token.slice(0, -1) + last).filter((other) => other !== token);
    for (const other of others) await expect(verify(other)).rejects.toMatchObject({ code: 'token_invalid' });
  });
});
