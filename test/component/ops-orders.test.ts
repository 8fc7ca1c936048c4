import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { ListObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OrderStatus, PaymentStatus } from '../../shared/domain/order.ts';
import { setClock } from '../../shared/runtime/clock.ts';
import { createdPartition, parseCreationKey, type Viewer } from '../../shared/store/keys.ts';
import { readCounts } from '../../shared/store/order-lists/counters.ts';
import type { Order } from '../../shared/store/orders/order.ts';
import { changeOrderWrites } from '../../shared/store/orders/order-writes.ts';
import { getOrderOfAnyClient, getOrders } from '../../shared/store/orders/orders.ts';
import { openTable, type Table } from '../../shared/store/table.ts';
import { operate } from '../support/operators/operator.ts';
import { forceVersion } from '../support/orders/forced-order.ts';
import { orderBody, PDF, PNG } from '../support/orders/samples.ts';
import { openTestServer, type TestServer } from '../support/servers/test-server.ts';

// This is noon on a Monday in Mexico City.
const NOON = new Date('2026-11-23T18:00:00.000Z');
const LATER = new Date('2026-11-24T15:30:00.000Z');
const OPERATOR = userInfo().username;
const NEEDS_PRESCRIPTION = { details: [{ product: 4, quantity: 1 }] };

let server: TestServer;
let table: Table;
let folder: string;
let tokens: Record<'doctor' | 'employee', string>;
let pdf: string;

beforeAll(async () => {
  setClock(NOON);
  server = await openTestServer();
  table = openTable();
  folder = await mkdtemp(join(tmpdir(), 'prescriptions-'));
  pdf = await file('Receta de Ana.pdf', Buffer.from(PDF, 'base64'));
  tokens = {
    doctor: await server.login('doctora@demo.example'),
    employee: await server.login('aseguradora@demo.example'),
  };
});
afterEach(() => setClock(NOON));
afterAll(async () => {
  setClock();
  await rm(folder, { recursive: true, force: true });
  await server.close();
});

const ops = (...argv: readonly string[]) => operate('pipe', ...argv);
const done = (out: string, err = '') => ({ code: 0, out, err });
const refused = (err: string) => ({ code: 1, out: '', err });

