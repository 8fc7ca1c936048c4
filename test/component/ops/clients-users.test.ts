import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiKeys } from '../../../infra/local/gateway/api-keys.ts';
import { createClientLookup, getClient } from '../../../shared/access/clients.ts';
import { userByEmail } from '../../../shared/people/users.ts';
import { openTable, Table } from '../../../shared/store/table.ts';
import { openScriptedApi, type Scripted } from '../../support/engines/scripted-api.ts';
import { keepEnvironment, operateTyping } from '../../support/operators/operator.ts';
import { useServer } from '../../support/servers/test-server.ts';

const PASSWORD = 'correct horse battery';

const server = useServer();
let keys: ApiKeys;
let table: Table;

beforeAll(async () => {
  keys = server.keys;
  table = openTable();
  process.env.API_KEYS_FILE = server.keys.file;
});
keepEnvironment();

const run = (argv: readonly string[], typed = '', place: 'terminal' | 'keyboard' | 'pipe' = 'pipe') =>
  operateTyping(typed, place, ...argv);

const first = ['clients', 'create', '--name', 'Farmacia', '--origin', 'web', '--payment-methods', '1,2'];
const client = [...first, '--again'];
const without = (argv: readonly string[], option: string) => argv.toSpliced(argv.indexOf(option), 2);
const changed = (argv: readonly string[], option: string, value: string) => argv.with(argv.indexOf(option) + 1, value);
const runJson = async (...argv: readonly string[]) => JSON.parse((await run([...argv, '--json'])).out);
const refused = (err: string) => ({ code: 1, out: '', err });
const statusWith = async (key: string) => (await server.request('GET', '/api/products/', { key })).status;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
const findByKey = (keyId: string) => createClientLookup(table, () => new Date())(keyId);

