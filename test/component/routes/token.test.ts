import { createHash, createPublicKey, verify } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEMO_PASSWORD } from '../../../infra/local/seed.ts';
import { table } from '../../../shared/deps.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import type { Call } from '../../support/http/call.ts';
import { useServer } from '../../support/servers/test-server.ts';

// A login answers a token or a refusal. `http/access` has its limits, `proofs/attacks/lock-out` who is let in beside somebody who guesses, and
// `proofs/access` which tokens are accepted.

const EMAIL = 'paciente@demo.example';

const server = useServer({
  settings: { TOKEN_KEYS: '{"current":{"kid":"a","secret":"dGhpcnR5LXR3byBieXRlcyBmb3IgdGhpcyB0ZXN0Li4"}}' },
});
afterEach(() => setClock());

const login = (email: string, password: string, call: Call = {}) =>
  server.request('POST', '/api/token/', { ...call, body: { email, password } });
const decoded = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());

describe('POST /api/token/ gives', () => {
  it('a token and nothing else for an e-mail and its password, in the body and as a cookie of this site', async () => {
    setClock(new Date('2026-11-21T18:00:00.999Z'));
    const { status, headers, body } = await login(EMAIL, DEMO_PASSWORD);
    expect([status, Object.keys(body), headers['cache-control']]).toEqual([200, ['access'], 'no-store']);
    expect(headers['set-cookie']).toEqual([
      `__Host-access=${body.access}; Path=/; Max-Age=900; HttpOnly; Secure; SameSite=Strict`,
    ]);
    const [header, claims, signature] = body.access.split('.');
    const { kid, ...others } = decoded(header);
    expect(others).toEqual({ alg: 'Ed25519', typ: 'at+jwt' });
    expect(decoded(claims)).toEqual({
      ...{ sub: expect.stringMatching(/^[1-9]\d*$/), client: server.client.id, role: 'patient', credentials: 0 },
      ...{ access_lifetime: 900, iss: 'pharmacy', aud: 'pharmacy-orders', iat: 1_795_284_000, exp: 1_795_284_900 },
    });
    // The public key is in the table, under its hash, for two hours beyond the token.
    const { publicKey, ttl } = (await table().get({ pk: `SIGNER#${kid}`, sk: 'SIGNER' })) ?? {};
    expect(createHash('sha256').update(String(publicKey)).digest('base64url')).toBe(kid);
    expect(ttl).toBeGreaterThanOrEqual(1_795_284_900 + 60 * 60);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: String(publicKey) }, format: 'jwk' });
    const signed = [Buffer.from(`${header}.${claims}`), Buffer.from(signature, 'base64url')] as const;
    expect(verify(null, signed[0], key, signed[1])).toBe(true);
  });

  it('tokens of the configured lifetime, whatever token the caller holds', async () => {
    vi.stubEnv('TOKEN_LIFETIME_SECONDS', '60');
    for (const held of [{ Cookie: '__Host-access=old' }, { Authorization: 'Bearer old' }]) {
      const { headers, body } = await login(' PACIENTE@demo.example ', DEMO_PASSWORD, { headers: held });
      const { iat, exp, access_lifetime } = decoded(body.access.split('.')[1]);
      expect([exp - iat, access_lifetime]).toEqual([60, 60]);
      expect(headers['set-cookie']?.[0]).toContain('; Max-Age=60; ');
    }
  });
});

describe('POST /api/token/ refuses', () => {
  const wrong = { status: 401, body: { code: 'wrong_credentials' } };

  it('a wrong password as an unknown or impossible e-mail, with the same text and headers and without a cookie', async () => {
    const emails = [EMAIL, 'nadie@demo.example', 'no address'];
    const answers = await Promise.all(emails.map((email) => login(email, 'wrong')));
    const [known, ...unknown] = answers.map(({ headers, ...answer }) => {
      const { date: _, 'x-request-id': __, 'server-timing': ___, ...alike } = headers;
      return { ...answer, headers: alike };
    });
    expect(known).toMatchObject(wrong);
    expect(known?.headers).not.toHaveProperty('set-cookie');
    expect(unknown).toEqual([known, known]);
  });

  it('the right password with the key of another client, or of none', async () => {
    const { key } = await server.addClient('Otra farmacia');
    expect(await login(EMAIL, DEMO_PASSWORD, { key })).toMatchObject(wrong);
    const { value } = server.keys.create({ name: 'nobody', enabled: true });
    const refused = await login(EMAIL, DEMO_PASSWORD, { key: value });
    expect(refused).toMatchObject({ status: 403, body: { code: 'client_unknown' } });
  });
});