async function file(name: string, content: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const folioOf = (id: number) => `RX-${String(id).padStart(8, '0')}`;

/** Returns the ids of the orders that a command lists, and whether it says that there are more. */
async function listedIds(...argv: readonly string[]) {
  const { code, out, err } = await ops(...argv, '--json');
  expect([code, err]).toEqual([0, '']);
  const { orders, has_more: hasMore } = JSON.parse(out);
  return { ids: orders.map(({ id }: { id: number }) => id), hasMore };
}

/** Expects that a command does not understand its words. */
async function misunderstood(argv: readonly string[], complaint: string): Promise<void> {
  const { code, out, err } = await ops(...argv);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(complaint);
}

type Placing = { order?: object; email?: string; phone?: string; token?: string; key?: string };

async function placed({ order = {}, email = 'ana@example.mx', phone, token = tokens.employee, key }: Placing = {}) {
  const { user, ...rest } = orderBody(email, order as Record<string, unknown>);
  const body = { ...rest, user: phone === undefined ? user : { ...user, phone } };
  const call = key === undefined ? { token, body } : { token, body, key };
  const answer = await server.request('POST', '/api/orders/resources/', call);
  expect(answer.status).toBe(201);
  return Number(answer.body.id);
}

async function stored(id: number): Promise<Order> {
  const order = await getOrderOfAnyClient(table, id);
  if (!order) throw new Error(`no order ${id}`);
  return order;
}

/** Writes an order in a state, whatever its moves allow. */
async function force(id: number, state: Partial<Order>): Promise<Order> {
  const before = await stored(id);
  const after = forceVersion(before, state);
  await table.transact(changeOrderWrites(before, after));
  return after;
}

const attach = (id: number, path = pdf, ...more: string[]) =>
  ops('orders', 'attach-prescription', String(id), '--file', path, '--issue-date', '2026-11-20', ...more);

describe('orders list of a client', () => {
  let client: number;
  const ids: Record<'oldest' | 'middle' | 'newest', number> = { oldest: 0, middle: 0, newest: 0 };
  beforeAll(async () => {
    const { client: own, key } = await server.addClient('Otra');
    client = own.id;
    await server.addUser(own, 'insurance_employee', 'otra@example.mx');
    const token = await server.login('otra@example.mx', key);
    for (const [index, name] of (['oldest', 'middle', 'newest'] as const).entries()) {
      setClock(new Date(NOON.getTime() + index));
      ids[name] = await placed({ token, key });
    }
    await force(ids.middle, { paymentStatus: 'paid' });
    await force(ids.oldest, { orderStatus: 'cancelled', paymentStatus: 'paid' });
  });

  const listed = (...more: string[]) => listedIds('orders', 'list', '--client', String(client), ...more);

  it('shows the orders of the client, the newest first', async () => {
    const { out } = await ops('orders', 'list', '--client', String(client), '--json');
    expect(JSON.parse(out).orders[1]).toEqual({
      id: ids.middle,
      folio: folioOf(ids.middle),
      client,
      created_at: '2026-11-23T18:00:00.001Z',
      order_status: 'approved',
      payment_status: 'paid',
      patient: 'Ana Paz',
      // 2 × 28.50 and 79.00 of shipping.
      total: '136.00',
    });
    expect(await listed()).toEqual({ ids: [ids.newest, ids.middle, ids.oldest], hasMore: false });
  });

  it.each([
    ['one status', ['--status', 'approved'], ['newest', 'middle'], false],
    ['one payment', ['--payment', 'paid'], ['middle', 'oldest'], false],
    ['both', ['--status', 'approved', '--payment', 'paid'], ['middle'], false],
    ['those to be refunded', ['--refund-due'], ['oldest'], false],
    ['a status that no order has', ['--status', 'shipped'], [], false],
    ['a limit', ['--limit', '2'], ['newest', 'middle'], true],
    ['a limit that all are within', ['--limit', '3'], ['newest', 'middle', 'oldest'], false],
    ['a limit among one status', ['--status', 'approved', '--limit', '1'], ['newest'], true],
    ['a limit among both', ['--status', 'approved', '--payment', 'paid', '--limit', '1'], ['middle'], false],
  ])('is limited to %s', async (_, options, names, hasMore) => {
    expect(await listed(...options)).toEqual({ ids: names.map((name) => ids[name as keyof typeof ids]), hasMore });
  });

  it('is a table on a terminal, and tab-separated lines elsewhere, counted beside it', async () => {
    const argv = ['orders', 'list', '--client', String(client), '--status', 'cancelled'];
    const folio = folioOf(ids.oldest);
    const id = String(ids.oldest);
    expect(await operate('pipe', ...argv)).toEqual(
      done(`${id}\t${folio}\t${client}\t2026-11-23T18:00:00.000Z\tcancelled\tpaid\tAna Paz\t136.00\n`, '1 order.\n'),
    );
    expect(await operate('terminal', ...argv)).toEqual(
      done(
        `${'id'.padEnd(id.length)}  folio        client  created_at                order_status  payment_status  patient  total\n` +
          `${id.padEnd(2)}  ${folio}  ${String(client).padEnd(6)}  2026-11-23T18:00:00.000Z  cancelled     paid            Ana Paz  136.00\n`,
        '1 order.\n',
      ),
    );
  });

  it.each([
    [[], '3 orders.\n'],
    [['--limit', '2'], '2 orders, and there are more: --limit shows up to 1000.\n'],
    [['--limit', '1'], '1 order, and there are more: --limit shows up to 1000.\n'],
    [['--status', 'shipped'], 'No orders.\n'],
  ])('with %j is counted', async (options, err) => {
    expect(await ops('orders', 'list', '--client', String(client), ...options)).toMatchObject({ code: 0, err });
  });

  it('refuses a client that does not exist', async () => {
    expect(await ops('orders', 'list', '--client', '99999')).toEqual(refused('There is no client 99999.\n'));
  });

  it.each([
    [['orders', 'list', '--client', '1', '--status', 'lost'], '--status: It must be one of: quoted, pending_approval,'],
    [['orders', 'list', '--client', '1', '--payment', 'lost'], '--payment: It must be one of: unpaid, credit, paid,'],
    [['orders', 'list', '--client', '1', '--limit', '0'], '--limit: It must be an integer.'],
    [['orders', 'list', '--client', '1', '--limit', '1001'], '--limit: It must be 1000 or less.'],
    [['orders', 'list', '7'], 'unexpected argument "7"'],
    [
      ['orders', 'list', '--refund-due', '--payment', 'paid'],
      '--refund-due: It stands for --status cancelled --payment paid.',
    ],
    [
      ['orders', 'list', '--status', 'delivered'],
      '--status: Without --client it must be one of: quoted, pending_approval, approved, in_process, ready, shipped, delayed, shortage.',
    ],
  ])('refuses %j', misunderstood);
});

describe('orders list of all clients', () => {
  const ids: Record<'delayed' | 'approved' | 'credit' | 'delivered' | 'cancelled', number> = {
    delayed: 0,
    approved: 0,
    credit: 0,
    delivered: 0,
    cancelled: 0,
  };
  let other: number;
  // Before every other order of this file.
  const AGES: Readonly<Record<keyof typeof ids, [clients: 'own' | 'other', minutes: number]>> = {
    delayed: ['other', 4 * 24 * 60],
    delivered: ['own', 50 * 60],
    approved: ['own', 47 * 60],
    cancelled: ['other', 46 * 60],
    credit: ['other', 119],
  };
  beforeAll(async () => {
    const { client, key } = await server.addClient('Cuarta');
    other = client.id;
    await server.addUser(client, 'insurance_employee', 'cuarta@example.mx');
    const token = await server.login('cuarta@example.mx', key);
    for (const [name, [owner, minutes]] of Object.entries(AGES)) {
      setClock(new Date(NOON.getTime() - minutes * 60_000));
      ids[name as keyof typeof ids] = await placed(owner === 'own' ? {} : { token, key });
    }
    await force(ids.delayed, { orderStatus: 'delayed', paymentStatus: 'paid' });
    await force(ids.delivered, { orderStatus: 'delivered' });
    await force(ids.cancelled, { orderStatus: 'cancelled' });
    await force(ids.credit, { orderStatus: 'ready', paymentStatus: 'credit' });
    setClock(NOON);
  });

  const listed = (...more: string[]) => listedIds('orders', 'list', ...more);

  it('shows those that wait for somebody, the oldest first, with their clients and ages', async () => {
    expect(await listed('--limit', '3')).toEqual({ ids: [ids.delayed, ids.approved, ids.credit], hasMore: true });
    const { out, err } = await operate('terminal', 'orders', 'list', '--limit', '3');
    const [head, ...rows] = out.trimEnd().split('\n');
    expect(head?.split(/ {2,}/)).toEqual([
      ...['id', 'folio', 'client', 'created_at', 'age', 'order_status', 'payment_status', 'patient', 'total'],
    ]);
    expect(rows.map((row) => row.split(/ {2,}/).slice(2, 7))).toEqual([
      [String(other), '2026-11-19T18:00:00.000Z', '4 d', 'delayed', 'paid'],
      [String(server.client.id), '2026-11-21T19:00:00.000Z', '47 h', 'approved', 'unpaid'],
      [String(other), '2026-11-23T16:01:00.000Z', '119 min', 'ready', 'credit'],
    ]);
    expect(err).toBe('3 orders, and there are more: --limit shows up to 1000.\n');
  });

  it('is JSON with the age in minutes', async () => {
    const { out } = await ops('orders', 'list', '--limit', '1', '--json');
    expect(JSON.parse(out)).toEqual({
      orders: [
        {
          id: ids.delayed,
          folio: folioOf(ids.delayed),
          client: other,
          created_at: '2026-11-19T18:00:00.000Z',
          age_minutes: 5_760,
          order_status: 'delayed',
          payment_status: 'paid',
          patient: 'Ana Paz',
          total: '136.00',
        },
      ],
      has_more: true,
    });
  });

  it.each([
    ['one status', ['--status', 'delayed'], ['delayed'], false],
    ['one payment', ['--payment', 'credit'], ['credit'], false],
    ['both', ['--status', 'ready', '--payment', 'credit'], ['credit'], false],
    ['both, which no order has', ['--status', 'delayed', '--payment', 'credit'], [], false],
    ['a limit', ['--limit', '2'], ['delayed', 'approved'], true],
  ])('is limited to %s', async (_, options, names, hasMore) => {
    expect(await listed(...options)).toEqual({ ids: names.map((name) => ids[name as keyof typeof ids]), hasMore });
  });
});

describe('orders list --refund-due', () => {
  it('shows the cancelled orders of all clients that were paid, however old', async () => {
    setClock(new Date(NOON.getTime() + 10 * 60_000));
    const id = await placed();
    const waiting = async () => (await listedIds('orders', 'list', '--refund-due', '--limit', '1')).ids;
    await force(id, { paymentStatus: 'paid' });
    expect(await waiting()).not.toEqual([id]);
    await ops('orders', 'move', String(id), '--to', 'cancelled');
    expect(await waiting()).toEqual([id]);
    const { out } = await ops('orders', 'list', '--refund-due', '--limit', '1');
    expect(out).toContain(`${id}\t${folioOf(id)}\t${server.client.id}\t2026-11-23T18:10:00.000Z\tcancelled\tpaid`);
  });
});

describe('orders find', () => {
  const SHARED = 'compartida@example.mx';
  const PHONE = '+525555550777';
  const ids: Record<'first' | 'second' | 'elsewhere' | 'others', number> = {
    first: 0,
    second: 0,
    elsewhere: 0,
    others: 0,
  };
  beforeAll(async () => {
    const { client, key } = await server.addClient('Quinta');
    await server.addUser(client, 'insurance_employee', 'quinta@example.mx');
    const there = { token: await server.login('quinta@example.mx', key), key };
    const later = (minutes: number) => setClock(new Date(NOON.getTime() + minutes * 60_000));
    later(1);
    ids.first = await placed({ email: SHARED, phone: PHONE });
    later(2);
    ids.elsewhere = await placed({ email: SHARED, phone: PHONE, ...there });
    later(3);
    ids.second = await placed({ email: SHARED });
    later(4);
    ids.others = await placed({ email: 'nadie.mas@example.mx' });
  });

  const found = (...more: string[]) => listedIds('orders', 'find', ...more);

  it.each([(id: number) => folioOf(id), (id: number) => folioOf(id).toLowerCase(), (id: number) => String(id)])(
    'finds the order of any client by its folio or id (%#)',
    async (write) => {
      expect(await found('--folio', write(ids.first))).toEqual({ ids: [ids.first], hasMore: false });
      expect(await found('--folio', write(ids.elsewhere))).toEqual({ ids: [ids.elsewhere], hasMore: false });
    },
  );

  it.each([
    ['e-mail', '--email', SHARED],
    ['e-mail in other letters', '--email', 'Compartida@Example.MX'],
    ['phone', '--phone', PHONE],
    ['phone in another form', '--phone', '+52 1 (55) 5555-0777'],
  ])('finds the orders of the patients of all clients by their %s, the newest first', async (_, option, value) => {
    const all = [ids.second, ids.elsewhere, ids.first];
    expect(await found(option, value)).toEqual({ ids: all, hasMore: false });
    expect(await found(option, value, '--limit', '3')).toEqual({ ids: all, hasMore: false });
    expect(await found(option, value, '--limit', '2')).toEqual({ ids: all.slice(0, 2), hasMore: true });
    expect(await found(option, value, '--limit', '1')).toEqual({ ids: all.slice(0, 1), hasMore: true });
  });

  it('finds orders whatever their status', async () => {
    await force(ids.others, { orderStatus: 'delivered', paymentStatus: 'paid' });
    expect(await found('--email', 'nadie.mas@example.mx')).toEqual({ ids: [ids.others], hasMore: false });
  });

  it.each([
    ['an order that does not exist', ['--folio', 'RX-99999999']],
    ['an e-mail that nobody has', ['--email', 'nadie@example.mx']],
    ['a phone that nobody has', ['--phone', '+525555550778']],
    ['the e-mail of a doctor, who orders for others', ['--email', 'doctora@demo.example']],
  ])('says that it finds nothing by %s', async (_, options) => {
    expect(await ops('orders', 'find', ...options)).toEqual(done('', 'No orders.\n'));
  });

  it.each([
    [['orders', 'find'], 'Give exactly one of --folio, --email and --phone.'],
    [['orders', 'find', '--folio', '1', '--email', SHARED], 'Give exactly one of --folio, --email and --phone.'],
    [['orders', 'find', '--email', SHARED, '--phone', PHONE], 'Give exactly one of --folio, --email and --phone.'],
    [['orders', 'find', '--folio', 'RY-00000001'], '--folio: The value is not valid.'],
    [['orders', 'find', '--email', 'ana'], '--email: It must be a valid e-mail address.'],
    [['orders', 'find', '--phone', '5555550777'], '--phone: It must be a valid phone of the form'],
  ])('refuses %j', misunderstood);
});

describe('orders show', () => {
  it('shows the whole order, with links that open the documents', async () => {
    const prescriptions = [{ document: PDF, issue_date: '2026-11-20', expiring_date: '2027-01-31' }];
    const id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions, comments: 'Tocar dos veces' } });
    const { code, out } = await ops('orders', 'show', String(id), '--json');
    expect(code).toBe(0);
    const shown = JSON.parse(out);
    expect(shown).toMatchObject({
      id,
      client: server.client.id,
      version: 1,
      comments: 'Tocar dos veces',
      order_status: 'pending_approval',
      payment_status: 'unpaid',
      payment_date: null,
      shipping_date: null,
      receiving_date: null,
      created_at: '2026-11-23T18:00:00.000Z',
      patient: { user: { first_name: 'Ana', last_name: 'Paz', email: 'ana@example.mx' } },
      shipping: { street: 'Calle de Durango', zipcode: '06700' },
      total: '137.00',
      details: [{ product: 4, quantity: 1, requires_prescription: true, price: '58.00', total: '58.00' }],
      prescriptions: [{ issue_date: '2026-11-20', expiring_date: '2027-01-31', is_verified: false, order: id }],
    });
    const document = await fetch(shown.prescriptions[0].document);
    expect(Buffer.from(await document.arrayBuffer()).toString('base64')).toBe(PDF);
  });

  it('is text for a person, without control characters from comments', async () => {
    const id = await placed();
    await force(id, { comments: 'Urgente\u001b[2J\u009b1m\u202e' });
    const { code, out } = await operate('terminal', 'orders', 'show', String(id));
    expect(code).toBe(0);
    expect(out).toContain('order_status            approved\n');
    expect(out).toMatch(/^comments +Urgente \[2J 1m/m);
    expect(out).toMatch(/^product +name +presentation +quantity/m);
    for (const command of ['\u001b', '\u009b', '\u202e']) expect(out).not.toContain(command);
  });

  it.each(['show', 'move', 'pay', 'attach-prescription', 'verify-prescription'])(
    'and %s refuse an order that does not exist',
    async (name) => {
      const options: Record<string, string[]> = {
        move: ['--to', 'shipped'],
        pay: ['--status', 'paid'],
        'attach-prescription': ['--file', pdf, '--issue-date', '2026-11-20'],
      };
      expect(await ops('orders', name, '99999999', ...(options[name] ?? []))).toEqual(
        refused('There is no order 99999999.\n'),
      );
      const { code, err } = await ops('orders', name, 'RX-1', ...(options[name] ?? []));
      expect(code).toBe(2);
      expect(err).toContain('<id> must be the id of an order, not "RX-1"');
    },
  );
});

