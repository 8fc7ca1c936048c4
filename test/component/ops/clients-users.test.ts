import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiKeys } from '../../../infra/local/gateway/api-keys.ts';
import { runCli } from '../../../infra/ops/cli.ts';
import { LocalKeys } from '../../../infra/ops/clients/gateway-keys.ts';
import { createClientLookup, getClient } from '../../../shared/access/clients.ts';
import { verifyPassword } from '../../../shared/access/password.ts';
import { userByEmail } from '../../../shared/people/users.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { openScriptedApi } from '../../support/engines/scripted-api.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const PASSWORD = 'correct horse battery';

const server = useServer();
let keys: ApiKeys;
let table: Table;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  keys = server.keys;
  table = openTable();
  process.env.API_KEYS_FILE = server.keys.file;
  environment = { ...process.env };
});
beforeEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
});

/** `keyboard`: a person types at a terminal, and stdout and stderr go elsewhere. */
type Place = 'terminal' | 'keyboard' | 'pipe';

async function run(argv: readonly string[], typed = '', place: Place = 'pipe') {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(argv, {
    stdout: { isTTY: place === 'terminal', write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => err.push(text) },
    stdin: Object.assign(Readable.from([Buffer.from(typed)]), { isTTY: place !== 'pipe' }),
    isTerminal: place === 'terminal',
  });
  return { code, out: out.join(''), err: err.join('') };
}

const first = ['clients', 'create', '--name', 'Farmacia', '--origin', 'web', '--payment-methods', '1,2'];
const client = [...first, '--again'];
const without = (argv: readonly string[], option: string) => argv.toSpliced(argv.indexOf(option), 2);
const changed = (argv: readonly string[], option: string, value: string) => argv.with(argv.indexOf(option) + 1, value);
const runJson = async (...argv: readonly string[]) => JSON.parse((await run([...argv, '--json'])).out);
const refused = (err: string) => ({ code: 1, out: '', err });
const statusWith = async (key: string) => (await server.request('GET', '/api/products/', { key })).status;
const findByKey = (keyId: string) => createClientLookup(table, () => new Date())(keyId);

