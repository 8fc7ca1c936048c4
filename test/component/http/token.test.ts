import { createHash, createPublicKey, verify } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEMO_PASSWORD } from '../../../infra/local/seed.ts';
import { table } from '../../../shared/deps.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import type { Call } from '../../support/http/call.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

const EMAIL = 'paciente@demo.example';

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({
    environment: { TOKEN_KEYS: '{"current":{"kid":"a","secret":"dGhpcnR5LXR3byBieXRlcyBmb3IgdGhpcyB0ZXN0Li4"}}' },
  });
});
afterAll(() => server.close());
afterEach(() => setClock());

const post = (body: Call['body'], call: Call = {}) => server.request('POST', '/api/token/', { ...call, body });
const login = (email: string, password: string, call: Call = {}) => post({ email, password }, call);
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

  it('a token without a slash at the end of the path, and for an e-mail in capitals', async () => {
    const body = { email: ' PACIENTE@demo.example ', password: DEMO_PASSWORD };
    expect((await server.request('POST', '/api/token', { body })).status).toBe(200);
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
  });

  it('an unknown or impossible e-mail with the same text and headers', async () => {
    const answers = await Promise.all(
      [EMAIL, 'nadie@demo.example', 'no address'].map((email) => login(email, 'wrong')),
    );
    const [known, ...unknown] = answers.map(({ headers, ...answer }) => {
      const { date: _, 'x-request-id': __, ...alike } = headers;
      return { ...answer, headers: alike };
    });
    expect(known).toMatchObject(wrong);
    expect(unknown).toEqual([known, known]);
  });

  it('in English on demand', async () => {
    const answer = await login(EMAIL, 'wrong', { headers: { 'Accept-Language': 'en' } });
    expect(answer.body).toEqual({ detail: 'The e-mail or the password is wrong.', code: 'wrong_credentials' });
  });

  it('the right password with the key of another client', async () => {
    const { key } = await server.addClient('Otra farmacia');
    expect(await login(EMAIL, DEMO_PASSWORD, { key })).toMatchObject(wrong);
  });

  it('a call without a key, with an unknown key, and with a key of no client', async () => {
    const { id, value } = server.keys.create({ name: 'nobody', enabled: true });
    server.keys.change(id, { inUsagePlan: true });
    expect((await login(EMAIL, DEMO_PASSWORD, { key: null })).status).toBe(403);
    expect((await login(EMAIL, DEMO_PASSWORD, { key: 'x'.repeat(40) })).status).toBe(403);
    expect(await login(EMAIL, DEMO_PASSWORD, { key: value })).toMatchObject({
      status: 403,
      body: { code: 'client_unknown' },
    });
  });

  it.each([
    ['nothing', {}, { email: ['Este campo es obligatorio.'], password: ['Este campo es obligatorio.'] }],
    ['no password', { email: EMAIL }, { password: ['Este campo es obligatorio.'] }],
    ['an empty password', { email: EMAIL, password: '' }, { password: ['Este campo no puede estar vacío.'] }],
    ['a password that is no text', { email: EMAIL, password: { $ne: '' } }, { password: ['Debe ser un texto.'] }],
    ['an e-mail that is a list', { email: [EMAIL], password: 'x' }, { email: ['Debe ser un texto.'] }],
    [
      'an e-mail of 255 characters',
      { email: 'x'.repeat(255), password: 'x' },
      { email: ['Debe tener a lo más 254 caracteres.'] },
    ],
    [
      'a password of 129 characters',
      { email: EMAIL, password: 'x'.repeat(129) },
      { password: ['Debe tener a lo más 128 caracteres.'] },
    ],
    [
      'a password of 200 KB',
      { email: EMAIL, password: 'x'.repeat(200_000) },
      { password: ['Debe tener a lo más 128 caracteres.'] },
    ],
  ])('%s', async (_, sent, body) => {
    expect(await post(sent)).toMatchObject({ status: 400, body });
  });

  it('a body that is not JSON', async () => {
    expect(await post('{"email":')).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
    const form = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
    expect((await post('email=a&password=b', form)).status).toBe(415);
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