describe('orders move', () => {
  it.each([
    ['quoted', 'pending_approval', {}],
    ['quoted', 'approved', {}],
    ['pending_approval', 'quoted', {}],
    ['pending_approval', 'cancelled', {}],
    ['approved', 'quoted', {}],
    ['approved', 'in_process', {}],
    ['approved', 'shortage', {}],
    ['shortage', 'approved', {}],
    ['in_process', 'ready', {}],
    ['in_process', 'delayed', {}],
    ['delayed', 'in_process', {}],
    ['ready', 'shipped', { shippingDate: '2026-11-24T15:30:00.000Z' }],
    ['delayed', 'shipped', { shippingDate: '2026-11-24T15:30:00.000Z' }],
    ['shipped', 'delivered', { receivingDate: '2026-11-24T15:30:00.000Z' }],
  ])('moves the order from %s to %s', async (from, to, dates) => {
    const id = await placed();
    const before = await force(id, { orderStatus: from as OrderStatus });
    setClock(LATER);
    expect(await ops('orders', 'move', String(id), '--to', to)).toEqual(done(`Order ${id} is ${to} now.\n`));
    expect(await stored(id)).toEqual({
      ...before,
      ...dates,
      orderStatus: to,
      updatedAt: '2026-11-24T15:30:00.000Z',
      version: 3,
      history: expect.arrayContaining([...before.history, expect.objectContaining({ from, to, version: 3 })]),
    });
  });

  it.each([
    ['quoted', 'in_process', 'pending_approval, approved'],
    ['pending_approval', 'in_process', 'quoted, approved, cancelled'],
    ['approved', 'approved', 'quoted, in_process, cancelled, shortage'],
    ['approved', 'shipped', 'quoted, in_process, cancelled, shortage'],
    ['in_process', 'cancelled', 'ready, delayed, shortage'],
    ['ready', 'delivered', 'shipped, delayed'],
    ['shipped', 'cancelled', 'delivered'],
    ['delivered', 'shipped', 'nothing more'],
    ['cancelled', 'approved', 'nothing more'],
    ['shortage', 'in_process', 'approved, cancelled'],
  ])('refuses a move from %s to %s', async (from, to, allowed) => {
    const id = await placed();
    const before = await force(id, { orderStatus: from as OrderStatus });
    expect(await ops('orders', 'move', String(id), '--to', to)).toEqual(
      refused(`Order ${id} cannot go from ${from} to ${to}; allowed: ${allowed}.\n`),
    );
    expect(await stored(id)).toEqual(before);
  });

  it('explains an unknown status', async () => {
    const { code, err } = await ops('orders', 'move', '1', '--to', 'lost');
    expect(code).toBe(2);
    expect(err).toContain('--to: It must be one of: quoted, pending_approval, approved,');
  });

  it('finds the order of any client, and prints it as JSON', async () => {
    const { client, key } = await server.addClient('Tercera');
    await server.addUser(client, 'insurance_employee', 'tercera@example.mx');
    const id = await placed({ token: await server.login('tercera@example.mx', key), key });
    const { out } = await ops('orders', 'move', String(id), '--to', 'in_process', '--json');
    expect(JSON.parse(out)).toMatchObject({ id, client: client.id, order_status: 'in_process', version: 2 });
  });
});