describe('clients create', () => {
  it('registers a client with these properties and makes a key that the gateway accepts', async () => {
    const { code, out, err } = await run([...client, '--json']);
    expect([code, err]).toEqual([0, '']);
    const printed = JSON.parse(out);
    expect(printed).toEqual({
      id: expect.any(Number),
      name: 'Farmacia',
      origin: 'web',
      payment_methods: [1, 2],
      credit: 'employees',
      api_key_id: expect.stringMatching(/^[a-z0-9]{10}$/),
      api_key: expect.stringMatching(/^[a-z0-9]{40}$/),
    });
    const key = keys.find(printed.api_key);
    expect(key).toMatchObject({ id: printed.api_key_id, name: 'Farmacia', enabled: true });
    expect(await statusWith(printed.api_key)).toBe(200);
    expect(await findByKey(printed.api_key_id)).toMatchObject({
      id: printed.id,
      name: 'Farmacia',
      origin: 'web',
      paymentMethods: [1, 2],
      credit: 'employees',
      carrier: null,
    });
  });

  it('refuses a second client of one name, unless told to', async () => {
    const { id } = await runJson(...changed(client, '--name', 'Clínica Única'));
    const second = changed(first, '--name', 'clinica unica');
    const before = keys.list().length;
    expect(await run(second)).toEqual(refused(`Client ${id} has this name already: --again gives it to another.\n`));
    expect(keys.list()).toHaveLength(before);
    expect((await run([...second, '--again'])).code).toBe(0);
    expect(keys.list()).toHaveLength(before + 1);
  });

  it('takes who may order on credit, and the carrier that the client is', async () => {
    const { id } = await runJson(...client, '--credit', 'everyone', '--carrier', 'Seguros Uno');
    expect(await getClient(table, id)).toMatchObject({ credit: 'everyone', carrier: { name: 'Seguros Uno' } });
  });

  it.each([
    ['no name', without(client, '--name'), '--name: This field is required.'],
    ['another word', [...client, '--credit', 'nobody'], '--credit: It must be one of: employees, everyone.'],
    ['method 0', changed(client, '--payment-methods', '0'), '--payment-methods: They must be integers separated by'],
  ])('called with %s shows its usage, and creates nothing', async (_, argv, complaint) => {
    const before = keys.list().length;
    const { code, out, err } = await run(argv);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(complaint);
    expect(keys.list()).toHaveLength(before);
  });

  it('creates nothing when the client cannot be stored', async () => {
    process.env.TABLE_NAME = 'there-is-no-such-table';
    const before = keys.list().length;
    const { code, out, err } = await run(client);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('ResourceNotFoundException');
    expect(keys.list()).toHaveLength(before);
  });

  it('refuses payment methods that the published catalog does not have, and creates nothing', async () => {
    const before = keys.list().length;
    const unknown = refused('The published catalog has no payment method 98, 99.\n');
    expect(await run(changed(client, '--payment-methods', '1,98,99'))).toEqual(unknown);
    expect(keys.list()).toHaveLength(before);
  });

  it('tells how to finish when the gateway makes no key', async () => {
    delete process.env.API_KEYS_FILE;
    process.env.AWS_ENDPOINT_URL_API_GATEWAY = 'http://127.0.0.1:1';
    const { code, out, err } = await run(client);
    expect([code, out]).toEqual([1, '']);
    const id = /^ {2}npm run ops -- clients rotate-key (\d+)$/m.exec(err)?.[1] ?? '';
    expect((await getClient(table, Number(id)))?.name).toBe('Farmacia');
    process.env.API_KEYS_FILE = environment.API_KEYS_FILE;
    expect(await statusWith((await runJson('clients', 'rotate-key', id)).api_key)).toBe(200);
  });

  it('tells how to finish when the key cannot be put in the usage plan, without showing the key', async () => {
    const gateway = await openScriptedApi(
      { status: 201, body: { id: 'k1', value: 'secret-of-the-key' } },
      { status: 404, headers: { 'x-amzn-ErrorType': 'NotFoundException' }, body: { message: 'no such plan' } },
    );
    delete process.env.API_KEYS_FILE;
    process.env.AWS_ENDPOINT_URL_API_GATEWAY = new URL(gateway.url).origin;
    const { code, out, err } = await run(client);
    expect([code, out]).toEqual([1, '']);
    const id = (await findByKey('k1'))?.id;
    const [error, ...advice] = err.split('\n');
    expect(error).toMatch(/^NotFoundException: ./);
    expect(advice).toEqual([
      `Client ${id} has no new key that works: ask for one with`,
      `  npm run ops -- clients rotate-key ${id}`,
      '',
    ]);
    expect(err).not.toContain('secret-of-the-key');
    expect(gateway.heard.map(({ line }) => line)).toEqual(['POST /apikeys', 'POST /usageplans/local/keys']);
  });

  it('makes nothing when the usage plan is not set', async () => {
    delete process.env.USAGE_PLAN_ID;
    const before = keys.list().length;
    expect(await run(client)).toMatchObject({ code: 1, err: expect.stringContaining('USAGE_PLAN_ID is not set') });
    expect(keys.list()).toHaveLength(before);
  });
});

