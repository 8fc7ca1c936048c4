import { CompactEncrypt } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { issueAccessToken, verifyAccessToken } from '../../../shared/access/authenticate.ts';
import { keptPublicKeys, parseSigningKeys, toTokenKeys } from '../../../shared/access/signing-keys.ts';
import { Refusal, unavailable } from '../../../shared/domain/refusal.ts';
import {
  claimsOf,
  forgedTokens,
  SECRET,
  signedToken,
  TOKEN_KEYS,
  tokenOfPreviousKey,
} from '../../support/hostile/hostile-tokens.ts';

const { current, previous } = parseSigningKeys(TOKEN_KEYS);
const keys = toTokenKeys(current);
const published = [keys, ...(previous ? [toTokenKeys(previous)] : [])];

const NOW = new Date('2026-11-21T18:00:00.000Z');
const NOW_SECONDS = 1_795_284_000;
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

const subject = { client: 3, user: { id: 71, role: 'doctor', credentialsVersion: 2 } } as const;
const CLAIMS = claimsOf(subject, NOW_SECONDS);
const GOOD = signedToken(CLAIMS);

const END = new Date('2026-11-30T18:00:00.000Z');
const findPublicKey = keptPublicKeys(
  async (kid) => published.filter((one) => one.kid === kid).map(({ publicKey }) => ({ publicKey, until: END }))[0],
  () => NOW,
);
const verify = (token: string, now = NOW) => verifyAccessToken(token, { findPublicKey, now });

it('a token names the user, the client, the role and the lifetime', async () => {
  expect(await issueAccessToken(subject, { keys, lifetimeSeconds: 900, now: NOW })).toBe(GOOD);
});

describe('verifyAccessToken accepts', () => {
  it.each([
    ['a token of the current key', GOOD, NOW],
    ['a token of the previous key', tokenOfPreviousKey(CLAIMS), NOW],
    ['a token up to 5 seconds after its end, for clocks that differ', GOOD, later(904)],
    ['a token whose server has a clock 5 seconds ahead', signedToken({ ...CLAIMS, nbf: NOW_SECONDS + 5 }), NOW],
  ])('%s', async (_, token, now) => {
    expect(await verify(token, now)).toEqual(subject);
  });
});

describe('verifyAccessToken refuses as expired', () => {
  it.each([905, 86_400])('a token %i seconds after it was issued for 900', async (seconds) => {
    await expect(verify(GOOD, later(seconds))).rejects.toMatchObject({ code: 'token_expired' });
  });

  it('but an expired token with a wrong signature is invalid', async () => {
    const forged = `${GOOD.slice(0, -3)}AAA`;
    await expect(verify(forged, later(86_400))).rejects.toMatchObject({ code: 'token_invalid' });
  });
});

describe('verifyAccessToken refuses as invalid', () => {
  it.each([...forgedTokens(CLAIMS), ['a blank before it', ` ${GOOD}`], ['a line end after it', `${GOOD}\n`]])(
    '%s',
    async (_, token) => {
      await expect(verify(token)).rejects.toMatchObject({ name: 'Refusal', code: 'token_invalid' });
    },
  );

  it('an encrypted token', async () => {
    const jwe = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(CLAIMS)))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: 'at+jwt', kid: 'b' })
      .encrypt(new TextEncoder().encode(SECRET));
    await expect(verify(jwe)).rejects.toMatchObject({ code: 'token_invalid' });
  });

  const ofNoHash = forgedTokens(CLAIMS).filter(([name]) => /^(a path|a property|an unknown key)/.test(name));
  it.each([['1 MB', signedToken({ ...CLAIMS, more: 'x'.repeat(786_000) })], ...ofNoHash])(
    '%s without looking for a key',
    async (_, token) => {
      const watched = vi.fn(findPublicKey);
      const verifyWatched = (sent: string) => verifyAccessToken(sent, { findPublicKey: watched, now: NOW });
      await expect(verifyWatched(token)).rejects.toMatchObject({ code: 'token_invalid' });
      expect(watched).not.toHaveBeenCalled();
      await verifyWatched(GOOD);
      expect(watched).toHaveBeenCalled();
    },
  );

  it('but not while the public keys cannot be read', async () => {
    const findNone = async () => {
      throw unavailable();
    };
    const refused = verifyAccessToken(GOOD, { findPublicKey: findNone, now: NOW });
    await expect(refused).rejects.toMatchObject({ name: Refusal.name, code: 'unavailable' });
  });

  it('the other spellings of its last character, which decode to the same signature', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const others = [...alphabet].map((last) => GOOD.slice(0, -1) + last).filter((other) => other !== GOOD);
    for (const other of others) await expect(verify(other)).rejects.toMatchObject({ code: 'token_invalid' });
  });
});