describe('a product that requires a prescription', () => {
  const missing = (id: number) =>
    refused(`Order ${id} has no verified prescription that is still valid for: 1 × product 4.\n`);
  const move = (id: number, to: string) => ops('orders', 'move', String(id), '--to', to);

  it('is neither approved nor prepared without a verified prescription', async () => {
    const id = await placed({ order: NEEDS_PRESCRIPTION });
    expect(await move(id, 'approved')).toEqual(missing(id));
    await attach(id);
    expect(await move(id, 'approved')).toEqual(missing(id));
    await force(id, { orderStatus: 'delayed' });
    expect(await move(id, 'in_process')).toEqual(missing(id));
    await ops('orders', 'verify-prescription', String(id));
    expect(await move(id, 'in_process')).toMatchObject({ code: 0 });
  });

  it('is approved with a valid one, until its last day in Mexico ends', async () => {
    const id = await placed({ order: NEEDS_PRESCRIPTION });
    await attach(id, pdf, '--expiring-date', '2026-11-30');
    await ops('orders', 'verify-prescription', String(id));
    setClock(new Date('2026-12-01T06:00:00.000Z'));
    expect(await move(id, 'approved')).toEqual(missing(id));
    setClock(new Date('2026-12-01T05:59:59.999Z'));
    expect(await move(id, 'approved')).toMatchObject({ code: 0 });
  });

  it('is approved in the quantity that was verified, and in no larger one', async () => {
    const details = [
      { product: 4, quantity: 1 },
      { product: 6, quantity: 1 },
      { product: 4, quantity: 1 },
    ];
    const id = await placed({ order: { details } });
    await attach(id);
    await ops('orders', 'verify-prescription', String(id));
    const { lines } = await stored(id);
    await force(id, { lines: lines.map((line) => ({ ...line, quantity: 2 })) });
    expect(await move(id, 'approved')).toEqual(
      refused(
        `Order ${id} has no verified prescription that is still valid for: ` +
          '4 × product 4 (verified: 2), 2 × product 6 (verified: 1).\n',
      ),
    );
    await force(id, { lines });
    expect(await move(id, 'approved')).toMatchObject({ code: 0 });
  });

  it('is cancelled without a prescription', async () => {
    const id = await placed({ order: NEEDS_PRESCRIPTION });
    expect(await move(id, 'cancelled')).toMatchObject({ code: 0 });
  });
});