describe('the keys of a client', () => {
  let id: number;
  let first: { id: string; value: string };
  beforeEach(async () => {
    const made = await runJson(...client);
    id = made.id;
    first = { id: made.api_key_id, value: made.api_key };
  });

  const rotate = () => runJson('clients', 'rotate-key', String(id));
  const retire = (key: string) => run(['clients', 'rotate-key', String(id), '--retire', key]);
  const refuseLast = (key: string) =>
    refused(`Without ${key} client ${id} has no key that works: rotate it first, or disable the client.\n`);

  it('are two after a rotation, both accepted, and can be retired one by one, but not the last', async () => {
    const second = await rotate();
    expect(second).toEqual({
      id,
      api_key_id: expect.stringMatching(/^[a-z0-9]{10}$/),
      api_key: expect.stringMatching(/^[a-z0-9]{40}$/),
      older_keys: [first.id],
    });
    expect([await statusWith(first.value), await statusWith(second.api_key)]).toEqual([200, 200]);
    expect([(await findByKey(first.id))?.id, (await findByKey(second.api_key_id))?.id]).toEqual([id, id]);
    expect(await runJson('clients', 'rotate-key', `${id}`, '--retire', first.id)).toEqual({
      id,
      retired_key: first.id,
    });
    expect([await statusWith(first.value), await statusWith(second.api_key)]).toEqual([403, 200]);
    expect([keys.get(first.id), await findByKey(first.id)]).toEqual([undefined, undefined]);
    expect(await retire(second.api_key_id)).toEqual(refuseLast(second.api_key_id));
    expect(await statusWith(second.api_key)).toBe(200);
  });

  it.each([
    ['is disabled', () => keys.change(first.id, { enabled: false })],
    ['is missing', () => keys.remove(first.id)],
  ])('are not retired while the other %s at the gateway, which itself can be', async (_, spoil) => {
    const second = await rotate();
    spoil();
    expect(await retire(second.api_key_id)).toEqual(refuseLast(second.api_key_id));
    expect(await statusWith(second.api_key)).toBe(200);
    expect((await retire(first.id)).code).toBe(0);
    expect((await getClient(table, id))?.gatewayKeyIds).toEqual([second.api_key_id]);
  });

  it('are not both taken when two operators retire two at once', async () => {
    const second = await rotate();
    // Each changes something only when both have read the keys.
    const both = Promise.withResolvers<void>();
    let arrived = 0;
    const working = vi.spyOn(LocalKeys.prototype, 'working').mockImplementation(async function (this: LocalKeys) {
      arrived += 1;
      const states = await this.all();
      if (arrived === 2) both.resolve();
      await both.promise;
      return new Set([...states].flatMap(([id, { enabled }]) => (enabled ? id : [])));
    });
    const ended = await Promise.all([retire(first.id), retire(second.api_key_id)]);
    working.mockRestore();
    expect(ended.map(({ code }) => code)).toContain(1);
    expect([await statusWith(first.value), await statusWith(second.api_key)]).toContain(200);
  });

  it('of a disabled client can all be retired', async () => {
    await run(['clients', 'update', `${id}`, '--enabled', 'no']);
    expect((await retire(first.id)).code).toBe(0);
    expect((await getClient(table, id))?.gatewayKeyIds).toEqual([]);
  });

  it('are retired by a second run when the first was interrupted after the gateway', async () => {
    await rotate();
    keys.remove(first.id);
    expect((await retire(first.id)).code).toBe(0);
    expect((await getClient(table, id))?.gatewayKeyIds).toHaveLength(1);
  });

  it('of another client are not touched', async () => {
    const other = await runJson(...client);
    const none = refused(`Client ${id} has no key ${other.api_key_id}; it has ${first.id}.\n`);
    expect(await retire(other.api_key_id)).toEqual(none);
    expect(await statusWith(other.api_key)).toBe(200);
  });
});

describe('clients update --enabled', () => {
  let id: number;
  let key: string;
  let keyId: string;
  beforeEach(async () => {
    ({ id, api_key: key, api_key_id: keyId } = await runJson(...client));
  });

  it('stop and resume the service at the gateway, and in the functions', async () => {
    const statuses = async () => [
      await statusWith(key),
      (await server.request('POST', '/api/token/', { key, body: { email: 'a@b.example', password: 'x' } })).status,
    ];
    expect(await statuses()).toEqual([200, 401]);
    expect(await runJson('clients', 'update', `${id}`, '--enabled', 'no')).toMatchObject({ id, state: 'disabled' });
    expect([await statuses(), await findByKey(keyId)]).toEqual([[403, 403], undefined]);
    expect(await runJson('clients', 'update', `${id}`, '--enabled', 'yes')).toMatchObject({ id, state: 'enabled' });
    expect(await statuses()).toEqual([200, 401]);
  });

  it('refuse a new key to a disabled client', async () => {
    await run(['clients', 'update', `${id}`, '--enabled', 'no']);
    const disabled = refused(`Client ${id} is disabled: enable it first.\n`);
    expect(await run(['clients', 'rotate-key', `${id}`])).toEqual(disabled);
  });
});

it.each([['rotate-key'], ['list'], ['update', '--name', 'A']])(
  'clients %s refuses a client that does not exist',
  async (verb, ...options) => {
    expect(await run(['clients', verb, '99999', ...options])).toEqual(refused('There is no client 99999.\n'));
    const misread = { code: 2, err: expect.stringContaining('not "x"') };
    expect(await run(['clients', verb, 'x', ...options])).toMatchObject(misread);
  },
);

