import { createHash, createPublicKey, verify } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEMO_PASSWORD } from '../../../infra/local/seed.ts';
import { table } from '../../../shared/deps.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import type { Call } from '../../support/http/call.ts';
import { useServer } from '../../support/servers/test-server.ts';

const EMAIL = 'paciente@demo.example';

const server = useServer({
  settings: { TOKEN_KEYS: '{"current":{"kid":"a","secret":"dGhpcnR5LXR3byBieXRlcyBmb3IgdGhpcyB0ZXN0Li4"}}' },
});
afterEach(() => setClock());

const login = (email: string, password: string, call: Call = {}) =>
  server.request('POST', '/api/token/', { ...call, body: { email, password } });
const decoded = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());

describe('POST /api/token/ gives', () => {
  it('a token and nothing else for an e-mail and its password', async () => {
    setClock(new Date('2026-11-21T18:00:00.999Z'));
    const { status, headers, body } = await login(EMAIL, DEMO_PASSWORD);
    expect([status, Object.keys(body)]).toEqual([200, ['access']]);
    expect(headers['cache-control']).toBe('no-store');
    const [header, claims, signature] = body.access.split('.');
    const { kid, ...others } = decoded(header);
    expect(others).toEqual({ alg: 'Ed25519', typ: 'at+jwt' });
    expect(decoded(claims)).toEqual({
      sub: expect.stringMatching(/^[1-9]\d*$/),
      client: server.client.id,
      role: 'patient',
      credentials: 0,
      access_lifetime: 900,
      iss: 'pharmacy',
      aud: 'pharmacy-orders',
      iat: 1_795_284_000,
      exp: 1_795_284_900,
    });
    // The public key is in the table, under its hash, for two hours beyond the token.
    const { publicKey, ttl } = (await table().get({ pk: `SIGNER#${kid}`, sk: 'SIGNER' })) ?? {};
    expect(createHash('sha256').update(String(publicKey)).digest('base64url')).toBe(kid);
    expect(ttl).toBeGreaterThanOrEqual(1_795_284_900 + 60 * 60);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: String(publicKey) }, format: 'jwk' });
    const signed = [Buffer.from(`${header}.${claims}`), Buffer.from(signature, 'base64url')] as const;
    expect(verify(null, signed[0], key, signed[1])).toBe(true);
  });

  it('the same token as a cookie of this site with the lifetime of the token', async () => {
    const { headers, body } = await login(EMAIL, DEMO_PASSWORD);
    expect(headers['set-cookie']).toEqual([
      `__Host-access=${body.access}; Path=/; Max-Age=900; HttpOnly; Secure; SameSite=Strict`,
    ]);
  });

  it('tokens of the configured lifetime', async () => {
    vi.stubEnv('TOKEN_LIFETIME_SECONDS', '60');
    const { headers, body } = await login(EMAIL, DEMO_PASSWORD);
    const { iat, exp, access_lifetime } = decoded(body.access.split('.')[1]);
    expect([exp - iat, access_lifetime]).toEqual([60, 60]);
    expect(headers['set-cookie']?.[0]).toContain('; Max-Age=60; ');
  });

  it('a token for an e-mail in capitals, to a caller who holds an earlier one, valid or not', async () => {
    const { access } = (await login(EMAIL, DEMO_PASSWORD)).body;
    const kept = [
      { Cookie: `__Host-access=${access}` },
      { Cookie: '__Host-access=old' },
      { Authorization: 'Bearer old' },
    ];
    for (const headers of kept) {
      expect((await login(' PACIENTE@demo.example ', DEMO_PASSWORD, { headers })).status).toBe(200);
    }
  });

  it('a token that an order route accepts, and no other one', async () => {
    const { access } = (await login(EMAIL, DEMO_PASSWORD)).body;
    expect((await server.request('GET', '/api/orders/1/', { token: access })).status).toBe(404);
    expect((await server.request('GET', '/api/orders/1/', { token: `${access}x` })).status).toBe(401);
  });
});

describe('POST /api/token/ refuses', () => {
  const wrong = {
    status: 401,
    body: { detail: 'El correo electrónico o la contraseña no son correctos.', code: 'wrong_credentials' },
  };

  it('a wrong password, without a cookie', async () => {
    const answer = await login(EMAIL, 'farmacia-demo-2025');
    expect(answer).toMatchObject(wrong);
    expect(answer.headers['set-cookie']).toBeUndefined();
    const english = await login(EMAIL, 'wrong', { headers: { 'Accept-Language': 'en' } });
    expect(english.body).toEqual({ detail: 'The e-mail or the password is wrong.', code: 'wrong_credentials' });
  });

  it('an unknown or impossible e-mail with the same text and headers', async () => {
    const answers = await Promise.all(
      [EMAIL, 'nadie@demo.example', 'no address'].map((email) => login(email, 'wrong')),
    );
    const [known, ...unknown] = answers.map(({ headers, ...answer }) => {
      const { date: _, 'x-request-id': __, 'server-timing': ___, ...alike } = headers;
      return { ...answer, headers: alike };
    });
    expect(known).toMatchObject(wrong);
    expect(unknown).toEqual([known, known]);
  });

  it('the right password with the key of another client', async () => {
    const { key } = await server.addClient('Otra farmacia');
    expect(await login(EMAIL, DEMO_PASSWORD, { key })).toMatchObject(wrong);
  });

  it('a call with a key of no client', async () => {
    const { value } = server.keys.create({ name: 'nobody', enabled: true });
    const refused = await login(EMAIL, DEMO_PASSWORD, { key: value });
    expect(refused).toMatchObject({ status: 403, body: { code: 'client_unknown' } });
  });

  it('even the right password after 10 wrong ones, until 15 minutes have passed', async () => {
    const start = new Date('2026-11-22T18:00:00.000Z');
    await server.addUser(server.client, 'doctor', 'adivinada@demo.example');
    setClock(start);
    for (let each = 0; each < 10; each++) {
      expect(await login('adivinada@demo.example', `guess-${each}`)).toMatchObject(wrong);
    }
    const limited = await login('adivinada@demo.example', DEMO_PASSWORD);
    expect(limited).toMatchObject({
      status: 429,
      headers: { 'retry-after': '900' },
      body: { code: 'too_many_attempts' },
    });
    expect((await login(EMAIL, DEMO_PASSWORD)).status).toBe(200);
    setClock(new Date('2026-11-22T18:15:00.000Z'));
    expect((await login('adivinada@demo.example', DEMO_PASSWORD)).status).toBe(200);
  });
});