describe('an operation with --version', () => {
  const OPERATIONS: readonly (readonly string[])[] = [
    ['move', '--to', 'in_process'],
    ['pay', '--status', 'paid'],
    ['verify-prescription'],
  ];
  const prescriptions = [{ document: PDF, issue_date: '2026-11-20' }];

  it.each(OPERATIONS)('is done on that version: %s', async (name, ...options) => {
    const id = await placed({ order: { prescriptions } });
    expect(await ops('orders', name, String(id), ...options, '--version', '1')).toMatchObject({ code: 0 });
    expect((await stored(id)).version).toBe(2);
  });

  it.each(OPERATIONS)('is refused on another one: %s', async (name, ...options) => {
    const id = await placed({ order: { prescriptions } });
    const before = await force(id, {});
    for (const version of ['1', '3']) {
      expect(await ops('orders', name, String(id), ...options, '--version', version)).toEqual(
        refused(`Order ${id} has changed: it is at version 2 now, not at ${version}; look at it again.\n`),
      );
    }
    expect(await stored(id)).toEqual(before);
  });
});

describe('orders pay', () => {
  it.each([
    ['unpaid', 'credit', null],
    ['unpaid', 'processing', null],
    ['unpaid', 'paid', '2026-11-24T15:30:00.000Z'],
    ['processing', 'rejected', null],
    ['in_process', 'paid', '2026-11-24T15:30:00.000Z'],
    ['credit', 'paid', '2026-11-24T15:30:00.000Z'],
    ['rejected', 'unpaid', null],
  ])('moves the payment from %s to %s', async (from, to, paymentDate) => {
    const id = await placed();
    const before = await force(id, { paymentStatus: from as PaymentStatus });
    setClock(LATER);
    expect(await ops('orders', 'pay', String(id), '--status', to)).toEqual(
      done(`The payment of order ${id} is ${to} now.\n`),
    );
    expect(await stored(id)).toEqual({
      ...before,
      paymentStatus: to,
      paymentDate,
      updatedAt: '2026-11-24T15:30:00.000Z',
      version: 3,
      history: expect.arrayContaining([...before.history, expect.objectContaining({ from, to, version: 3 })]),
    });
  });

  it.each([
    ['unpaid', 'rejected', 'credit, paid, in_process, processing'],
    ['credit', 'unpaid', 'paid'],
    ['paid', 'unpaid', 'nothing more'],
    ['paid', 'paid', 'nothing more'],
    ['rejected', 'paid', 'unpaid, processing'],
  ])('refuses a move from %s to %s', async (from, to, allowed) => {
    const id = await placed();
    const before = await force(id, { paymentStatus: from as PaymentStatus });
    expect(await ops('orders', 'pay', String(id), '--status', to)).toEqual(
      refused(`The payment of order ${id} cannot go from ${from} to ${to}; allowed: ${allowed}.\n`),
    );
    expect(await stored(id)).toEqual(before);
  });

  it.each([
    ['the given one', '04', ['--form', '28'], '28'],
    ['none beside that of its method', '04', [], null],
    ['the given one, which its method does not have', '99', ['--form', '03'], '03'],
  ])('records %s as the form', async (_, methodForm, options, paymentForm) => {
    const id = await placed();
    const { paymentMethod } = await stored(id);
    await force(id, { paymentMethod: { ...paymentMethod, sat_payment_form: methodForm } });
    expect(await ops('orders', 'pay', String(id), '--status', 'paid', ...options)).toMatchObject({ code: 0 });
    expect((await stored(id)).paymentForm).toBe(paymentForm);
    const { out } = await ops('orders', 'show', String(id), '--json');
    expect(JSON.parse(out).payment_form).toBe(paymentForm);
  });

  it('asks for the form where the method has none', async () => {
    const id = await placed();
    const { paymentMethod } = await stored(id);
    const before = await force(id, { paymentMethod: { ...paymentMethod, sat_payment_form: '99' } });
    expect(await ops('orders', 'pay', String(id), '--status', 'paid')).toEqual(
      refused(
        `The payment method of order ${id}, Tarjeta, does not say in which form it is paid: ` +
          "--form does (SAT's c_FormaPago).\n",
      ),
    );
    expect(await stored(id)).toEqual(before);
    expect(await ops('orders', 'pay', String(id), '--status', 'processing')).toMatchObject({ code: 0 });
  });

  it.each([
    [['--status', 'paid', '--form', '99'], '--form: It must be one of: 12, 13, 14, 15, 17, 23,'],
    [['--status', 'paid', '--form', '7'], '--form: It must be one of: 12, 13,'],
    [['--status', 'processing', '--form', '03'], '--form: It goes with --status paid.'],
  ])('refuses %j', async (options, complaint) => {
    await misunderstood(['orders', 'pay', '1', ...options], complaint);
  });

  it('explains an unknown status', async () => {
    const { code, err } = await ops('orders', 'pay', '1', '--status', 'shipped');
    expect([code, err.split('\n')[0]]).toEqual([
      2,
      '--status: It must be one of: unpaid, credit, paid, in_process, processing, rejected.',
    ]);
  });
});

