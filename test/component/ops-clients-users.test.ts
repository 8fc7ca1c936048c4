import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiKeys } from '../../infra/local/api-keys.ts';
import { runCli } from '../../infra/ops/cli.ts';
import { verifyPassword } from '../../shared/access/password.ts';
import { clientById, clientOfGatewayKey } from '../../shared/store/clients.ts';
import { openTable, type Table } from '../../shared/store/table.ts';
import { userByEmail } from '../../shared/store/users.ts';
import { type House, openHouse } from '../support/house.ts';

const PASSWORD = 'correct horse battery';

let house: House;
let keys: ApiKeys;
let table: Table;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  house = await openHouse();
  keys = house.keys;
  table = openTable();
  process.env.AWS_ENDPOINT_URL_API_GATEWAY = new URL('/_control', house.url).href;
  environment = { ...process.env };
});
afterAll(() => house.close());
beforeEach(() => {
  Object.assign(process.env, environment);
});

async function run(argv: readonly string[], typed = '') {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(argv, {
    stdout: { write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => err.push(text) },
    stdin: Readable.from([Buffer.from(typed)]),
    isTerminal: false,
  });
  return { code, out: out.join(''), err: err.join('') };
}

const client = ['clients', 'create', '--name', 'Farmacia', '--origin', 'web', '--payment-methods', '1,2'];
const without = (argv: readonly string[], option: string) => argv.toSpliced(argv.indexOf(option), 2);
const changed = (argv: readonly string[], option: string, value: string) => argv.with(argv.indexOf(option) + 1, value);

describe('clients create', () => {
  it('makes a key that opens the gateway for a client with just these properties', async () => {
    const { code, out, err } = await run([...client, '--json']);
    expect([code, err]).toEqual([0, '']);
    const printed = JSON.parse(out);
    expect(printed).toEqual({
      id: expect.any(Number),
      name: 'Farmacia',
      origin: 'web',
      payment_methods: [1, 2],
      api_key: expect.stringMatching(/^[a-z0-9]{40}$/),
    });
    const key = keys.find(printed.api_key);
    expect(key).toMatchObject({ name: 'Farmacia', enabled: true, inUsagePlan: true });
    expect((await house.request('GET', '/api/products/', { key: printed.api_key })).status).toBe(200);
    const found = await clientOfGatewayKey(table, () => new Date())(key?.id ?? '');
    expect(found).toMatchObject({
      id: printed.id,
      name: 'Farmacia',
      origin: 'web',
      paymentMethods: [1, 2],
      carrier: null,
    });
  });

  it('says the key once, in words', async () => {
    const { code, out } = await run(client);
    const value = out.trim().split('\n').at(-1) ?? '';
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Client \d+, Farmacia, is registered\. Its API key, which is not shown again:\n[a-z0-9]{40}\n$/,
    );
    expect(keys.find(value)).toBeDefined();
  });

  it('makes an insurance carrier of it when asked to', async () => {
    const { out } = await run([...client, '--carrier', 'Seguros Uno', '--json']);
    expect((await clientById(table, JSON.parse(out).id))?.carrier?.name).toBe('Seguros Uno');
  });

  it.each([
    ['no name', without(client, '--name'), '--name: This field is required.'],
    ['a blank name', changed(client, '--name', ' '), '--name: This field may not be blank.'],
    ['a name of 101', changed(client, '--name', 'x'.repeat(101)), '--name: It must have at most 100 characters.'],
    ['an origin of 21', changed(client, '--origin', 'x'.repeat(21)), '--origin: It must have at most 20 characters.'],
    ['no methods', without(client, '--payment-methods'), '--payment-methods: This field is required.'],
    ['method 0', changed(client, '--payment-methods', '0'), '--payment-methods: They must be integers separated by'],
    ['method 1.5', changed(client, '--payment-methods', '1.5'), '--payment-methods: They must be integers'],
    ['method a', changed(client, '--payment-methods', '1,a'), '--payment-methods: They must be integers'],
    ['an empty method', changed(client, '--payment-methods', '1,'), '--payment-methods: They must be integers'],
    ['a stray word', [...client, 'web'], 'unexpected argument "web"'],
    ['a key of its own', [...client, '--api-key', 'x'], "Unknown option '--api-key'"],
  ])('called with %s is explained, and nothing is made', async (_, argv, complaint) => {
    const before = keys.list().length;
    const { code, out, err } = await run(argv);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(complaint);
    expect(keys.list()).toHaveLength(before);
  });

  it('takes a name of 100 and an origin of 20 characters', async () => {
    const longest = changed(changed(client, '--name', 'n'.repeat(100)), '--origin', 'o'.repeat(20));
    expect((await run(longest)).code).toBe(0);
  });

  it('says how to remove the key when the client cannot be recorded, and the key opens nothing', async () => {
    process.env.TABLE_NAME = 'there-is-no-such-table';
    const { code, out, err } = await run(client);
    const left = keys.list().at(-1);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('ResourceNotFoundException');
    expect(err).toContain(`aws apigateway delete-api-key --api-key ${left?.id}\n`);
    expect(left?.inUsagePlan).toBe(false);
    expect(err).not.toContain(left?.value);
  });

  it('says how to finish when the key cannot be put in the usage plan', async () => {
    process.env.USAGE_PLAN_ID = 'gone';
    const { code, out, err } = await run(client);
    const left = keys.list().at(-1);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^Client \d+ is recorded, but its API key is in no usage plan yet \(NotFoundException: /);
    expect(err).toContain(`create-usage-plan-key --usage-plan-id gone --key-type API_KEY --key-id ${left?.id}\n`);
    expect(await clientOfGatewayKey(table, () => new Date())(left?.id ?? '')).toBeDefined();
  });

  it('needs to know the usage plan before it makes anything', async () => {
    delete process.env.USAGE_PLAN_ID;
    const before = keys.list().length;
    expect(await run(client)).toMatchObject({ code: 1, err: expect.stringContaining('USAGE_PLAN_ID is not set') });
    expect(keys.list()).toHaveLength(before);
  });
});

