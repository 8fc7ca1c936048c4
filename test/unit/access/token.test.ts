import { CompactEncrypt } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { issueAccessToken, parseSigningKeys, verifyAccessToken } from '../../../shared/access/token.ts';
import {
  bitFlips,
  claimsOf,
  forgedTokens,
  SECRET,
  signedToken,
  TOKEN_KEYS,
  tokenOfPreviousKey,
} from '../../support/hostile/hostile-tokens.ts';

const keys = parseSigningKeys(TOKEN_KEYS);

const NOW = new Date('2026-11-21T18:00:00.000Z');
const NOW_SECONDS = 1_795_284_000;
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

const subject = { client: 3, user: { id: 71, role: 'doctor', credentialsVersion: 2 } } as const;
const CLAIMS = claimsOf(subject, NOW_SECONDS);
const GOOD = signedToken(CLAIMS);

const verify = (token: string, now = NOW) => verifyAccessToken(token, { keys, now });
describe('issueAccessToken', () => {
  it('names the user, the client, the role and the lifetime', async () => {
    const token = await issueAccessToken(subject, { keys, lifetimeSeconds: 900, now: NOW });
    expect(token).toBe(GOOD);
  });

  it('is read back by verifyAccessToken', async () => {
    const token = await issueAccessToken(subject, { keys, lifetimeSeconds: 900, now: NOW });
    expect(await verify(token)).toEqual(subject);
  });
});

describe('verifyAccessToken accepts', () => {
  it('a token of the current key', async () => {
    expect(await verify(GOOD)).toEqual(subject);
  });

  it('a token of the previous key', async () => {
    expect(await verify(tokenOfPreviousKey(CLAIMS))).toEqual(subject);
  });

  it('a token up to 5 seconds after its end, for clocks that differ', async () => {
    expect(await verify(GOOD, later(904))).toEqual(subject);
  });

  it('a token of another server whose clock is 5 seconds ahead', async () => {
    expect(await verify(signedToken({ ...CLAIMS, nbf: NOW_SECONDS + 5 }))).toEqual(subject);
  });
});

describe('verifyAccessToken refuses as expired', () => {
  it.each([905, 906, 86_400])('a token %i seconds after it was issued for 900', async (seconds) => {
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

  it('1 MB without parsing it, so that no key is looked for', async () => {
    const current = vi.fn(() => keys.current);
    const watched = Object.defineProperty({ ...keys }, 'current', { get: current });
    const verifyWatched = (token: string) => verifyAccessToken(token, { keys: watched, now: NOW });
    const long = signedToken({ ...CLAIMS, more: 'x'.repeat(786_000) });
    await expect(verifyWatched(long)).rejects.toMatchObject({ code: 'token_invalid' });
    expect(current).not.toHaveBeenCalled();
    await verifyWatched(GOOD);
    expect(current).toHaveBeenCalled();
  });

  it('every token with one bit changed', async () => {
    for (const token of bitFlips(GOOD, 200)) {
      await expect(verify(token)).rejects.toMatchObject({ code: 'token_invalid' });
    }
  });

  it('the other spellings of its last character, which decode to the same signature', async () => {
    const token = GOOD;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const others = [...alphabet].map((last) => token.slice(0, -1) + last).filter((other) => other !== token);
    for (const other of others) await expect(verify(other)).rejects.toMatchObject({ code: 'token_invalid' });
  });
});