describe('clients create', () => {
  it('registers a client with these properties and makes a key that the gateway accepts', async () => {
    const made = await runJson(...client, '--credit', 'everyone', '--carrier', 'Seguros Uno');
    const terms = { name: 'Farmacia', origin: 'web', credit: 'everyone' };
    expect(made).toEqual({
      ...terms,
      id: expect.any(Number),
      payment_methods: [1, 2],
      api_key_id: expect.stringMatching(/^[a-z0-9]{10}$/),
      api_key: expect.stringMatching(/^[a-z0-9]{40}$/),
    });
    expect(keys.find(made.api_key)).toMatchObject({ id: made.api_key_id, name: 'Farmacia', enabled: true });
    expect(await statusWith(made.api_key)).toBe(200);
    const stored = { ...terms, id: made.id, paymentMethods: [1, 2], carrier: { name: 'Seguros Uno' } };
    expect(await findByKey(made.api_key_id)).toMatchObject(stored);
    expect((await runJson('clients', 'list')).clients.at(-1)).toEqual({
      ...terms,
      id: made.id,
      payment_methods: [1, 2],
      ...{ carrier: 'Seguros Uno', password_url: null, costs: 'hidden', state: 'enabled' },
      created_at: TIME,
      keys: [{ id: made.api_key_id, state: 'enabled', created_at: TIME }],
    });
  });

  it('refuses a second client of one name, unless told to', async () => {
    const { id, credit } = await runJson(...changed(client, '--name', 'Clínica Única'));
    expect(credit).toBe('employees');
    const second = changed(first, '--name', 'clinica unica');
    expect(await run(second)).toEqual(refused(`Client ${id} has this name already: --again gives it to another.\n`));
    expect((await run([...second, '--again'])).code).toBe(0);
  });

  it.each<[string, readonly string[], number, string, (() => void)?]>([
    ['no name', without(client, '--name'), 2, '--name: This field is required.'],
    ['method 0', changed(client, '--payment-methods', '0'), 2, '--payment-methods: They must be integers separated by'],
    ['other methods', changed(client, '--payment-methods', '1,98,99'), 1, 'catalog has no payment method 98, 99.'],
    ['no table', client, 1, 'ResourceNotFoundException', () => (process.env.TABLE_NAME = 'none')],
    ['no usage plan', client, 1, 'USAGE_PLAN_ID is not set', () => delete process.env.USAGE_PLAN_ID],
  ])('with %s creates nothing', async (_, argv, exitCode, complaint, spoil) => {
    spoil?.();
    const before = keys.list().length;
    const { code, out, err } = await run(argv);
    expect([code, out]).toEqual([exitCode, '']);
    expect(err).toContain(complaint);
    expect(keys.list()).toHaveLength(before);
  });

  it.each<[string, readonly string[], readonly Scripted[]]>([
    ['the gateway makes no key', [], ['hangs up']],
    [
      'the key cannot be put in the usage plan',
      ['k1'],
      [
        { status: 201, body: { id: 'k1', value: 'secret-of-the-key' } },
        { status: 404, headers: { 'x-amzn-ErrorType': 'NotFoundException' }, body: { message: 'no such plan' } },
      ],
    ],
  ])('tells how to finish when %s, without showing the key', async (_, older, script) => {
    const gateway = await openScriptedApi(...script);
    delete process.env.API_KEYS_FILE;
    process.env.AWS_ENDPOINT_URL_API_GATEWAY = new URL(gateway.url).origin;
    const { code, out, err } = await run(client);
    expect([code, out, err.includes('secret-of-the-key')]).toEqual([1, '', false]);
    const id = /^ {2}npm run ops -- clients rotate-key (\d+)$/m.exec(err)?.[1] ?? '';
    expect((await getClient(table, Number(id)))?.name).toBe('Farmacia');
    process.env.API_KEYS_FILE = server.keys.file;
    const rotated = await runJson('clients', 'rotate-key', id);
    expect([await statusWith(rotated.api_key), rotated.older_keys]).toEqual([200, older]);
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
    expect(second).toMatchObject({ id, older_keys: [first.id] });
    expect([await statusWith(first.value), await statusWith(second.api_key)]).toEqual([200, 200]);
    expect([(await findByKey(first.id))?.id, (await findByKey(second.api_key_id))?.id]).toEqual([id, id]);
    const retired = await runJson('clients', 'rotate-key', `${id}`, '--retire', first.id);
    expect(retired).toEqual({ id, retired_key: first.id });
    expect([await statusWith(first.value), await statusWith(second.api_key)]).toEqual([403, 200]);
    expect([keys.get(first.id), await findByKey(first.id)]).toEqual([undefined, undefined]);
    expect(await retire(second.api_key_id)).toEqual(refuseLast(second.api_key_id));
    expect(await statusWith(second.api_key)).toBe(200);
  });

  it('are not retired while the other is disabled at the gateway, which itself can be', async () => {
    const second = await rotate();
    keys.change(first.id, { enabled: false });
    expect(await retire(second.api_key_id)).toEqual(refuseLast(second.api_key_id));
    expect((await retire(first.id)).code).toBe(0);
    expect((await getClient(table, id))?.gatewayKeyIds).toEqual([second.api_key_id]);
  });

  it('are not both taken when two operators retire two at once', async () => {
    const second = await rotate();
    // Each changes something only when both have read the client.
    const both = Promise.withResolvers<void>();
    let arrived = 0;
    const read = Table.prototype.get;
    const reading = vi.spyOn(Table.prototype, 'get').mockImplementation(async function (this: Table, ...words) {
      const item = await read.apply(this, words);
      arrived += 1;
      if (arrived === 2) both.resolve();
      await both.promise;
      return item;
    });
    const ended = await Promise.all([retire(first.id), retire(second.api_key_id)]);
    reading.mockRestore();
    expect(ended.map(({ code }) => code)).toContain(1);
    expect([await statusWith(first.value), await statusWith(second.api_key)]).toContain(200);
  });

  it('of another client are not touched', async () => {
    const none = refused(`Client ${id} has no key ${server.keys.list()[0]?.id}; it has ${first.id}.\n`);
    expect(await retire(server.keys.list()[0]?.id ?? '')).toEqual(none);
  });

  it('stop and resume the service with their client, which gets no new ones meanwhile but may lose all', async () => {
    const login = { key: first.value, body: { email: 'a@b.example', password: 'x' } };
    const statuses = async () => [
      await statusWith(first.value),
      (await server.request('POST', '/api/token/', login)).status,
    ];
    const enable = (word: string) => runJson('clients', 'update', `${id}`, '--enabled', word);
    expect(await statuses()).toEqual([200, 401]);
    expect(await enable('no')).toMatchObject({ id, state: 'disabled' });
    expect([await statuses(), await findByKey(first.id)]).toEqual([[403, 403], undefined]);
    const disabled = refused(`Client ${id} is disabled: enable it first.\n`);
    expect(await run(['clients', 'rotate-key', `${id}`])).toEqual(disabled);
    expect(await enable('yes')).toMatchObject({ id, state: 'enabled' });
    expect(await statuses()).toEqual([200, 401]);
    await enable('no');
    expect((await retire(first.id)).code).toBe(0);
    expect((await getClient(table, id))?.gatewayKeyIds).toEqual([]);
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

describe('clients update', () => {
  const show = (id: string) => runJson('clients', 'list', id);
  let id: string;
  beforeAll(async () => {
    id = String((await runJson(...changed(client, '--name', 'Botica'), '--carrier', 'Seguros Uno')).id);
  });
  const update = (...options: readonly string[]) => run(['clients', 'update', id, ...options]);

  it('changes what is given, and nothing else', async () => {
    expect(await update('--payment-methods', '2', '--credit', 'everyone')).toMatchObject({ code: 0 });
    const changes = { name: 'Botica', origin: 'web', payment_methods: [2], credit: 'everyone' };
    expect(await show(id)).toMatchObject({ ...changes, carrier: 'Seguros Uno', password_url: null, costs: 'hidden' });
    await update('--name', 'Botica Dos', '--no-carrier', '--password-url', 'http://localhost:4000/', '--costs', 'yes');
    const more = { name: 'Botica Dos', carrier: null, password_url: 'http://localhost:4000/', costs: 'shown' };
    expect(await show(id)).toMatchObject({ ...changes, ...more });
    await update('--costs', 'no');
    expect(await show(id)).toMatchObject({ ...changes, ...more, costs: 'hidden' });
  });

  it.each<[string, readonly string[], number]>([
    ['nothing to change', [], 2],
    ['two carriers', ['--carrier', 'A', '--no-carrier'], 2],
    ['a method that the catalog does not have', ['--payment-methods', '1,99'], 1],
    ['the name of another client', ['--name', 'farmacia demo'], 1],
    ['an address without TLS', ['--password-url', 'http://farmacia.example/'], 2],
    ['an address with a password', ['--password-url', 'https://a:b@farmacia.example/'], 2],
  ])('refuses %s', async (_, options, code) => {
    const before = await show(id);
    expect((await update(...options)).code).toBe(code);
    expect(await show(id)).toEqual(before);
  });

  it('takes the name of another client when told to, and its own at once', async () => {
    const { name } = await show(id);
    expect((await update('--name', name.toUpperCase())).code).toBe(0);
    expect((await update('--name', 'farmacia demo', '--again')).code).toBe(0);
    expect((await show(id)).name).toBe('farmacia demo');
  });
});

describe('the users of a client', () => {
  let clientId: number;
  let key: string;
  beforeEach(async () => {
    ({ id: clientId, api_key: key } = await runJson(...client));
  });
  const NAMES = ['--first-name', 'Ana', '--last-name', 'Sol', '--second-last-name', 'Ruiz'];
  const of = (email: string) => ['--client', `${clientId}`, '--email', email];
  const create = (email: string, role: string, ...more: readonly string[]) => [
    ...['users', 'create', ...of(email), '--role', role, ...NAMES, ...more],
  ];
  const update = (email: string, ...options: readonly string[]) => run(['users', 'update', ...of(email), ...options]);
  const list = async (...more: readonly string[]) =>
    (await runJson('users', 'list', '--client', `${clientId}`, ...more)).users;
  const createBoth = async () => {
    await run(create('dra@example.com', 'doctor', '--phone', '+52 55 1234 5678'));
    await run(create('luz@example.com', 'patient', '--phone', '+525512345679'));
  };
  const login = (email: string, password: string) =>
    server.request('POST', '/api/token/', { key, body: { email, password } });
  const stored = (email: string) => userByEmail(table, clientId, email);

  it('are listed by their roles, by default those who are no patients', async () => {
    await createBoth();
    const doctors = await list();
    expect(doctors).toEqual([
      {
        id: expect.any(Number),
        role: 'doctor',
        ...{ state: 'enabled', login: 'no password', email: 'dra@example.com', name: 'Ana Sol Ruiz' },
        phone: '+525512345678',
        date_joined: expect.stringMatching(/^\d{4}-/),
      },
    ]);
    expect(await list('--role', 'patient')).toMatchObject([{ email: 'luz@example.com' }]);
    expect(await list('--role', 'insurance_employee')).toEqual([]);
    await update('dra@example.com', '--enabled', 'no');
    expect(await list()).toEqual([{ ...doctors[0], state: 'disabled' }]);
  });

  it('change their name, phone and e-mail, which ends their tokens and frees the former ones, to none that another has', async () => {
    await createBoth();
    const taken = ['--new-email', 'luz@example.com', '--phone', '+525512345679', '--last-name', 'Paz'];
    const both = 'The client has a user with this phone already.\nThe client has a user with this e-mail already.\n';
    expect(await update('dra@example.com', ...taken)).toEqual(refused(both));
    expect(await list()).toMatchObject([{ email: 'dra@example.com', name: 'Ana Sol Ruiz' }]);
    await run(['users', 'update', ...of('dra@example.com'), '--password-stdin'], PASSWORD);
    const token = (await login('dra@example.com', PASSWORD)).body.access;
    const orders = async () => (await server.request('GET', '/api/orders/', { key, token })).status;
    expect(await orders()).toBe(200);
    const changes = ['--new-email', 'Ana.Sol@Example.com', '--last-name', 'Paz', '--phone', '+525512345680'];
    expect((await update('dra@example.com', ...changes)).code).toBe(0);
    expect(await list()).toMatchObject([{ name: 'Ana Paz Ruiz', phone: '+525512345680' }]);
    expect([await orders(), (await login('dra@example.com', PASSWORD)).status]).toEqual([401, 401]);
    expect((await login('ana.sol@example.com', PASSWORD)).status).toBe(200);
    const freed = ['--new-email', 'dra@example.com', '--phone', '+525512345678'];
    expect((await update('luz@example.com', ...freed)).code).toBe(0);
    expect(await list('--role', 'patient')).toMatchObject([{ email: 'dra@example.com' }]);
  });

  it('are registered with a password from stdin, by which they log in, with its blanks but for the last line end', async () => {
    const argv = create('Eva@Example.com', 'doctor', '--password-stdin', '--json');
    const { code, out, err } = await run(argv, ` ${PASSWORD} \r\n`);
    expect([code, err]).toEqual([0, '']);
    const { id, ...printed } = JSON.parse(out);
    expect(printed).toEqual({ email: 'eva@example.com', role: 'doctor', client: clientId });
    const names = { firstName: 'Ana', lastName: 'Sol', secondLastName: 'Ruiz' };
    expect(await stored('eva@example.com')).toMatchObject({ id, ...names, phone: '' });
    expect((await login('eva@example.com', ` ${PASSWORD} `)).status).toBe(200);
  });

  it.each([
    ['another role', () => create('eva@example.com', 'admin'), '', 2, '--role: It must be one of: patient, doctor'],
    ['a password in the open', () => create('e@x.mx', 'doctor', '--password', PASSWORD), '', 2, 'Unknown option'],
    ['a taken e-mail', () => create('luz@example.com', 'doctor'), '', 1, 'with this e-mail already.'],
    ['a taken phone', () => create('e@x.mx', 'doctor', '--phone', '+525512345679'), '', 1, 'with this phone already.'],
    [
      'a short password',
      () => create('e@x.mx', 'doctor', '--password-stdin'),
      '',
      1,
      'must have 12 or more characters',
    ],
  ])('are not registered with %s', async (_, argv, typed, exitCode, complaint) => {
    await createBoth();
    const { code, out, err } = await run(argv(), typed);
    expect([code, out]).toEqual([exitCode, '']);
    expect(err).toContain(complaint);
    expect(await list()).toMatchObject([{ email: 'dra@example.com' }]);
  });

  it('are not changed by an unknown e-mail', async () => {
    const nobody = refused(`Client ${clientId} has nobody with this e-mail.\n`);
    expect(await update('nobody@example.com', '--enabled', 'no')).toEqual(nobody);
  });
});

describe('the password and the state of a user', () => {
  const OTHER = 'battery staple horse';
  let key: string;
  let who: readonly string[];
  beforeAll(async () => {
    const made = await runJson(...client);
    key = made.api_key;
    who = ['--client', String(made.id), '--email', 'Eva@Example.com'];
    const names = ['--role', 'insurance_employee', '--first-name', 'Eva', '--last-name', 'Ruiz'];
    expect((await run(['users', 'create', ...who, ...names])).code).toBe(0);
  });

  const login = (password: string) =>
    server.request('POST', '/api/token/', { key, body: { email: 'eva@example.com', password } });
  const mayLogIn = async (password: string) => (await login(password)).status === 200;
  const fromStdin = () => ['users', 'update', ...who, '--password-stdin'];

  it('is replaced by one from stdin, or from a question that is asked twice and shows nothing', async () => {
    expect(await run(fromStdin(), `${OTHER}\n`)).toMatchObject({ code: 0, err: '' });
    expect(await mayLogIn(OTHER)).toBe(true);
    const { code, out, err } = await run(fromStdin(), `${PASSWORD}\n${PASSWORD}\n`, 'keyboard');
    expect([code, err]).toEqual([0, 'Password: \nThe same again: \n']);
    expect(out).not.toContain(PASSWORD);
    expect([await mayLogIn(OTHER), await mayLogIn(PASSWORD)]).toEqual([false, true]);
  });

  it('stays when the two differ, when none is typed, and at Ctrl-C, which ends with 130 and no word', async () => {
    const differing = await run(fromStdin(), `${OTHER}\nanother one\n`, 'terminal');
    expect(differing).toMatchObject({ code: 1, err: expect.stringContaining('The two passwords differ.\n') });
    expect(await run(fromStdin(), `${OTHER}\nanother one\n`, 'keyboard')).toMatchObject({ code: 1 });
    expect(await run(fromStdin(), '', 'terminal')).toMatchObject({ code: 1 });
    expect(await run(fromStdin(), `${OTHER}\n\u0003`, 'terminal')).toEqual({
      code: 130,
      out: '',
      err: 'Password: \nThe same again: \n',
    });
    expect(await mayLogIn(PASSWORD)).toBe(true);
  });

  // `proofs/refusals` has every route with the token of somebody who was disabled.
  it('disabled: no login; enabled: everything works again', async () => {
    const { access: token } = (await login(PASSWORD)).body;
    const orders = async () => (await server.request('GET', '/api/orders/', { key, token })).status;
    const become = async (enabled: string) => (await runJson('users', 'update', ...who, '--enabled', enabled)).state;
    expect([await become('no'), await orders()]).toEqual(['disabled', 401]);
    expect(await login(PASSWORD)).toMatchObject({ status: 401, body: { code: 'wrong_credentials' } });
    expect([await become('yes'), await orders(), await mayLogIn(PASSWORD)]).toEqual(['enabled', 200, true]);
  });

  it('is generated with --generate-password, and shown once', async () => {
    const [one, other] = [
      await runJson('users', 'update', ...who, '--generate-password'),
      await runJson('users', 'update', ...who, '--generate-password'),
    ];
    for (const { password } of [one, other]) expect(password).toMatch(/^[\w-]{20}$/);
    expect(one.password).not.toBe(other.password);
    expect(await mayLogIn(other.password)).toBe(true);
  });
});
