import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { authenticateUser, identifyClient } from '../../../shared/access/authenticate.ts';
import { addGatewayKey, type Client, createClient, createClientLookup } from '../../../shared/access/clients.ts';
import { reserveLoginTry } from '../../../shared/access/login-attempts.ts';
import { hashPassword, issueToken } from '../../../shared/access/password.ts';
import { parseSigningKeys } from '../../../shared/access/signing-keys.ts';
import { issueAccessToken, type Subject } from '../../../shared/access/token.ts';
import {
  findTokenKey,
  keptPublicKeys,
  publishedTokenKeys,
  publishTokenKey,
} from '../../../shared/access/token-keys.ts';
import { Refusal } from '../../../shared/domain/refusal.ts';
import {
  createUser,
  type NewUser,
  setPasswordHash,
  setUserState,
  type UserRecord,
  userByEmail,
  userById,
} from '../../../shared/people/users.ts';
import { tableConfig } from '../../../shared/runtime/config.ts';
import { Ids } from '../../../shared/store/ids.ts';
import { accountAttemptsKey, gatewayKeyKey, phoneKey, userKey } from '../../../shared/store/keys.ts';
import { openTable, Table } from '../../../shared/store/table.ts';
import { ConditionFailed } from '../../../shared/store/table-failures.ts';
import { useServer } from '../../support/servers/test-server.ts';

// Clients, users, logins and callers as they are stored: who is found, how often one may guess, and who is let in.

const START = new Date('2026-11-21T18:00:00.000Z');
const later = (seconds: number) => new Date(START.getTime() + seconds * 1_000);
const secrets = parseSigningKeys('{"current":{"kid":"a","secret":"bG9jYWwtb25seS1ub3QtYS1zZWNyZXQtMzItYnl0ZXM"}}');
const tokenKeys = publishedTokenKeys(async () => secrets, {
  publish: (kid, key) => publishTokenKey(table, kid, key),
  lifetimeSeconds: 900,
  now: () => START,
});

useServer();
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

  it.each([
    [{ phone: '' }, ['email_taken']],
    [{ email: 'eva@example.com' }, ['phone_taken']],
    [{}, ['email_taken', 'phone_taken']],
  ])('cannot take what another user has, but for %j', async (change, codes) => {
    const { id: clientId } = await newClient();
    await createUser(table, ids, { ...ana, clientId }, START);
    const second = createUser(table, ids, { ...ana, ...change, clientId, role: 'doctor' }, START);
    await expect(second).rejects.toMatchObject({ code: 'invalid_input', errors: codes.map((code) => ({ code })) });
  });

  it('without a phone reserves no phone', async () => {
    const { id: clientId } = await newClient();
    await createUser(table, ids, { ...ana, phone: '', clientId }, START);
    await createUser(table, ids, { ...ana, phone: '', email: 'eva@example.com', clientId }, START);
    expect(await table.get(phoneKey(clientId, ''))).toBeUndefined();
  });

  it('that does not match its schema is a defect', async () => {
    const { id: clientId } = await newClient();
    const { id } = await createUser(table, ids, { ...ana, clientId }, START);
    await table.update({
      Key: userKey(clientId, id),
      UpdateExpression: 'SET version = :text',
      ExpressionAttributeValues: { ':text': 'one' },
    });
    await expect(userById(table, clientId, id)).rejects.toThrow();
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

  it('allows 50 attempts on an account from all addresses together, and refused ones use up none of an address', async () => {
    for (let each = 0; each < 50; each++) await reserve(START, 'eva@example.com', `192.0.2.${each}`);
    const elsewhere = (now: Date) => reserve(now, 'eva@example.com', '203.0.113.9');
    for (let each = 0; each < 12; each++) {
      await expect(elsewhere(later(300))).rejects.toMatchObject({ code: 'too_many_attempts', retryAfterSeconds: 600 });
    }
    await expect(elsewhere(later(900))).resolves.toBeTypeOf('function');
  });

  it('allows 10 of 20 attempts at the same time', async () => {
    // A call that takes too long is sent again, and then its attempt may be counted twice: here none takes too long.
    const withoutLimits = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 1 }));
    onTestFinished(() => withoutLimits.destroy());
    const patient = new Table(tableConfig().TABLE_NAME, withoutLimits);
    const login = { client: client.id, email: 'ana@example.com', sourceAddress: `198.51.100.${source}` };
    const tries = Array.from({ length: 20 }, () => reserveLoginTry(patient, login, START));
    const outcomes = Map.groupBy(await Promise.allSettled(tries), ({ status }) => status);
    expect(outcomes.get('fulfilled')).toHaveLength(10);
    const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'too_many_attempts' }) };
    expect(outcomes.get('rejected')).toEqual(Array(10).fill(refused));
    expect(await table.get(accountAttemptsKey(client.id, 'ana@example.com'))).toMatchObject({ tries: 10 });
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