const documents = async () => {
  const s3 = new S3Client({ forcePathStyle: true });
  const { Contents = [] } = await s3.send(new ListObjectsCommand({ Bucket: process.env.DOCUMENTS_BUCKET }));
  return Contents.map(({ Key }) => Key ?? '');
};

describe('orders attach-prescription', () => {
  it('adds the file as the last prescription, under its name', async () => {
    const prescriptions = [{ document: PNG, issue_date: '2026-11-20' }];
    const id = await placed({ order: { prescriptions } });
    const before = await stored(id);
    setClock(LATER);
    const { code, out } = await attach(id, pdf, '--expiring-date', '2026-12-31');
    const after = await stored(id);
    const added = after.prescriptions[1];
    expect([code, out]).toEqual([0, `Prescription ${added?.id} is attached to order ${id}, not verified yet.\n`]);
    expect(after.prescriptions).toEqual([
      before.prescriptions[0],
      {
        id: expect.any(Number),
        issueDate: '2026-11-20',
        expiringDate: '2026-12-31',
        documentKey: expect.stringMatching(/^prescriptions\/[0-9a-f-]{36}$/),
        documentName: 'Receta de Ana.pdf',
        documentType: 'application/pdf',
        verification: null,
        createdAt: '2026-11-24T15:30:00.000Z',
        updatedAt: '2026-11-24T15:30:00.000Z',
        updatedBy: null,
      },
    ]);
    expect(after.history.at(-1)).toMatchObject({
      what: 'prescription_attached',
      version: 2,
      prescriptions: [added?.id],
    });
    const unchanged = { ...before, prescriptions: after.prescriptions, history: after.history };
    expect(after).toEqual({ ...unchanged, updatedAt: '2026-11-24T15:30:00.000Z', version: 2 });
    expect(await documents()).toContain(added?.documentKey);
  });

  it('recognizes a file by its bytes', async () => {
    const id = await placed();
    await attach(id, await file('imagen.pdf', Buffer.from(PNG, 'base64')));
    expect((await stored(id)).prescriptions[0]?.documentType).toBe('image/png');
  });

  it.each([
    [
      'a text file',
      Buffer.from('%PDF by name only'),
      [],
      'file: It must be a complete PDF, JPEG or PNG file, without scripts or other files inside.\n',
    ],
    [
      'an empty file',
      Buffer.alloc(0),
      [],
      'file: It must be a complete PDF, JPEG or PNG file, without scripts or other files inside.\n',
    ],
    [
      'a file that is a byte too long',
      Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(3 * 1024 * 1024 - 14), Buffer.from('%%EOF\n')]),
      [],
      'file: Each document may have up to 3 MB.\n',
    ],
    [
      'dates out of order',
      Buffer.from(PDF, 'base64'),
      ['--issue-date', '2026-11-24', '--expiring-date', '2026-11-22'],
      'issue_date: The date may not be in the future.\n' +
        'expiring_date: The date is in the past.\n' +
        'expiring_date: The date may not be before the issue date.\n',
    ],
  ])('refuses %s, and keeps nothing', async (name, content, dates, err) => {
    const id = await placed();
    const before = [await stored(id), await documents()];
    expect(await attach(id, await file(`${name}.pdf`, content), ...dates)).toEqual(refused(err));
    expect([await stored(id), await documents()]).toEqual(before);
  });

  it('accepts a file of exactly 3 MB', async () => {
    const largest = [Buffer.from('%PDF-1.4\n'), Buffer.alloc(3 * 1024 * 1024 - 15), Buffer.from('%%EOF\n')];
    const path = await file('grande.pdf', Buffer.concat(largest));
    expect(await attach(await placed(), path)).toMatchObject({ code: 0 });
  });

  it('accepts a tenth prescription and refuses an eleventh', async () => {
    const prescriptions = Array.from({ length: 9 }, () => ({ document: PDF, issue_date: '2026-11-20' }));
    const id = await placed({ order: { prescriptions } });
    expect(await attach(id)).toMatchObject({ code: 0 });
    const before = await documents();
    expect(await attach(id)).toEqual(refused('order: At most 10 prescriptions an order.\n'));
    expect((await stored(id)).prescriptions).toHaveLength(10);
    expect(await documents()).toEqual(before);
  });

  it('reports a missing file', async () => {
    const { code, err } = await attach(await placed(), join(folder, 'ninguno.pdf'));
    expect(code).toBe(1);
    expect(err).toMatch(/^ENOENT: no such file or directory, open '.*ninguno\.pdf'\n$/);
  });

  it('refuses a date that does not exist', async () => {
    const { code, err } = await attach(1, pdf, '--expiring-date', '2026-02-29');
    expect([code, err.split('\n')[0]]).toEqual([2, '--expiring-date: It must be an existing date YYYY-MM-DD.']);
  });

  it('removes the documents of the attempts that lost a race, and no others', async () => {
    const id = await placed();
    const before = await documents();
    const said = await Promise.all(Array.from({ length: 8 }, () => attach(id)));
    const keys = (await stored(id)).prescriptions.map(({ documentKey }) => documentKey);
    expect(said.filter(({ code }) => code === 0)).toHaveLength(keys.length);
    const fresh = (await documents()).filter((key) => !before.includes(key));
    expect(fresh.sort()).toEqual(keys.sort());
  });
});