describe('clients list', () => {
  it('shows each client with the state of its keys at the gateway', async () => {
    const made = await runJson(...client, '--carrier', 'Seguros Uno');
    await run(['clients', 'update', String(made.id), '--enabled', 'no']);
    const { clients } = await runJson('clients', 'list');
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(clients[0]).toMatchObject({ id: 1, name: 'Farmacia Demo', origin: 'demo', state: 'enabled' });
    expect(clients.at(-1)).toEqual({
      id: made.id,
      name: 'Farmacia',
      origin: 'web',
      payment_methods: [1, 2],
      credit: 'employees',
      carrier: 'Seguros Uno',
      password_url: null,
      costs: 'hidden',
      state: 'disabled',
      created_at: time,
      keys: [{ id: made.api_key_id, state: 'disabled', created_at: time }],
    });
  });
});

describe('clients update and clients list of one', () => {
  const show = (id: string) => runJson('clients', 'list', id);
  let id: string;
  beforeEach(async () => {
    id = String((await runJson(...client, '--carrier', 'Seguros Uno')).id);
  });

  it('changes what is given, and nothing else', async () => {
    const { code, err } = await run(['clients', 'update', id, '--payment-methods', '2', '--credit', 'everyone']);
    expect([code, err]).toEqual([
      0,
      'Orders and logins see it within 30 seconds, every other route within about two minutes.\n',
    ]);
    const changed = { name: 'Farmacia', origin: 'web', payment_methods: [2], credit: 'everyone' };
    expect(await show(id)).toMatchObject({ ...changed, carrier: 'Seguros Uno', keys: [{ state: 'enabled' }] });
    await run(['clients', 'update', id, '--name', 'Botica', '--no-carrier']);
    expect(await show(id)).toMatchObject({ ...changed, name: 'Botica', carrier: null });
  });

  it('refuses the name of another client, unless told to; its own name is no other', async () => {
    const other = String((await runJson(...changed(client, '--name', 'Clínica Gemela'))).id);
    const second = ['clients', 'update', id, '--name', 'clinica gemela'];
    expect(await run(second)).toEqual(refused(`Client ${other} has this name already: --again gives it to another.\n`));
    expect((await show(id)).name).toBe('Farmacia');
    expect((await run(['clients', 'update', other, '--name', 'Clinica Gemela'])).code).toBe(0);
    expect((await run([...second, '--again'])).code).toBe(0);
    expect([(await show(id)).name, (await show(other)).name]).toEqual(['clinica gemela', 'Clinica Gemela']);
  });

  it('sets the page for new passwords, and whether costs are shown', async () => {
    const page = 'https://farmacia.example/clave?de=botica';
    const made = await runJson(...changed(client, '--name', 'Otra'), '--password-url', page, '--costs');
    expect(await show(String(made.id))).toMatchObject({ password_url: page, costs: 'shown' });
    expect(await show(id)).toMatchObject({ password_url: null, costs: 'hidden' });
    await run(['clients', 'update', id, '--password-url', 'http://localhost:4000/', '--costs', 'yes']);
    expect(await show(id)).toMatchObject({ password_url: 'http://localhost:4000/', costs: 'shown' });
    await run(['clients', 'update', id, '--costs', 'no']);
    for (const address of ['http://farmacia.example/', 'ftp://localhost/', 'https://a:b@farmacia.example/', 'clave'])
      expect((await run(['clients', 'update', id, '--password-url', address])).code).toBe(2);
    expect(await show(id)).toMatchObject({ password_url: 'http://localhost:4000/', costs: 'hidden' });
  });

  it('refuses a method that the catalog does not have, and nothing to change', async () => {
    const unknown = refused('The published catalog has no payment method 99.\n');
    expect(await run(['clients', 'update', id, '--payment-methods', '1,99'])).toEqual(unknown);
    expect((await show(id)).payment_methods).toEqual([1, 2]);
    expect((await run(['clients', 'update', id])).err).toContain('Give what is to be changed.');
    expect((await run(['clients', 'update', id, '--carrier', 'A', '--no-carrier'])).code).toBe(2);
  });
});