describe('users create', () => {
  let clientId: number;
  let apiKey: string;
  let user: readonly string[];
  beforeEach(async () => {
    ({ id: clientId, api_key: apiKey } = JSON.parse((await run([...client, '--json'])).out));
    user = [
      ...['users', 'create', '--client', String(clientId), '--role', 'doctor', '--email', 'Eva@Example.com'],
      ...['--first-name', 'Eva', '--last-name', 'Ruiz'],
    ];
  });

  it('registers a user with a password from stdin, without its line end', async () => {
    const { code, out, err } = await run([...user, '--password-stdin', '--json'], `${PASSWORD}\n`);
    expect([code, err]).toEqual([0, '']);
    const printed = JSON.parse(out);
    expect(printed).toEqual({ id: expect.any(Number), email: 'eva@example.com', role: 'doctor', client: clientId });
    const stored = await userByEmail(table, clientId, 'eva@example.com');
    expect(stored).toMatchObject({
      id: printed.id,
      firstName: 'Eva',
      lastName: 'Ruiz',
      secondLastName: null,
      phone: '',
    });
    const login = { email: 'eva@example.com', password: PASSWORD };
    expect((await house.request('POST', '/api/token/', { key: apiKey, body: login })).status).toBe(200);
  });

  it.each([
    [`${PASSWORD}\r\n`, PASSWORD],
    [PASSWORD, PASSWORD],
    [`${PASSWORD}\n\n`, `${PASSWORD}\n`],
    [` ${PASSWORD} `, ` ${PASSWORD} `],
  ])('takes the password of %j to be %j', async (typed, password) => {
    await run([...user, '--password-stdin'], typed);
    const stored = await userByEmail(table, clientId, 'eva@example.com');
    expect(await verifyPassword(stored?.passwordHash ?? '', password)).toBe(true);
  });

  it('registers a user without a password, with all names and the phone in its one form', async () => {
    const { code, out } = await run([...user, '--second-last-name', 'Díaz', '--phone', '+52 55 1234 5678']);
    expect(code).toBe(0);
    expect(out).toMatch(/^User \d+, eva@example\.com, is registered as doctor of client \d+\.\n$/);
    const stored = await userByEmail(table, clientId, 'eva@example.com');
    expect(stored).toMatchObject({ secondLastName: 'Díaz', phone: '+525512345678', passwordHash: null });
  });

  it.each(['patient', 'doctor', 'insurance_employee'])('registers a %s', async (role) => {
    expect(JSON.parse((await run([...changed(user, '--role', role), '--json'])).out).role).toBe(role);
  });

  it('refuses a client that there is not', async () => {
    expect(await run(changed(user, '--client', '999999'))).toEqual({
      code: 1,
      out: '',
      err: 'There is no client 999999.\n',
    });
  });

  it('refuses an e-mail and a phone that another user of the client has', async () => {
    const withPhone = [...user, '--phone', '+525512345678'];
    expect((await run(withPhone)).code).toBe(0);
    expect(await run(withPhone)).toEqual({
      code: 1,
      out: '',
      err: 'The client has a user with this e-mail already.\nThe client has a user with this phone already.\n',
    });
  });

  it.each([
    ['1234567\n', 'password: It must have 8 or more characters.\n'],
    ['', 'password: It must have 8 or more characters.\n'],
    [`${'x'.repeat(129)}\n`, 'password: It must have at most 128 characters.\n'],
  ])('refuses a password that is too short or too long, and registers nobody', async (typed, err) => {
    expect(await run([...user, '--password-stdin'], typed)).toEqual({ code: 1, out: '', err });
    expect(await userByEmail(table, clientId, 'eva@example.com')).toBeUndefined();
  });

  it.each([
    ['no client', () => without(user, '--client'), '--client: '],
    ['client 0', () => changed(user, '--client', '0'), '--client: It must be an integer.'],
    ['client 1e3', () => changed(user, '--client', '1e3'), '--client: It must be an integer.'],
    [
      'another role',
      () => changed(user, '--role', 'admin'),
      '--role: It must be one of: patient, doctor, insurance_employee.',
    ],
    ['no e-mail', () => without(user, '--email'), '--email: This field is required.'],
    ['a malformed e-mail', () => changed(user, '--email', 'eva'), '--email: It must be a valid e-mail address.'],
    ['no name', () => without(user, '--first-name'), '--first-name: This field is required.'],
    ['a long name', () => changed(user, '--first-name', 'x'.repeat(31)), '--first-name: It must have at most 30'],
    ['a malformed phone', () => [...user, '--phone', '5512345678'], '--phone: It must be a valid phone'],
    ['a password in the open', () => [...user, '--password', PASSWORD], "Unknown option '--password'"],
  ])('called with %s is explained', async (_, argv, complaint) => {
    const { code, out, err } = await run(argv());
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(complaint);
    expect(await userByEmail(table, clientId, 'eva@example.com')).toBeUndefined();
  });

  it('says that the local house is not running rather than that something is unavailable', async () => {
    process.env.AWS_ENDPOINT_URL_DYNAMODB = 'http://127.0.0.1:1';
    const { code, err } = await run(user);
    expect([code, err]).toEqual([1, 'The local house is not running at 127.0.0.1:1: start it with `npm start`.\n']);
  });
});