describe('orders verify-prescription', () => {
  let id: number;
  const areVerified = async () => (await stored(id)).prescriptions.map(({ verification }) => verification !== null);
  const prescriptions = Array.from({ length: 2 }, () => ({ document: PDF, issue_date: '2026-11-20' }));

  it('verifies all prescriptions, once', async () => {
    id = await placed({ order: { prescriptions } });
    const argv = ['orders', 'verify-prescription', String(id)];
    setClock(LATER);
    expect(await ops(...argv)).toEqual(done(`Every prescription of order ${id} is verified now.\n`));
    expect(await areVerified()).toEqual([true, true]);
    const verified = await stored(id);
    expect(verified.prescriptions[0]?.updatedAt).toBe('2026-11-24T15:30:00.000Z');
    expect(await ops(...argv)).toMatchObject({ code: 0 });
    expect(await stored(id)).toEqual(verified);
  });

  it('records who verified what, and again when the order has changed', async () => {
    id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions } });
    const argv = ['orders', 'verify-prescription', String(id)];
    expect(await ops(...argv)).toEqual(done(`Every prescription of order ${id} is verified now for: 1 × product 4.\n`));
    const verified = (quantity: number, at: string) => ({ at, by: OPERATOR, lines: [{ productId: 4, quantity }] });
    const verifications = async () => (await stored(id)).prescriptions.map(({ verification }) => verification);
    const first = verified(1, '2026-11-23T18:00:00.000Z');
    expect(await verifications()).toEqual([first, first]);
    const { lines } = await stored(id);
    await force(id, { lines: [...lines, ...lines] });
    setClock(LATER);
    const [one] = (await stored(id)).prescriptions;
    expect(await ops(...argv, '--prescription', String(one?.id))).toEqual(
      done(`Prescription ${one?.id} of order ${id} is verified now for: 2 × product 4.\n`),
    );
    expect(await verifications()).toEqual([verified(2, '2026-11-24T15:30:00.000Z'), first]);
    const { out } = await ops('orders', 'show', String(id), '--json');
    expect(JSON.parse(out).prescriptions[0]).toMatchObject({
      is_verified: true,
      verified_at: '2026-11-24T15:30:00.000Z',
      verified_by: OPERATOR,
      verified_for: [{ product: 4, quantity: 2 }],
    });
    const shown = await operate('terminal', 'orders', 'show', String(id));
    expect(shown.out).toContain('2 × product 4');
  });

  it('refuses one that has expired, from the day after its last one in Mexico', async () => {
    const order = {
      prescriptions: [...prescriptions, { document: PDF, issue_date: '2026-11-20', expiring_date: '2026-11-24' }],
    };
    id = await placed({ order });
    const expired = (await stored(id)).prescriptions[2]?.id;
    const verify = () => ops('orders', 'verify-prescription', String(id));
    setClock(new Date('2026-11-25T06:00:00.000Z'));
    expect(await verify()).toEqual(
      refused(
        `Prescription ${expired} of order ${id} expired on 2026-11-24 and cannot be verified; ` +
          '--prescription verifies another one.\n',
      ),
    );
    expect(await areVerified()).toEqual([false, false, false]);
    setClock(new Date('2026-11-25T05:59:59.999Z'));
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it('verifies only the given one', async () => {
    id = await placed({ order: { prescriptions } });
    const second = String((await stored(id)).prescriptions[1]?.id);
    expect(await ops('orders', 'verify-prescription', String(id), '--prescription', second)).toEqual(
      done(`Prescription ${second} of order ${id} is verified now.\n`),
    );
    expect(await areVerified()).toEqual([false, true]);
  });

  it('refuses a prescription that the order does not have, and an order without any', async () => {
    id = await placed({ order: { prescriptions } });
    const none = refused(`Order ${id} has no such prescription.\n`);
    expect(await ops('orders', 'verify-prescription', String(id), '--prescription', '99999999')).toEqual(none);
    expect(await areVerified()).toEqual([false, false]);
    const empty = await placed();
    expect(await ops('orders', 'verify-prescription', String(empty))).toEqual(
      refused(`Order ${empty} has no such prescription.\n`),
    );
  });
});