describe('users list and users update', () => {
  let clientId: string;
  const doctor = () => ['--client', clientId, '--email', 'dra@example.com'];
  const patient = () => ['--client', clientId, '--email', 'luz@example.com'];
  const list = async (...more: readonly string[]) =>
    JSON.parse((await run(['users', 'list', '--client', clientId, ...more, '--json'])).out).users;
  beforeEach(async () => {
    clientId = String(JSON.parse((await run([...client, '--json'])).out).id);
    const names = ['--first-name', 'Ana', '--last-name', 'Sol', '--second-last-name', 'Ruiz'];
    await run(['users', 'create', ...doctor(), '--role', 'doctor', '--phone', '+525512345678', ...names]);
    await run(['users', 'create', ...patient(), '--role', 'patient', '--phone', '+525512345679', ...names]);
  });

  it('lists who is no patient, or a role, of this client only', async () => {
    const doctors = await list();
    expect(doctors).toEqual([
      {
        id: expect.any(Number),
        role: 'doctor',
        state: 'enabled',
        login: 'no password',
        email: 'dra@example.com',
        name: 'Ana Sol Ruiz',
        phone: '+525512345678',
        date_joined: expect.stringMatching(/^\d{4}-/),
      },
    ]);
    expect(await list('--role', 'patient')).toMatchObject([{ email: 'luz@example.com' }]);
    expect(await list('--role', 'insurance_employee')).toEqual([]);
    await run(['users', 'update', ...doctor(), '--enabled', 'no']);
    expect(await list()).toEqual([{ ...doctors[0], state: 'disabled' }]);
  });

  it('changes name and phone, and frees the former phone', async () => {
    const changes = ['--last-name', 'Paz', '--phone', '+525512345680'];
    const { code, out } = await run(['users', 'update', ...doctor(), ...changes]);
    expect([code, out.replace(/\d+,/, '…,')]).toEqual([
      0,
      'User …, dra@example.com, is Ana Paz Ruiz, +525512345680, enabled, no password.\n',
    ]);
    expect(await list()).toMatchObject([{ name: 'Ana Paz Ruiz', phone: '+525512345680' }]);
    expect((await run(['users', 'update', ...patient(), '--phone', '+525512345678'])).code).toBe(0);
  });

  it('changes the e-mail, by which they log in, ends their tokens, and frees the former one', async () => {
    await run(['users', 'update', ...doctor(), '--password-stdin'], PASSWORD);
    const key = JSON.parse((await run(['clients', 'rotate-key', clientId, '--json'])).out).api_key;
    const login = (email: string) =>
      server.request('POST', '/api/token/', { key, body: { email, password: PASSWORD } });
    const token = (await login('dra@example.com')).body.access;
    const orders = async () => (await server.request('GET', '/api/orders/', { key, token })).status;
    expect(await orders()).toBe(200);
    const { out } = await run(['users', 'update', ...doctor(), '--new-email', 'Ana.Sol@Example.com']);
    expect(out).toMatch(/^User \d+, ana\.sol@example\.com, is Ana Sol Ruiz, \+525512345678, enabled, password\.\n$/);
    expect([await orders(), (await login('dra@example.com')).status]).toEqual([401, 401]);
    expect((await login('ana.sol@example.com')).status).toBe(200);
    expect((await run(['users', 'update', ...patient(), '--new-email', 'dra@example.com'])).code).toBe(0);
    expect(await list('--role', 'patient')).toMatchObject([{ email: 'dra@example.com' }]);
  });

  it('refuses an e-mail that another has, with a phone too, and changes nothing', async () => {
    const taken = ['--new-email', 'luz@example.com'];
    expect(await run(['users', 'update', ...doctor(), ...taken, '--last-name', 'Paz'])).toMatchObject({
      code: 1,
      err: 'The client has a user with this e-mail already.\n',
    });
    expect((await run(['users', 'update', ...doctor(), ...taken, '--phone', '+525512345679'])).err).toBe(
      'The client has a user with this phone already.\nThe client has a user with this e-mail already.\n',
    );
    expect(await list()).toMatchObject([{ email: 'dra@example.com', name: 'Ana Sol Ruiz' }]);
  });

  it('gives an e-mail to one of two who get it at once', async () => {
    const outcomes = await Promise.all(
      [doctor(), patient()].map((who) => run(['users', 'update', ...who, '--new-email', 'nueva@example.com'])),
    );
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1]);
    const all = [...(await list()), ...(await list('--role', 'patient'))].map(({ email }) => email);
    expect(all.filter((email) => email === 'nueva@example.com').length).toBe(1);
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

  it('registers a user who may log in with a password from stdin', async () => {
    const { code, out, err } = await run([...user, '--password-stdin', '--json'], `${PASSWORD}\n`);
    expect([code, err]).toEqual([0, '']);
    const printed = JSON.parse(out);
    expect(printed).toEqual({ id: expect.any(Number), email: 'eva@example.com', role: 'doctor', client: clientId });
    const { id } = printed;
    const names = { firstName: 'Eva', lastName: 'Ruiz', secondLastName: null };
    expect(await userByEmail(table, clientId, 'eva@example.com')).toMatchObject({ id, ...names, phone: '' });
    const login = { email: 'eva@example.com', password: PASSWORD };
    expect((await server.request('POST', '/api/token/', { key: apiKey, body: login })).status).toBe(200);
  });

  it.each([
    [`${PASSWORD}\r\n`, PASSWORD],
    [` ${PASSWORD} \n\n`, ` ${PASSWORD} \n`],
  ])('reads %j as the password %j', async (typed, password) => {
    await run([...user, '--password-stdin'], typed);
    const stored = await userByEmail(table, clientId, 'eva@example.com');
    expect(await verifyPassword(stored?.passwordHash ?? '', password)).toBe(true);
  });

  it('registers a user without a password, with all names and the phone in E.164', async () => {
    const { code, out } = await run([...user, '--second-last-name', 'Díaz', '--phone', '+52 55 1234 5678']);
    expect(code).toBe(0);
    expect(out).toMatch(/^User \d+, eva@example\.com, is registered as doctor of client \d+\.\n$/);
    const stored = await userByEmail(table, clientId, 'eva@example.com');
    expect(stored).toMatchObject({ secondLastName: 'Díaz', phone: '+525512345678', passwordHash: null });
  });

  it("refuses a client that does not exist, and another user's e-mail and phone", async () => {
    const refused = (err: string) => ({ code: 1, out: '', err });
    expect(await run(changed(user, '--client', '999999'))).toEqual(refused('There is no client 999999.\n'));
    const withPhone = [...user, '--phone', '+525512345678'];
    expect((await run(withPhone)).code).toBe(0);
    expect(await run(withPhone)).toEqual(
      refused('The client has a user with this e-mail already.\nThe client has a user with this phone already.\n'),
    );
  });

  it.each([
    ['', 'password: It must have 12 or more characters.\n'],
    [`${'x'.repeat(129)}\n`, 'password: It must have at most 128 characters.\n'],
  ])('refuses a password that is too short or too long, and registers nobody', async (typed, err) => {
    expect(await run([...user, '--password-stdin'], typed)).toEqual({ code: 1, out: '', err });
    expect(await userByEmail(table, clientId, 'eva@example.com')).toBeUndefined();
  });

  it.each([
    ['another role', () => changed(user, '--role', 'admin'), '--role: It must be one of: patient, doctor, insurance_'],
    ['a malformed e-mail', () => changed(user, '--email', 'eva'), '--email: It must be a valid e-mail address.'],
    ['a password in the open', () => [...user, '--password', PASSWORD], "Unknown option '--password'"],
  ])('called with %s shows its usage', async (_, argv, complaint) => {
    const { code, out, err } = await run(argv());
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(complaint);
    expect(await userByEmail(table, clientId, 'eva@example.com')).toBeUndefined();
  });
});

