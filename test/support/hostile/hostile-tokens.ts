import { createHash, createHmac, createPrivateKey, createPublicKey, sign as signBytes } from 'node:crypto';
import type { Subject } from '../../../shared/access/authenticate.ts';

export const SECRET = 'a secret of thirty-two bytes....';
const OLD_SECRET = 'the secret before, also 32 bytes';
const base64url = (value: string | Uint8Array) => Buffer.from(value).toString('base64url');

/** The token keys of the service under test. */
export const TOKEN_KEYS = JSON.stringify({
  current: { kid: 'b', secret: base64url(SECRET) },
  previous: { kid: 'a', secret: base64url(OLD_SECRET) },
});

export type Claims = Readonly<Record<string, unknown>>;
type Header = Readonly<Record<string, unknown>>;

const sha256 = (value: string) => createHash('sha256').update(value);

/** Returns the private key of a secret (RFC 8410, 7). */
const privateKeyOf = (secret: string) =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), sha256(secret).digest()]),
    format: 'der',
    type: 'pkcs8',
  });
const publicKeyOf = (secret: string): string => createPublicKey(privateKeyOf(secret)).export({ format: 'jwk' }).x ?? '';
const nameOf = (secret: string): string => sha256(publicKeyOf(secret)).digest('base64url');

const HEADER = { alg: 'Ed25519', typ: 'at+jwt', kid: nameOf(SECRET) };

/** Returns the claims of a valid token that is issued at this Unix second for 15 minutes. */
export const claimsOf = ({ client, user }: Subject, issuedAt: number) => ({
  client,
  role: user.role,
  credentials: user.credentialsVersion,
  access_lifetime: 900,
  sub: String(user.id),
  iss: 'pharmacy',
  aud: 'pharmacy-orders',
  iat: issuedAt,
  exp: issuedAt + 900,
});
type GoodClaims = ReturnType<typeof claimsOf>;

// Signs without the library that is under test.
const signingInput = (header: Header, claims: unknown): string =>
  `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`;
function sign(header: Header, claims: unknown, secret = SECRET): string {
  const input = signingInput(header, claims);
  return `${input}.${base64url(signBytes(null, Buffer.from(input), privateKeyOf(secret)))}`;
}
function signSymmetrically(header: Header, claims: unknown, secret: string): string {
  const input = signingInput(header, claims);
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

/** Returns a token with any claims, signed with the current key. */
export const signedToken = (claims: Claims): string => sign(HEADER, claims);
/** Returns a token with any claims, signed with the previous key. */
export const tokenOfPreviousKey = (claims: Claims): string =>
  sign({ ...HEADER, kid: nameOf(OLD_SECRET) }, claims, OLD_SECRET);

/** Returns tokens that resemble a valid one and that the service must refuse. */
export function forgedTokens(claims: GoodClaims): [name: string, token: string][] {
  const good = sign(HEADER, claims);
  const without = (claim: keyof GoodClaims) => sign(HEADER, { ...claims, [claim]: undefined });
  const unsigned = (alg: string) =>
    `${base64url(JSON.stringify({ ...HEADER, alg }))}.${base64url(JSON.stringify(claims))}.`;
  const borrowed = (alg: string) => unsigned(alg) + good.split('.')[2];
  // The public key is no secret, so that whoever knows it could sign where it is taken for one.
  const hmac = (secret: string, header: Header = { ...HEADER, alg: 'HS256' }) =>
    signSymmetrically(header, claims, secret);
  return [
    ['nothing', ''],
    ['one part', 'abc'],
    ['three words', 'a.b.c'],
    ['no algorithm', unsigned('none')],
    ['no algorithm, with a signature', borrowed('none')],
    ['no algorithm, spelled otherwise, with a signature', borrowed('NONE')],
    ['an algorithm in lower case', sign({ ...HEADER, alg: 'ed25519' }, claims)],
    ['HS256 with the secret', hmac(SECRET)],
    ['HS256 with the public key', hmac(publicKeyOf(SECRET))],
    ['HS256 with the bytes of the public key', hmac(Buffer.from(publicKeyOf(SECRET), 'base64url').toString('latin1'))],
    ['HS256 under the name of the other', hmac(publicKeyOf(SECRET), HEADER)],
    ['HS512', borrowed('HS512')],
    ['RS256', borrowed('RS256')],
    ['ES256', borrowed('ES256')],
    ['an algorithm that is no text', sign({ ...HEADER, alg: ['Ed25519'] }, claims)],
    ['another secret', sign(HEADER, claims, 'another secret of thirty-2 bytes')],
    ['the secret of the other key', sign(HEADER, claims, OLD_SECRET)],
    ['an empty secret', sign(HEADER, claims, '')],
    ['an unknown key', sign({ ...HEADER, kid: 'c' }, claims)],
    ['a key that nobody published', sign({ ...HEADER, kid: nameOf('of nobody') }, claims, 'of nobody')],
    ['the public key for its name', sign({ ...HEADER, kid: publicKeyOf(SECRET) }, claims)],
    ['a path for a key', sign({ ...HEADER, kid: '../../dev/null' }, claims, '')],
    ['a property of objects for a key', sign({ ...HEADER, kid: '__proto__' }, claims)],
    ['no key', sign({ alg: 'Ed25519', typ: 'at+jwt' }, claims)],
    ['a key of its own', sign({ ...HEADER, kid: undefined, jku: 'https://attacker.example/keys' }, claims)],
    [
      'a key of its own in the header',
      sign(
        { ...HEADER, kid: undefined, jwk: { kty: 'OKP', crv: 'Ed25519', x: publicKeyOf('of nobody') } },
        claims,
        'of nobody',
      ),
    ],
    ['another type', sign({ ...HEADER, typ: 'JWT' }, claims)],
    ['no type', sign({ alg: 'Ed25519', kid: HEADER.kid }, claims)],
    ['an unknown critical header', sign({ ...HEADER, crit: ['x'], x: 1 }, claims)],
    ['a payload that is not encoded', sign({ ...HEADER, crit: ['b64'], b64: false }, claims)],
    ['another issuer', sign(HEADER, { ...claims, iss: 'someone' })],
    ['no issuer', without('iss')],
    ['another audience', sign(HEADER, { ...claims, aud: 'someone' })],
    ['no audience', without('aud')],
    ['no end', without('exp')],
    ['an end that is no number', sign(HEADER, { ...claims, exp: '9999999999' })],
    ['no time of issue', without('iat')],
    ['a time that has not come', sign(HEADER, { ...claims, nbf: claims.iat + 6 })],
    ['no user', without('sub')],
    ['a user that is no id', sign(HEADER, { ...claims, sub: '1#2' })],
    ['user 0', sign(HEADER, { ...claims, sub: '0' })],
    ['no client', without('client')],
    ['a client that is no id', sign(HEADER, { ...claims, client: String(claims.client) })],
    ['no role', without('role')],
    ['no version of the credentials', without('credentials')],
    ['a version of the credentials that is no number', sign(HEADER, { ...claims, credentials: '0' })],
    ['a negative version of the credentials', sign(HEADER, { ...claims, credentials: -1 })],
    ['an unknown role', sign(HEADER, { ...claims, role: 'admin' })],
    ['claims that are no object', sign(HEADER, [claims])],
    ['a cut token', good.slice(0, -1)],
    ['padding after it', `${good}=`],
    ['a fourth part', `${good}.e30`],
    ['more than 2,048 characters', sign(HEADER, { ...claims, more: 'x'.repeat(1_600) })],
  ];
}
