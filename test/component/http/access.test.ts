import { createHash, createPublicKey, verify } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEMO_PASSWORD } from '../../../infra/local/seed.ts';
import {
  authenticateUser,
  identifyClient,
  issueAccessToken,
  type Subject,
} from '../../../shared/access/authenticate.ts';
import { addGatewayKey, type Client, createClient, createClientLookup } from '../../../shared/access/clients.ts';
import { reserveLoginTry } from '../../../shared/access/login-attempts.ts';
import {
  findTokenKey,
  keptPublicKeys,
  parseSigningKeys,
  publishedTokenKeys,
  publishTokenKey,
} from '../../../shared/access/signing-keys.ts';
import {
  createUser,
  type NewUser,
  setPasswordHash,
  type UserRecord,
  userByEmail,
  userById,
} from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { Ids } from '../../../shared/store/ids.ts';
import { accountAttemptsKey, gatewayKeyKey, userKey } from '../../../shared/store/keys.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { ConditionFailed } from '../../../shared/store/table-failures.ts';
import type { Call } from '../../support/http/http.ts';
import { useServer } from '../../support/servers/test-server.ts';

// Clients, users, logins and callers: who is found, how often one may guess, who is let in, and what a login answers.
// `proofs/attacks/lock-out` has many guesses at once, and `proofs/access` which tokens are accepted.

const START = new Date('2026-11-21T18:00:00.000Z');
const later = (seconds: number) => new Date(START.getTime() + seconds * 1_000);
const secrets = parseSigningKeys('{"current":{"kid":"a","secret":"bG9jYWwtb25seS1ub3QtYS1zZWNyZXQtMzItYnl0ZXM"}}');
const tokenKeys = publishedTokenKeys(async () => secrets, {
  publish: (kid, key) => publishTokenKey(table, kid, key),
  lifetimeSeconds: 900,
  now: () => START,
});

const server = useServer({
  settings: { TOKEN_KEYS: '{"current":{"kid":"a","secret":"dGhpcnR5LXR3byBieXRlcyBmb3IgdGhpcyB0ZXN0Li4"}}' },
});
let table: Table;
let ids: Ids;
beforeAll(async () => {
  table = openTable();
  ids = new Ids(table);
});

const farmacia = { name: 'Farmacia', origin: 'web', paymentMethods: [1, 2], carrierName: null };
const newClient = (): Promise<Client> => createClient(table, ids, farmacia, START);

const ana: Omit<NewUser, 'clientId'> = {
  role: 'patient',
  email: 'ana@example.com',
  firstName: 'Ana',
  lastName: 'López',
  secondLastName: null,
  phone: '+525512345678',
  passwordHash: null,
};

describe('a client', () => {
  it('is found by each of its gateway keys, with what it is', async () => {
    const client = await createClient(table, ids, { ...farmacia, carrierName: 'Seguros Uno' }, START);
    const find = createClientLookup(table, () => START);
    expect(await find('k-first')).toBeUndefined();
    await addGatewayKey(table, client.id, 'k-first');
    await addGatewayKey(table, client.id, 'k-second');
    const times = { createdAt: '2026-11-21T18:00:00.000Z', updatedAt: '2026-11-21T18:00:00.000Z' };
    const expected = {
      ...{ id: client.id, name: 'Farmacia', origin: 'web', paymentMethods: [1, 2], credit: 'employees' },
      ...{ carrier: { id: client.id, name: 'Seguros Uno', ...times }, passwordUrl: null, seesCosts: false, ...times },
    };
    expect([await find('k-first'), await find('k-second')]).toEqual([expected, expected]);
  });

  it('never gets the key of another client', async () => {
    const [one, other] = [await newClient(), await newClient()];
    await addGatewayKey(table, one.id, 'k-taken');
    await expect(addGatewayKey(table, other.id, 'k-taken')).rejects.toBeInstanceOf(ConditionFailed);
    expect((await createClientLookup(table, () => START)('k-taken'))?.id).toBe(one.id);
  });

  it('is cached for 30 seconds', async () => {
    const client = await newClient();
    await addGatewayKey(table, client.id, 'k-cached');
    let now = START;
    const find = createClientLookup(table, () => now);
    await find('k-cached');
    await table.transact([{ Delete: { Key: gatewayKeyKey('k-cached') } }]);
    now = later(29.999);
    expect((await find('k-cached'))?.id).toBe(client.id);
    now = later(30);
    expect(await find('k-cached')).toBeUndefined();
  });
});