describe('the password and the state of a user', () => {
  const OTHER = 'battery staple horse';
  let clientId: number;
  let apiKey: string;
  let who: readonly string[];
  beforeEach(async () => {
    ({ id: clientId, api_key: apiKey } = JSON.parse((await run([...client, '--json'])).out));
    who = ['--client', String(clientId), '--email', 'Eva@Example.com'];
    const names = ['--role', 'insurance_employee', '--first-name', 'Eva', '--last-name', 'Ruiz'];
    expect((await run(['users', 'create', ...who, ...names, '--password-stdin'], PASSWORD)).code).toBe(0);
  });

  const login = (password: string) =>
    server.request('POST', '/api/token/', { key: apiKey, body: { email: 'eva@example.com', password } });
  const mayLogIn = async (password: string) => (await login(password)).status === 200;

  it('is replaced by one from stdin', async () => {
    const { code, out, err } = await run(['users', 'update', ...who, '--password-stdin', '--json'], `${OTHER}\n`);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({ email: 'eva@example.com', role: 'insurance_employee', login: 'password' });
    expect([await mayLogIn(PASSWORD), await mayLogIn(OTHER)]).toEqual([false, true]);
  });

  it.each(['terminal', 'keyboard'] as const)('is asked for twice, and is never shown: %s', async (place) => {
    const asked = ['users', 'update', ...who, '--password-stdin'];
    const { code, out, err } = await run(asked, `${OTHER}\n${OTHER}\n`, place);
    expect([code, err]).toEqual([0, 'Password: \nThe same again: \n']);
    expect(out).not.toContain(OTHER);
    expect(await mayLogIn(OTHER)).toBe(true);
  });

  it('is refused when the two differ, or none is typed', async () => {
    const asked = ['users', 'update', ...who, '--password-stdin'];
    expect(await run(asked, `${OTHER}\nanother one\n`, 'terminal')).toMatchObject({
      code: 1,
      err: expect.stringContaining('The two passwords differ.\n'),
    });
    expect(await run(asked, `${OTHER}\nanother one\n`, 'keyboard')).toMatchObject({ code: 1 });
    expect(await run(asked, '', 'terminal')).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was') });
    expect(await mayLogIn(PASSWORD)).toBe(true);
  });

  it('stays when Ctrl-C is typed at the question, which ends with 130 and no word', async () => {
    expect(await run(['users', 'update', ...who, '--password-stdin'], `${OTHER}\n\u0003`, 'terminal')).toEqual({
      code: 130,
      out: '',
      err: 'Password: \nThe same again: \n',
    });
    expect(await mayLogIn(PASSWORD)).toBe(true);
  });

  it('is generated with --generate-password, and shown once', async () => {
    const { out } = await run(['users', 'update', ...who, '--generate-password']);
    const password = out.split('\n')[2] ?? '';
    expect(out).toMatch(/, enabled, password\.\nThe password, which is not shown again:\n[\w-]{20}\n$/);
    expect(await mayLogIn(password)).toBe(true);
    const again = JSON.parse((await run(['users', 'update', ...who, '--generate-password', '--json'])).out);
    expect(again.password).toMatch(/^[\w-]{20}$/);
    expect(again.password).not.toBe(password);
  });

  it('disabled: no login, and a remaining token neither places nor changes orders; enabled: everything works again', async () => {
    const own = { key: apiKey, token: (await login(PASSWORD)).body.access };
    const place = () => server.request('POST', '/api/orders/resources/', { ...own, body: orderBody('ana@example.mx') });
    const { id } = (await place()).body;
    const body = { order_status: 'cancelled' };
    const cancel = () => server.request('PATCH', `/api/orders/${id}/`, { ...own, body });
    const become = async (enabled: string) =>
      JSON.parse((await run(['users', 'update', ...who, '--enabled', enabled, '--json'])).out).state;
    expect(await become('no')).toBe('disabled');
    expect(await login(PASSWORD)).toMatchObject({ status: 401, body: { code: 'wrong_credentials' } });
    for (const answer of [await place(), await cancel()]) {
      expect(answer).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
    }
    expect(await become('yes')).toBe('enabled');
    expect([await mayLogIn(PASSWORD), (await cancel()).status]).toEqual([true, 200]);
  });

  it('is of nobody where the e-mail is unknown', async () => {
    const nobody = ['--client', String(clientId), '--email', 'nobody@example.com'];
    for (const words of [['--generate-password'], ['--enabled', 'no']]) {
      const refused = { code: 1, out: '', err: `Client ${clientId} has nobody with this e-mail.\n` };
      expect(await run(['users', 'update', ...words, ...nobody])).toEqual(refused);
    }
  });
});
