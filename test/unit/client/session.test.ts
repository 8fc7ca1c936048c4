import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { openScriptedApi, type Scripted } from '../../support/engines/scripted-api.ts';

/** Makes a token with a lifetime and a signature that is not checked. */
const makeToken = (name: string, lifetimeSeconds: number): string =>
  `${name}.${Buffer.from(JSON.stringify({ access_lifetime: lifetimeSeconds, name: 'Ñañez ÿ?>' })).toString('base64url')}.x`;
const issued = (name: string, lifetimeSeconds = 900): Scripted => ({
  status: 200,
  body: { access: makeToken(name, lifetimeSeconds) },
});
const refused = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Scripted => ({
  status,
  body: { detail: 'No.', code },
  headers,
});
const order: Scripted = { status: 200, body: { id: 7 } };
const credentials = { email: 'ana@example.mx', password: 'una clave larga' };

async function open(...script: readonly Scripted[]) {
  const api = await openScriptedApi(...script);
  const client = createClient({ baseUrl: api.url, apiKey: 'key' });
  /** Lists the requests so far, each with the name of its token. */
  const heard = () =>
    api.heard.map(({ line, headers }) => {
      const token = /^Bearer (\w+)\./.exec(headers.authorization ?? '')?.[1];
      return token ? `${line} ${token}` : line;
    });
  return { api, client, heard };
}

/** Opens a client that has logged in at noon with the token `first`, and answers the calls after that as scripted. */
async function openLoggedIn(first: Scripted, ...script: readonly Scripted[]) {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T12:00:00Z') });
  const opened = await open(first, ...script);
  await opened.client.login(credentials);
  return opened;
}
const setTime = (time: string) => vi.setSystemTime(new Date(`2026-11-21T${time}Z`));

afterEach(() => {
  vi.useRealTimers();
});

describe('a login', () => {
  it('sends the key, the e-mail and the password, and order calls carry its token', async () => {
    const { api, client, heard } = await openLoggedIn(issued('first'), order);
    await client.orders.get(7);
    expect(heard()).toEqual(['POST /v2/api/token/', 'GET /v2/api/orders/7/ first']);
    expect(api.heard[0]).toMatchObject({
      headers: { 'x-api-key': 'key', 'accept-language': 'es' },
      body: '{"email":"ana@example.mx","password":"una clave larga"}',
    });
  });

  it('keeps the previous user when it is refused', async () => {
    const { client, heard } = await openLoggedIn(issued('first'), refused(401, 'wrong_credentials'), order);
    const login = client.login({ ...credentials, password: 'otra' });
    await expect(login).rejects.toMatchObject({ code: 'wrong_credentials' });
    await client.orders.get(7);
    expect(heard().at(-1)).toBe('GET /v2/api/orders/7/ first');
  });

  it('ends with a logout', async () => {
    const { client, heard } = await openLoggedIn(issued('first'), refused(401, 'not_authenticated'));
    client.logout();
    await expect(client.orders.get(7)).rejects.toMatchObject({ status: 401, code: 'not_authenticated' });
    expect(heard()).toEqual(['POST /v2/api/token/', 'GET /v2/api/orders/7/']);
  });
});

describe('credentials that are refused when the token is renewed', () => {
  it('as wrong are forgotten: nothing is sent until the next login', async () => {
    const [invalid, wrong] = [refused(401, 'token_invalid'), refused(401, 'wrong_credentials')];
    const { client, heard } = await openLoggedIn(issued('first'), invalid, wrong, issued('second'), order);
    for (let each = 0; each < 20; each++) {
      await expect(client.orders.get(7)).rejects.toMatchObject({ status: 401, code: 'wrong_credentials' });
    }
    expect(heard()).toEqual(['POST /v2/api/token/', 'GET /v2/api/orders/7/ first', 'POST /v2/api/token/']);
    await client.login({ ...credentials, password: 'la clave nueva' });
    expect(await client.orders.get(7)).toEqual({ id: 7 });
    expect(heard().slice(3)).toEqual(['POST /v2/api/token/', 'GET /v2/api/orders/7/ second']);
  });

  it('after too many attempts are not sent again before Retry-After has passed', async () => {
    const locked = refused(429, 'too_many_attempts', { 'Retry-After': '600' });
    const { client, heard } = await openLoggedIn(issued('first'), locked, issued('second'), order);
    setTime('13:00:00');
    for (let each = 0; each < 20; each++) {
      await expect(client.orders.get(7)).rejects.toMatchObject({ status: 429, code: 'too_many_attempts' });
    }
    expect(heard()).toHaveLength(2);
    // A call that is refused unsent does not make the wait longer.
    setTime('13:09:59');
    await expect(client.orders.get(7)).rejects.toMatchObject({ status: 429 });
    setTime('13:10:00');
    expect(await client.orders.get(7)).toEqual({ id: 7 });
  });
});

describe('a token', () => {
  it.each([
    ['is renewed a minute before it expires', 900, '12:13:59', '12:14:00'],
    ['with a short life is renewed a tenth of it before it expires', 60, '12:00:53', '12:00:54'],
  ])('%s', async (_, lifetimeSeconds, early, due) => {
    const second = issued('second', lifetimeSeconds);
    const { client, heard } = await openLoggedIn(issued('first', lifetimeSeconds), order, second, order);
    setTime(early);
    await client.orders.get(7);
    setTime(due);
    await client.orders.get(7);
    expect(heard()).toEqual([
      'POST /v2/api/token/',
      'GET /v2/api/orders/7/ first',
      'POST /v2/api/token/',
      'GET /v2/api/orders/7/ second',
    ]);
  });

  it.each(['token_expired', 'token_invalid'])('is renewed once when the service answers %s', async (code) => {
    const { client, heard } = await openLoggedIn(issued('first'), refused(401, code), issued('second'), order);
    expect(await client.orders.get(7)).toEqual({ id: 7 });
    expect(heard()).toEqual([
      'POST /v2/api/token/',
      'GET /v2/api/orders/7/ first',
      'POST /v2/api/token/',
      'GET /v2/api/orders/7/ second',
    ]);
  });

  it.each([
    ['twice for one call', 'token_expired', 4],
    ['for another refusal', 'not_authenticated', 2],
  ])('is not renewed %s', async (_, code, requests) => {
    const answer = refused(401, code);
    const { client, api } = await openLoggedIn(issued('first'), answer, issued('second'), answer);
    await expect(client.orders.get(7)).rejects.toMatchObject({ code });
    expect(api.heard).toHaveLength(requests);
  });

  it('is renewed once for calls that run at the same time', async () => {
    const { client, heard } = await openLoggedIn(issued('first'), issued('second'), order);
    setTime('13:00:00');
    await Promise.all([client.orders.get(7), client.orders.get(7), client.orders.get(7)]);
    expect(heard().filter((line) => line.startsWith('POST'))).toHaveLength(2);
    expect(heard().filter((line) => line.endsWith('second'))).toHaveLength(3);
  });

  it('keeps the key of an order that is sent again after its renewal', async () => {
    const { client, api } = await openLoggedIn(issued('first'), refused(401, 'token_expired'), issued('second'), order);
    const user = { email: 'ana@example.mx', first_name: 'Ana', last_name: 'Paz' };
    await client.orders.create({ user, order: { details: [{ product: 1, quantity: 1 }], payment_method: 1 } });
    const keys = api.heard.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
  });
});