describe('issueToken', () => {
  const PASSWORD = 'correct horse battery';
  let passwordHash: string;
  let client: Client;
  let source: number = 0;
  beforeAll(async () => {
    passwordHash = await hashPassword(PASSWORD);
  });
  beforeEach(async () => {
    client = await newClient();
    source += 1;
  });
  const register = (change: Partial<NewUser> = {}) =>
    createUser(table, ids, { ...ana, passwordHash, clientId: client.id, ...change }, START);
  const login = (change: { email?: string; password?: string } = {}) => {
    const sent = {
      email: 'ana@example.com',
      password: PASSWORD,
      client,
      sourceAddress: `192.0.2.${source}`,
      now: START,
    };
    return issueToken({ ...sent, ...change }, { table, tokenKeys, lifetimeSeconds: 900 });
  };
  const wrong = (change: { email?: string } = {}) => login({ password: 'wrong', ...change });

  it('answers a wrong password, an unknown e-mail and a user without a password alike', async () => {
    await register();
    await register({ email: 'eva@example.com', phone: '', passwordHash: null });
    const tries = [() => wrong(), () => wrong({ email: 'x@example.com' }), () => login({ email: 'eva@example.com' })];
    const refusal = { code: 'wrong_credentials', errors: [], retryAfterSeconds: undefined };
    for (const attempt of tries) await expect(attempt()).rejects.toMatchObject(refusal);
  });

  it('does not count a successful attempt', async () => {
    await register();
    for (let each = 0; each < 9; each++) await expect(wrong()).rejects.toMatchObject({ code: 'wrong_credentials' });
    for (let each = 0; each < 5; each++) await expect(login()).resolves.toHaveProperty('access');
    await expect(wrong()).rejects.toMatchObject({ code: 'wrong_credentials' });
    await expect(login()).rejects.toMatchObject({ code: 'too_many_attempts' });
  });

  it('replaces a hash that has old parameters, and keeps the version of the user', async () => {
    // This hash of "password" under 256 KiB comes from the tests of the reference implementation.
    const weak = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    const { id } = await register({ passwordHash: weak });
    await expect(wrong()).rejects.toMatchObject({ code: 'wrong_credentials' });
    expect((await userById(table, client.id, id))?.passwordHash).toBe(weak);
    await login({ password: 'password' });
    const renewed = await userById(table, client.id, id);
    expect(renewed?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(renewed?.version).toBe(1);
    await expect(login({ password: 'password' })).resolves.toHaveProperty('access');
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

  it('is not confirmed once the user is disabled, has another password or is gone', async () => {
    const eva = { ...ana, email: 'eva@example.com', phone: '', clientId: client.id };
    const own = await createUser(table, ids, eva, START);
    const issueOwn = async () => issue({ client: client.id, user: (await userById(table, client.id, own.id)) ?? own });
    const confirm = async (sent: string) => (await authenticateUser(deps())({ gatewayKeyId, token: sent })).confirmed;
    const first = await issueOwn();
    await setUserState(table, own, { state: 'disabled', now: START });
    await expect(confirm(first)).rejects.toMatchObject({ code: 'token_invalid' });
    await setUserState(table, own, { state: 'enabled', now: START });
    await expect(confirm(first)).resolves.toMatchObject({ id: own.id });
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

  it('gets a 503 while the public keys cannot be read', async () => {
    const unavailable = async () => {
      throw new Refusal('unavailable');
    };
    const refused = authenticateUser({ ...deps(), findPublicKey: unavailable })({ gatewayKeyId, token });
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' });
  });
});