describe('a user', () => {
  it('is found by e-mail and by id, as registered', async () => {
    const { id: clientId } = await newClient();
    const user = await createUser(table, ids, { ...ana, clientId }, START);
    const expected: UserRecord = {
      ...{ ...ana, clientId, id: user.id, credentialsVersion: 0, sex: null, birthdate: null, medicalCondition: '' },
      ...{ createdBy: null, referredBy: null, defaultShipping: null, defaultInvoicing: null, unconfirmed: [] },
      ...{ dateJoined: '2026-11-21T18:00:00.000Z', createdAt: '2026-11-21T18:00:00.000Z' },
      ...{ updatedAt: '2026-11-21T18:00:00.000Z', version: 1 },
    };
    expect(await userByEmail(table, clientId, 'ana@example.com')).toEqual(expected);
    expect(await userById(table, clientId, user.id)).toEqual(expected);
  });
});

describe('the guessing limit', () => {
  let client: Client;
  let source: number = 0;
  beforeEach(async () => {
    client = await newClient();
    source += 1;
  });
  const reserve = (now = START, email = 'ana@example.com', sourceAddress = `198.51.100.${source}`) =>
    reserveLoginTry(table, { client: client.id, email, sourceAddress }, now);
  const reserveTimes = async (times: number, now = START) => {
    for (let each = 0; each < times; each++) await reserve(now);
  };

  it('allows 10 attempts and refuses more until 15 minutes after the first', async () => {
    await reserveTimes(9);
    await reserve(later(60));
    await expect(reserve(later(300))).rejects.toMatchObject({ code: 'too_many_attempts', retryAfterSeconds: 600 });
    await expect(reserve(later(899.5))).rejects.toMatchObject({ code: 'too_many_attempts', retryAfterSeconds: 1 });
    const item = await table.get(accountAttemptsKey(client.id, 'ana@example.com'));
    expect(item).toMatchObject({ tries: 10, windowEndsAt: later(900).getTime(), ttl: 1_795_284_900 });
    await reserveTimes(10, later(900));
    await expect(reserve(later(901))).rejects.toMatchObject({ retryAfterSeconds: 899 });
  });

  it('releases no attempt of a later window', async () => {
    const giveBack = await reserve();
    await reserveTimes(10, later(900));
    await giveBack();
    await expect(reserve(later(901))).rejects.toMatchObject({ code: 'too_many_attempts' });
  });

  it("does not limit other addresses, other e-mails or other clients' accounts", async () => {
    await reserveTimes(10);
    await reserve(START, 'ana@example.com', '203.0.113.8');
    await reserve(START, 'eva@example.com');
    client = await newClient();
    await reserve();
  });

  it('allows a source address 100 failures a minute over all accounts', async () => {
    const spray = (each: number, now = START) => reserve(now, `u${each}@example.com`);
    for (let each = 0; each < 100; each++) await spray(each);
    await expect(spray(100, later(20))).rejects.toMatchObject({ code: 'too_many_attempts', retryAfterSeconds: 40 });
    await reserve(later(20), 'u100@example.com', '203.0.113.1');
    expect(await table.get(accountAttemptsKey(client.id, 'u100@example.com'))).toMatchObject({ tries: 1 });
    await spray(101, later(60));
  });
});

