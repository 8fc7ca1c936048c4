import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_PASSWORD } from '../../../infra/local/seed.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

// Passwords, tokens and the guessing limit are tested in test/component/http/{token,access}.test.ts.
const PATH = '/api/token/';
const LOGIN = { email: 'paciente@demo.example', password: DEMO_PASSWORD };
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

describe('POST /api/token/', () => {
  it.each([
    ['over HTTP', () => server.request],
    ['through the handler itself', () => server.invoke],
  ])('gives a token and the same as a cookie %s', async (_, ask) => {
    const { status, headers, body } = await ask()('POST', PATH, { body: LOGIN });
    expect([status, body]).toEqual([200, { access: expect.stringMatching(TOKEN) }]);
    expect(headers['cache-control']).toBe('no-store');
    expect([headers['set-cookie']].flat()).toEqual([
      `__Host-access=${body.access}; Path=/; Max-Age=900; HttpOnly; Secure; SameSite=Strict`,
    ]);
  });

  it.each([
    ['over HTTP', () => server.request],
    ['through the handler itself', () => server.invoke],
  ])('refuses a wrong password %s, in both languages', async (_, ask) => {
    const wrong = { body: { ...LOGIN, password: 'farmacia-demo-2025' } };
    const spanish = await ask()('POST', PATH, wrong);
    const english = await ask()('POST', PATH, { ...wrong, headers: { 'Accept-Language': 'en' } });
    expect([spanish.status, spanish.body]).toEqual([
      401,
      { detail: 'El correo electrónico o la contraseña no son correctos.', code: 'wrong_credentials' },
    ]);
    expect([english.status, english.body]).toEqual([
      401,
      { detail: 'The e-mail or the password is wrong.', code: 'wrong_credentials' },
    ]);
    for (const { headers } of [spanish, english]) expect(headers['set-cookie']).toBeUndefined();
  });

  it('replaces an earlier token of the caller, valid or not, in a cookie or in the header', async () => {
    const { access } = (await server.request('POST', PATH, { body: LOGIN })).body;
    const kept = [
      { Cookie: `__Host-access=${access}` },
      { Cookie: '__Host-access=old' },
      { Authorization: 'Bearer old' },
    ];
    for (const headers of kept) {
      expect([headers, (await server.request('POST', PATH, { body: LOGIN, headers })).status]).toEqual([headers, 200]);
    }
  });

  it('gives a token that an order route accepts', async () => {
    const { access } = (await server.request('POST', PATH, { body: LOGIN })).body;
    expect((await server.request('GET', '/api/orders/1/', { token: access })).status).toBe(404);
    expect((await server.request('GET', '/api/orders/1/', { token: `${access}x` })).status).toBe(401);
  });

  it('does not exist as a GET', async () => {
    const answer = await server.request('GET', '/api/token/?email=a&password=b');
    expect([answer.status, answer.body]).toEqual([
      404,
      { detail: 'No existe esta ruta. / There is no such route.', code: 'not_found' },
    ]);
  });
});