describe('among many changes at once', () => {
  const meanwhile = 'The order was changed at the same time; read it and try again.\n';

  it('one of twenty equal moves wins', async () => {
    const id = await placed();
    const said = await Promise.all(
      Array.from({ length: 20 }, () => ops('orders', 'move', String(id), '--to', 'in_process')),
    );
    expect(said.filter(({ code }) => code === 0)).toHaveLength(1);
    const late = `Order ${id} cannot go from in_process to in_process; allowed: ready, delayed, shortage.\n`;
    for (const { code, err } of said) if (code !== 0) expect([meanwhile, late]).toContain(err);
    expect(await stored(id)).toMatchObject({ orderStatus: 'in_process', version: 2 });
  });

  it('each version has one winner, and none is lost', async () => {
    const id = await placed({ order: { prescriptions: [{ document: PDF, issue_date: '2026-11-20' }] } });
    const commands = [
      ['move', String(id), '--to', 'in_process'],
      ['pay', String(id), '--status', 'paid'],
      ['verify-prescription', String(id)],
    ];
    const wins: string[] = [];
    // The losers try again, as their error message says.
    for (let round = 0; round < 3; round++) {
      const said = await Promise.all(commands.map((argv) => ops('orders', ...argv)));
      for (const [index, { code }] of said.entries()) if (code === 0) wins.push(commands[index]?.[0] ?? '');
    }
    expect(new Set(wins)).toEqual(new Set(['move', 'pay', 'verify-prescription']));
    const order = await stored(id);
    const { prescriptions } = order;
    expect(order).toMatchObject({ orderStatus: 'in_process', paymentStatus: 'paid', version: 4 });
    expect(prescriptions[0]?.verification).toMatchObject({ lines: [] });
  });
});

describe('the counters', () => {
  it('match the lists of every view after all of these tests', async () => {
    const id = await placed({ token: tokens.doctor, email: 'luz@example.mx' });
    await ops('orders', 'move', String(id), '--to', 'shortage');
    await ops('orders', 'pay', String(id), '--status', 'credit');
    const { patient, generatedBy } = await stored(id);
    const views: Viewer[] = ['client', `patient#${patient.id}`, `doctor#${generatedBy.id}`];
    for (const viewer of views) expect(await counted(viewer), viewer).toEqual(await listedPairs(viewer));
    expect(await counted(`doctor#${generatedBy.id}`)).toEqual({ 'shortage credit': 1 });
  });

  async function counted(viewer: Viewer): Promise<Record<string, number>> {
    const { counts } = await readCounts(table, { clientId: server.client.id, viewer: viewer });
    const some = counts.filter(({ orders }) => orders !== 0);
    return Object.fromEntries(
      some.map(({ orderStatus, paymentStatus, orders }) => [`${orderStatus} ${paymentStatus}`, orders]),
    );
  }

  async function listedPairs(viewer: Viewer): Promise<Record<string, number>> {
    const pairs: Record<string, number> = {};
    const entries = await table.all({ pk: createdPartition(server.client.id, viewer) });
    const ids = entries.map(({ sk }) => parseCreationKey(String(sk)).order);
    for (const { orderStatus, paymentStatus } of await getOrders(table, server.client.id, ids)) {
      const pair = `${orderStatus} ${paymentStatus}`;
      pairs[pair] = (pairs[pair] ?? 0) + 1;
    }
    return pairs;
  }
});