describe('the caller', () => {
  let client: Client;
  let gatewayKeyId: string;
  let token: string;
  const now = () => START;
  const readUser = (clientId: number, id: number) => table.get(userKey(clientId, id));
  const findPublicKey = keptPublicKeys((kid) => findTokenKey(table, kid), now);
  const deps = () => ({ findClient: createClientLookup(table, now), readUser, findPublicKey, now });
  let user: UserRecord;
  const issue = async (subject: Pick<Subject, 'client' | 'user'>) =>
    issueAccessToken(subject, { keys: await tokenKeys(), lifetimeSeconds: 900, now: START });
  const issueFor = (id: number) => issue({ client: id, user });
  beforeAll(async () => {
    client = await newClient();
    gatewayKeyId = `k-${client.id}`;
    await addGatewayKey(table, client.id, gatewayKeyId);
    user = await createUser(table, ids, { ...ana, clientId: client.id }, START);
    token = await issueFor(client.id);
  });

  it('is a client, by a known key', async () => {
    expect(await identifyClient(deps())({ gatewayKeyId })).toEqual({ client });
    await expect(identifyClient(deps())({ gatewayKeyId: 'k-none' })).rejects.toMatchObject({ code: 'client_unknown' });
  });

  it('is a user of that client, by a token', async () => {
    const { confirmed, ...caller } = await authenticateUser(deps())({ gatewayKeyId, token });
    expect(caller).toEqual({ client, user: { id: user.id, role: 'patient', credentialsVersion: 0 } });
    expect(await confirmed).toEqual(user);
  });

  it('is told before the user has been read', async () => {
    const authenticate = authenticateUser({ ...deps(), readUser: () => new Promise(() => {}) });
    expect((await authenticate({ gatewayKeyId, token })).user.id).toBe(user.id);
  });

  // `proofs/refusals` has every route with the token of somebody who was disabled.
  it('is not confirmed once the user has another password or is gone', async () => {
    const eva = { ...ana, email: 'eva@example.com', phone: '', clientId: client.id };
    const own = await createUser(table, ids, eva, START);
    const issueOwn = async () => issue({ client: client.id, user: (await userById(table, client.id, own.id)) ?? own });
    const confirm = async (sent: string) => (await authenticateUser(deps())({ gatewayKeyId, token: sent })).confirmed;
    const first = await issueOwn();
    await setPasswordHash(table, own, 'another hash');
    await expect(confirm(first)).rejects.toMatchObject({ code: 'token_invalid' });
    const second = await issueOwn();
    await expect(confirm(second)).resolves.toMatchObject({ id: own.id });
    await table.deleteAll([userKey(client.id, own.id)]);
    await expect(confirm(second)).rejects.toMatchObject({ code: 'token_invalid' });
  });

  it("is refused with a token of another client's user, and with an unknown key before a bad token", async () => {
    const foreign = authenticateUser(deps())({ gatewayKeyId, token: await issueFor(client.id + 1) });
    await expect(foreign).rejects.toMatchObject({ code: 'token_invalid' });
    const unknown = authenticateUser(deps())({ gatewayKeyId: 'k-none', token: 'forged' });
    await expect(unknown).rejects.toMatchObject({ code: 'client_unknown' });
  });
});

describe('POST /api/token/', () => {
  const EMAIL = 'paciente@demo.example';
  const login = (email: string, password: string, call: Call = {}) =>
    server.request('POST', '/api/token/', { ...call, body: { email, password } });
  const decoded = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
  const wrong = { status: 401, body: { code: 'wrong_credentials' } };
  afterEach(() => setClock());

  it('gives a token for an e-mail and its password, in the body and as a cookie of this site', async () => {
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
    const { publicKey, ttl } = (await table.get({ pk: `SIGNER#${kid}`, sk: 'SIGNER' })) ?? {};
    expect(createHash('sha256').update(String(publicKey)).digest('base64url')).toBe(kid);
    expect(ttl).toBeGreaterThanOrEqual(1_795_284_900 + 60 * 60);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: String(publicKey) }, format: 'jwk' });
    const signed = [Buffer.from(`${header}.${claims}`), Buffer.from(signature, 'base64url')] as const;
    expect(verify(null, signed[0], key, signed[1])).toBe(true);
  });

  it('gives tokens of the configured lifetime, whatever token the caller holds', async () => {
    vi.stubEnv('TOKEN_LIFETIME_SECONDS', '60');
    for (const held of [{ Cookie: '__Host-access=old' }, { Authorization: 'Bearer old' }]) {
      const { headers, body } = await login(' PACIENTE@demo.example ', DEMO_PASSWORD, { headers: held });
      const { iat, exp, access_lifetime } = decoded(body.access.split('.')[1]);
      expect([exp - iat, access_lifetime]).toEqual([60, 60]);
      expect(headers['set-cookie']?.[0]).toContain('; Max-Age=60; ');
    }
  });

  it('refuses a wrong password as an unknown or impossible e-mail, with the same text and headers', async () => {
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

  it('counts no attempt that succeeds', async () => {
    const { email } = await server.addUser(server.client, 'doctor', 'olvida@demo.example');
    for (let each = 0; each < 9; each++) expect(await login(email, 'wrong')).toMatchObject(wrong);
    for (let each = 0; each < 5; each++) expect((await login(email, DEMO_PASSWORD)).status).toBe(200);
    expect(await login(email, 'wrong')).toMatchObject(wrong);
    expect((await login(email, DEMO_PASSWORD)).body.code).toBe('too_many_attempts');
  });

  it('refuses the right password with the key of another client, or of none', async () => {
    const { key } = await server.addClient('Otra farmacia');
    expect(await login(EMAIL, DEMO_PASSWORD, { key })).toMatchObject(wrong);
    const { value } = server.keys.create({ name: 'nobody', enabled: true });
    const refused = await login(EMAIL, DEMO_PASSWORD, { key: value });
    expect(refused).toMatchObject({ status: 403, body: { code: 'client_unknown' } });
  });
});
