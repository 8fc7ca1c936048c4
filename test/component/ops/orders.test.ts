import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { ListObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OrderStatus, PaymentStatus } from '../../../shared/domain/order.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { createdPartition, parseCreationKey, type Viewer } from '../../../shared/store/keys.ts';
import { readCounts } from '../../../shared/store/order-lists/counters.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { changeOrderWrites } from '../../../shared/store/orders/order-writes.ts';
import { getOrderOfAnyClient, getOrders } from '../../../shared/store/orders/orders.ts';
import { userByEmail } from '../../../shared/store/people/users.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import { operate } from '../../support/operators/operator.ts';
import { forceVersion } from '../../support/orders/forced-order.ts';
import { orderBody, PDF, PNG } from '../../support/orders/samples.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

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

let prescriptionNumber = 0;
/** Returns a prescription whose document no other one has. */
function newPrescription() {
  const document = Buffer.from(`%PDF-1.4\n% ${++prescriptionNumber}\n%%EOF\n`).toString('base64');
  return { document, issue_date: '2026-11-20' };
}

type Placing = { order?: object; email?: string; phone?: string; name?: object; token?: string; key?: string };

async function placed({
  order = {},
  email = 'ana@example.mx',
  phone,
  name,
  token = tokens.employee,
  key,
}: Placing = {}) {
  const { user, ...rest } = orderBody(email, order as Record<string, unknown>);
  const body = { ...rest, user: { ...user, ...name, ...(phone !== undefined && { phone }) } };
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
      age_minutes: 0,
      waits_for: ['preparation'],
      due_at: '2026-11-26T23:00:00.000Z',
      is_due: false,
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
    [['--limit', '2'], '2 orders, and there are more: --limit shows more of them.\n'],
    [['--limit', '1'], '1 order, and there are more: --limit shows more of them.\n'],
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
    [['orders', 'list', '--client', '1', '--limit', '0'], '--limit: It must be 1 or more.'],
    [['orders', 'list', '--client', '1', '--limit', '5001'], '--limit: It must be 5000 or less.'],
    [['orders', 'list', '7'], 'unexpected argument "7"'],
    [
      ['orders', 'list', '--refund-due', '--payment', 'paid'],
      '--refund-due: It goes with neither --status nor --payment.',
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
      ...['due', 'waits_for'],
    ]);
    expect(rows.map((row) => row.split(/ {2,}/).slice(2, 7))).toEqual([
      [String(other), '2026-11-19T18:00:00.000Z', '4 d', 'delayed', 'paid'],
      [String(server.client.id), '2026-11-21T19:00:00.000Z', '47 h', 'approved', 'unpaid'],
      [String(other), '2026-11-23T16:01:00.000Z', '119 min', 'ready', 'credit'],
    ]);
    expect(err).toBe('3 orders, and there are more: --limit shows more of them.\n');
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
          waits_for: ['preparation'],
          due_at: '2026-11-24T23:00:00.000Z',
          is_due: false,
        },
      ],
      has_more: true,
    });
  });

  it('says what is due, with the first minute of its day', async () => {
    const tellDue = async (time: string) => {
      setClock(new Date(time));
      const { out } = await ops('orders', 'list', '--limit', '1', '--json');
      const text = (await ops('orders', 'list', '--limit', '1')).out.trimEnd().split('\t').slice(-2);
      setClock(NOON);
      return [JSON.parse(out).orders[0].is_due, ...text];
    };
    expect(await tellDue('2026-11-24T05:59:59.000Z')).toEqual([false, '2026-11-24', 'preparation']);
    expect(await tellDue('2026-11-24T06:00:00.000Z')).toEqual([true, 'now', 'preparation']);
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

describe('the queue', () => {
  const inQueue = async (id: number) => {
    const { out } = await ops('orders', 'list', '--limit', '5000', '--json');
    return JSON.parse(out).orders.find((order: { id: number }) => order.id === id);
  };
  const waits = async (id: number) => {
    const [listed, shown] = [await inQueue(id), JSON.parse((await ops('orders', 'show', String(id), '--json')).out)];
    expect(listed.waits_for).toEqual(shown.waits_for);
    return listed.waits_for;
  };
  const isDue = async (id: number) => (await inQueue(id)).is_due;
  const act = async (name: string, id: number, ...options: string[]) =>
    expect(await ops('orders', name, String(id), ...options)).toMatchObject({ code: 0 });
  const attachNew = async (id: number) => {
    const { document } = newPrescription();
    const path = await file(`${id}-${prescriptionNumber}.pdf`, Buffer.from(document, 'base64'));
    expect(await attach(id, path, '--expiring-date', '2026-11-30')).toMatchObject({ code: 0 });
  };

  it('says of an order what it waits for, after each step and on each day', async () => {
    const id = await placed({ order: NEEDS_PRESCRIPTION });
    expect(await waits(id)).toEqual(['prescription', 'payment']);
    expect(await isDue(id)).toBe(false);
    await attachNew(id);
    expect(await waits(id)).toEqual(['verification', 'payment']);
    expect(await isDue(id)).toBe(true);
    await act('reject-prescription', id, '--reason', 'Sin firma');
    expect(await waits(id)).toEqual(['prescription', 'payment']);
    const added = { prescriptions: [{ ...newPrescription(), expiring_date: '2026-11-30' }] };
    const path = `/api/orders/${id}/prescriptions/`;
    expect((await server.request('POST', path, { token: tokens.employee, body: added })).status).toBe(201);
    expect(await waits(id)).toEqual(['verification', 'payment']);
    await act('verify-prescription', id);
    expect(await waits(id)).toEqual(['approval', 'payment']);
    expect(await isDue(id)).toBe(true);
    await act('move', id, '--to', 'approved');
    await act('pay', id, '--status', 'paid');
    expect(await waits(id)).toEqual(['preparation']);
    expect(await isDue(id)).toBe(false);
    setClock(new Date('2026-12-01T05:59:59.000Z'));
    expect(await waits(id)).toEqual(['preparation']);
    setClock(new Date('2026-12-01T06:00:00.000Z'));
    expect(await waits(id)).toEqual(['prescription']);
  });

  it('has the total of an order after its products were replaced', async () => {
    const id = await placed();
    expect(await inQueue(id)).toMatchObject({ total: '136.00', payment_status: 'unpaid' });
    const body = { details: [{ product: 1, quantity: 1 }] };
    expect((await server.request('PATCH', `/api/orders/${id}/`, { token: tokens.employee, body })).status).toBe(200);
    expect(await inQueue(id)).toMatchObject({ total: '107.50' });
  });

  it('says that an invoice waits for somebody, until it is handled', async () => {
    const id = await placed();
    const invoice = taxDocument({ status: 'cancellation_rejected', key: 'k-1', issuedAt: NOON.toISOString() });
    await force(id, { invoice, cfdi: '58e93bd8e86eb318b0197456' });
    expect(await waits(id)).toEqual(['preparation', 'payment', 'invoice']);
    expect(await ops('invoices', 'handled', String(id))).toMatchObject({ code: 0 });
    expect(await waits(id)).toEqual(['preparation', 'payment']);
  });
});

describe('orders list --refund-due', () => {
  it('shows the cancelled orders of all clients that were paid, however old', async () => {
    setClock(new Date(NOON.getTime() + 10 * 60_000));
    const id = await placed();
    const waiting = async () => (await listedIds('orders', 'list', '--refund-due', '--limit', '5000')).ids;
    await force(id, { paymentStatus: 'paid' });
    expect(await waiting()).not.toContain(id);
    await ops('orders', 'move', String(id), '--to', 'cancelled');
    // The oldest come first.
    expect((await waiting()).at(-1)).toBe(id);
    const { out } = await ops('orders', 'list', '--refund-due', '--limit', '5000');
    expect(out).toContain(`${id}\t${folioOf(id)}\t${server.client.id}\t2026-11-23T18:10:00.000Z\tcancelled\tpaid`);
  });
});

describe('orders search', () => {
  const PHONE = '+525555550888';
  const ids = { first: 0, elsewhere: 0, second: 0 };
  beforeAll(async () => {
    const { client, key } = await server.addClient('Sexta');
    await server.addUser(client, 'insurance_employee', 'sexta@example.mx');
    const there = { token: await server.login('sexta@example.mx', key), key };
    const name = { first_name: 'Xóchitl', last_name: 'Ibáñez' };
    const later = (minutes: number) => setClock(new Date(NOON.getTime() + minutes * 60_000));
    later(1);
    ids.first = await placed({ email: 'buscada@example.mx', phone: PHONE, name });
    later(2);
    ids.elsewhere = await placed({ email: 'buscada@example.mx', name, ...there });
    later(3);
    ids.second = await placed({ email: 'buscada@example.mx', name });
    setClock(NOON);
  });

  it.each([
    ['a folio', () => folioOf(ids.elsewhere), 'folio', () => [ids.elsewhere]],
    ['an id', () => String(ids.first), 'folio', () => [ids.first]],
    ['an e-mail', () => ' Buscada@example.mx', 'email', () => [ids.second, ids.elsewhere, ids.first]],
    ['a phone', () => '55 5555 0888', 'phone', () => [ids.second, ids.first]],
    ['a name', () => 'XOCH ibañ', 'name', () => [ids.second, ids.elsewhere, ids.first]],
    ['a name that nobody has', () => 'Nadie Ninguno', 'name', () => []],
    ['a folio that there is not', () => 'RX-99999999', 'folio', () => []],
  ])('finds by %s, the newest first', async (_, text, by, found) => {
    const { code, out, err } = await ops('orders', 'search', text(), '--json');
    expect([code, err]).toEqual([0, '']);
    const { orders, ...told } = JSON.parse(out);
    expect(orders.map(({ id }: { id: number }) => id)).toEqual(found());
    expect(told).toEqual({ has_more: false, found_by: by, is_too_common: false });
  });

  it('shows the newest of more than the limit', async () => {
    expect(await listedIds('orders', 'search', 'xóchitl', '--limit', '2')).toEqual({
      ids: [ids.second, ids.elsewhere],
      hasMore: true,
    });
  });

  it('finds no orders of a doctor or employee by their own e-mail', async () => {
    expect(await listedIds('orders', 'search', 'aseguradora@demo.example')).toEqual({ ids: [], hasMore: false });
  });

  it('asks for more of a name that is too short to tell patients apart', async () => {
    const { code, out, err } = await ops('orders', 'search', 'xo');
    expect([code, out, err]).toEqual([0, '', 'Too many patients have such a name: write more of it.\n']);
  });

  it.each([
    [['orders', 'search'], '<text> is missing.'],
    [['orders', 'search', ' '], '<text> must be a folio, an e-mail, a phone or a name, not " ".'],
  ])('refuses %j', misunderstood);
});

describe('orders find', () => {
  const SHARED = 'compartida@example.mx';
  const PHONE = '+525555550777';
  let quinta: string;
  const ids: Record<'first' | 'second' | 'elsewhere' | 'others', number> = {
    first: 0,
    second: 0,
    elsewhere: 0,
    others: 0,
  };
  beforeAll(async () => {
    const { client, key } = await server.addClient('Quinta');
    quinta = key;
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

  it('finds the order of a folio only if it is of the client and of the days that are given', async () => {
    const byFolio = (...more: string[]) => found('--folio', folioOf(ids.first), ...more);
    const itself = { ids: [ids.first], hasMore: false };
    const nothing = { ids: [], hasMore: false };
    expect([await byFolio('--client', '1'), await byFolio('--client', '2')]).toEqual([itself, nothing]);
    expect([await byFolio('--from', '2026-11-23'), await byFolio('--from', '2026-11-24')]).toEqual([itself, nothing]);
    expect([await byFolio('--to', '2026-11-23'), await byFolio('--to', '2026-11-22')]).toEqual([itself, nothing]);
    expect(await byFolio('--page', '2')).toEqual(nothing);
  });

  it('shows the pages of what it finds, of one client, and between two days of the shop', async () => {
    const one = await found('--email', SHARED, '--limit', '1');
    const two = await found('--email', SHARED, '--limit', '1', '--page', '2');
    const three = await found('--email', SHARED, '--limit', '1', '--page', '3');
    expect([one, two, three]).toEqual([
      { ids: [ids.second], hasMore: true },
      { ids: [ids.elsewhere], hasMore: true },
      { ids: [ids.first], hasMore: false },
    ]);
    const ours = ['--email', SHARED, '--client', '1'];
    expect((await found(...ours)).ids).toEqual([ids.second, ids.first]);
    expect((await found(...ours, '--from', '2026-11-23', '--to', '2026-11-23')).ids).toEqual([ids.second, ids.first]);
    expect((await found(...ours, '--from', '2026-11-24')).ids).toEqual([]);
    expect((await found(...ours, '--to', '2026-11-22')).ids).toEqual([]);
  });

  it('finds the orders of a patient by their id, which needs the client', async () => {
    const patient = (await userByEmail(openTable(), 1, SHARED))?.id;
    expect((await found('--patient', String(patient), '--client', '1')).ids).toEqual([ids.second, ids.first]);
    expect(await operate('pipe', 'orders', 'find', '--patient', '8')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--patient: It needs --client.'),
    });
  });

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

  it('finds the orders of all clients by days alone, or of one, page by page', async () => {
    const DAY = ['--from', '2028-11-23', '--to', '2028-11-23'];
    const placedAt = async (instant: string, where?: 'elsewhere') => {
      setClock(new Date(instant));
      const there = where && { token: await server.login('quinta@example.mx', quinta), key: quinta };
      return placed({ email: SHARED, token: await server.login('aseguradora@demo.example'), ...there });
    };
    await placedAt('2028-11-23T05:59:59.999Z');
    const early = await placedAt('2028-11-23T06:00:00.000Z', 'elsewhere');
    const [one, other] = [await placedAt('2028-11-23T18:00:00.000Z'), await placedAt('2028-11-23T18:00:00.000Z')];
    const late = await placedAt('2028-11-24T05:59:59.999Z', 'elsewhere');
    const after = await placedAt('2028-11-24T06:00:00.000Z');
    const all = [late, other, one, early];
    expect(await found(...DAY)).toEqual({ ids: all, hasMore: false });
    const page = (number: string) => found(...DAY, '--limit', '2', '--page', number);
    expect([await page('1'), await page('2'), await page('3')]).toEqual([
      { ids: [late, other], hasMore: true },
      { ids: [one, early], hasMore: false },
      { ids: [], hasMore: false },
    ]);
    expect((await found(...DAY, '--client', '1')).ids).toEqual([other, one]);
    expect((await found('--from', '2028-11-24')).ids).toEqual([after]);
    expect(await found('--to', '2028-11-23', '--limit', '1')).toEqual({ ids: [late], hasMore: true });
    const widest = ['--from', '1970-01-01', '--to', '9990-12-31'];
    expect(await found(...widest, '--limit', '1')).toEqual({ ids: [after], hasMore: true });
    expect((await found('--email', SHARED, ...DAY, '--limit', '3', '--page', '2')).ids).toEqual([early]);
  });

  it('says how to see more: the next page, or without pages a longer list', async () => {
    const remark = async (...more: string[]) => (await ops('orders', 'find', '--to', '2026-11-23', ...more)).err;
    expect(await remark('--limit', '1', '--page', '2')).toBe('1 order, and there are more: --page 3 shows the next.\n');
    const latest = await ops('orders', 'list', '--client', '1', '--limit', '1');
    expect(latest.err).toBe('1 order, and there are more: --limit shows more of them.\n');
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
    [['orders', 'find'], 'Give one of --folio, --email, --phone and --patient, or --from and --to.'],
    [['orders', 'find', '--client', '1'], 'Give one of --folio, --email, --phone and --patient, or --from and --to.'],
    [['orders', 'find', '--from', '2026-11-24', '--to', '2026-11-23'], '--to: It must not be before --from.'],
    [
      ['orders', 'find', '--folio', '1', '--email', SHARED],
      'Give at most one of --folio, --email, --phone and --patient.',
    ],
    [
      ['orders', 'find', '--email', SHARED, '--phone', PHONE],
      'Give at most one of --folio, --email, --phone and --patient.',
    ],
    [['orders', 'find', '--folio', 'RY-00000001'], '--folio: The value is not valid.'],
    [
      ['orders', 'find', '--email', SHARED, '--from', '2026-11-20', '--to', '2026-11-19'],
      '--to: It must not be before --from.',
    ],
    [['orders', 'find', '--to', '9999-12-31'], '--to: It must be 9990-12-31 or less.'],
    [['orders', 'find', '--from', '0001-01-01'], '--from: It must be 1970-01-01 or more.'],
    [['orders', 'find', '--email', SHARED, '--page', '0'], '--page: It must be 1 or more.'],
    [['orders', 'find', '--email', SHARED, '--page', '01'], '--page: It must be an integer.'],
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

  it.each(['show', 'move', 'pay', 'attach-prescription', 'verify-prescription', 'reject-prescription'])(
    'and %s refuse an order that does not exist',
    async (name) => {
      const options: Record<string, string[]> = {
        move: ['--to', 'shipped'],
        pay: ['--status', 'paid'],
        'attach-prescription': ['--file', pdf, '--issue-date', '2026-11-20'],
        'reject-prescription': ['--reason', 'Sin firma'],
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

// `domain/order` has the grid of all moves.
describe('orders move', () => {
  const NOW_DISPENSED = { at: '2026-11-24T15:30:00.000Z', under: [] };
  it.each([
    ['quoted', 'pending_approval', {}],
    ['pending_approval', 'cancelled', {}],
    ['approved', 'in_process', { dispensed: NOW_DISPENSED }],
    ['approved', 'shortage', {}],
    ['in_process', 'ready', { dispensed: NOW_DISPENSED }],
    ['in_process', 'delayed', { dispensed: NOW_DISPENSED }],
    ['ready', 'shipped', { shippingDate: '2026-11-24T15:30:00.000Z', dispensed: NOW_DISPENSED }],
    ['shipped', 'delivered', { receivingDate: '2026-11-24T15:30:00.000Z', dispensed: NOW_DISPENSED }],
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
    ['approved', 'approved', 'quoted, in_process, cancelled, shortage'],
    ['shipped', 'cancelled', 'delivered'],
    ['delivered', 'shipped', 'nothing more'],
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
    ['unpaid', 'paid', '2026-11-24T15:30:00.000Z'],
    ['processing', 'rejected', null],
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
    ['paid', 'unpaid', 'nothing more'],
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
    [['--status', 'processing', '--reason', 'Fondos'], '--reason: It goes with --status rejected.'],
    [['--status', 'rejected', '--reason', 'x'.repeat(51)], '--reason: '],
  ])('refuses %j', async (options, complaint) => {
    await misunderstood(['orders', 'pay', '1', ...options], complaint);
  });

  it('shows why a payment was rejected until it moves on, and keeps it in the history', async () => {
    const id = await placed();
    await force(id, { paymentStatus: 'processing' });
    const pay = (...options: string[]) => ops('orders', 'pay', String(id), '--status', ...options);
    const shown = async () => {
      const path = `/api/orders/${id}/`;
      return (await server.request('GET', path, { token: tokens.employee })).body.rejection_reason;
    };
    expect(await pay('rejected', '--reason', 'Fondos insuficientes')).toMatchObject({ code: 0 });
    expect(await shown()).toBe('Fondos insuficientes');
    expect((await stored(id)).history.at(-1)).toMatchObject({ to: 'rejected', reason: 'Fondos insuficientes' });
    expect((await ops('orders', 'show', String(id))).out).toContain('processing -> rejected: Fondos insuficientes');
    expect(await pay('processing')).toMatchObject({ code: 0 });
    expect(await shown()).toBe('');
  });

  it('pays no cancelled order', async () => {
    const id = await placed();
    const before = await force(id, { orderStatus: 'cancelled', paymentStatus: 'processing' });
    expect(await ops('orders', 'pay', String(id), '--status', 'paid')).toEqual(
      refused(`The payment of the cancelled order ${id} cannot go from processing to paid; allowed: rejected.\n`),
    );
    expect(await stored(id)).toEqual(before);
    expect(await ops('orders', 'pay', String(id), '--status', 'rejected')).toMatchObject({ code: 0 });
  });

  it('explains an unknown status', async () => {
    const { code, err } = await ops('orders', 'pay', '1', '--status', 'shipped');
    expect([code, err.split('\n')[0]]).toEqual([
      2,
      '--status: It must be one of: unpaid, credit, paid, in_process, processing, rejected.',
    ]);
  });
});

describe('orders refund', () => {
  const refund = (id: number, ...options: string[]) => ops('orders', 'refund', String(id), ...options);

  it('records what has gone back, with who and when, until the order is no longer due for a refund', async () => {
    setClock(new Date(NOON.getTime() + 11 * 60_000));
    const id = await placed();
    await force(id, { paymentStatus: 'paid' });
    await ops('orders', 'move', String(id), '--to', 'cancelled');
    const isListed = async (...more: string[]) =>
      (await listedIds('orders', 'list', '--refund-due', '--limit', '5000', ...more)).ids.includes(id);
    setClock(LATER);
    // The order is 136.00.
    expect(await refund(id, '--amount', '100.00', '--form', '03')).toEqual(
      done(`100.00 of order ${id} is refunded, 36.00 is not.\n`),
    );
    const after = await stored(id);
    expect(after.refunds).toEqual([{ cents: 10_000, form: '03', at: '2026-11-24T15:30:00.000Z' }]);
    expect(after.history.at(-1)).toMatchObject({
      what: 'refunded',
      from: '0.00',
      to: '100.00',
      at: '2026-11-24T15:30:00.000Z',
      by: { operator: OPERATOR },
    });
    expect([await isListed(), await isListed('--client', String(server.client.id))]).toEqual([true, true]);
    expect(await refund(id, '--amount', '36.01', '--form', '03')).toEqual(
      refused(`Order ${id} has 36.00 left to refund.\n`),
    );
    expect(await refund(id, '--amount', '36', '--form', '01')).toMatchObject({ code: 0 });
    expect([await isListed(), await isListed('--client', String(server.client.id))]).toEqual([false, false]);
    const { out } = await ops('orders', 'show', String(id));
    expect(out).toMatch(/\n100.00\t03\t2026-11-24T15:30:00.000Z\n36.00\t01\t/);
  });

  it('takes the same refund twice only on the version that the operator has seen', async () => {
    const id = await placed();
    await force(id, { paymentStatus: 'paid' });
    const again = ['--amount', '10.00', '--form', '03'];
    expect(await refund(id, ...again)).toMatchObject({ code: 0 });
    expect(await refund(id, ...again)).toEqual(
      refused(`Order ${id} was refunded 10.00 within the last hour; --version 3 records another one.\n`),
    );
    expect(await refund(id, ...again, '--version', '2')).toMatchObject({ code: 1 });
    expect(await refund(id, ...again, '--version', '3')).toMatchObject({ code: 0 });
    expect((await stored(id)).refunds).toHaveLength(2);
  });

  it('refuses an order that was not paid', async () => {
    const id = await placed();
    expect(await refund(id, '--amount', '1.00', '--form', '03')).toEqual(
      refused(`Order ${id} is unpaid: only what was paid is refunded.\n`),
    );
  });

  it.each([
    [['--amount', '0', '--form', '03'], '--amount: '],
    [['--amount', '-1.00', '--form', '03'], '--amount'],
    [['--amount', '1.005', '--form', '03'], '--amount: '],
    [['--amount', '1.00', '--form', '99'], '--form: It must be one of: '],
    [['--amount', '1.00'], '--form: '],
  ])('refuses %j', async (options, complaint) => {
    const { code, err } = await refund(1, ...options);
    expect([code, err.includes(complaint)]).toEqual([2, true]);
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
        // sha256sum of the file, in base64url.
        documentHash: 'z6MYHB7jbovOXjn4SVn0VY6nujLA5FOairPIzoxxbsY',
        verification: null,
        rejection: null,
        prescriber: null,
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

  it('adds files up to 4 MB in all, and refuses what is a byte more', async () => {
    const id = await placed();
    const ofBytes = (bytes: number) => {
      return Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(bytes - 15), Buffer.from('%%EOF\n')]);
    };
    await attach(id, await file('grande.pdf', ofBytes(3 * 1024 * 1024)));
    const refused = await attach(id, await file('larga.pdf', ofBytes(1024 * 1024 + 1)));
    expect([refused.code, refused.err]).toEqual([
      1,
      'order: The documents of an order may have up to 4 MB together.\n',
    ]);
    expect((await attach(id, await file('justa.pdf', ofBytes(1024 * 1024)))).code).toBe(0);
    expect((await stored(id)).prescriptions.length).toBe(2);
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
      'issue_date: The date may not be later than today, 2026-11-23 (America/Mexico_City).\n' +
        'expiring_date: The date may not be earlier than today, 2026-11-23 (America/Mexico_City).\n' +
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
  const verify = (...more: string[]) => ops('orders', 'verify-prescription', String(id), ...more);
  let prescriptions: { document: string; issue_date: string }[];
  beforeEach(() => {
    prescriptions = [newPrescription(), newPrescription()];
  });

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
      prescriptions: [...prescriptions, { ...newPrescription(), expiring_date: '2026-11-24' }],
    };
    id = await placed({ order });
    const expired = (await stored(id)).prescriptions[2]?.id;
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

  it('records who wrote it, later too, and then it stays verified as it was', async () => {
    id = await placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions: [newPrescription()] } });
    const named = ['--prescriber', 'Dra. Eva Luna', '--licence', '01234567'];
    expect(await verify()).toMatchObject({ code: 0 });
    const [before] = (await stored(id)).prescriptions;
    setClock(LATER);
    expect(await verify(...named, '--prescriber-address', 'Orizaba 8, 06700 CDMX')).toMatchObject({ code: 0 });
    const after = await stored(id);
    expect(after.prescriptions).toEqual([
      {
        ...before,
        prescriber: { name: 'Dra. Eva Luna', licence: '01234567', address: 'Orizaba 8, 06700 CDMX' },
        updatedAt: '2026-11-24T15:30:00.000Z',
      },
    ]);
    expect(after.history.slice(-2)).toMatchObject([
      { what: 'prescription_verified', version: 2, prescriptions: [before?.id] },
      { what: 'prescriber_recorded', version: 3, by: { operator: OPERATOR }, prescriptions: [before?.id] },
    ]);
    expect(await verify()).toMatchObject({ code: 0 });
    expect(await stored(id)).toEqual(after);
    const { out } = await operate('terminal', 'orders', 'show', String(id));
    expect(out).toContain('Dra. Eva Luna, 01234567, Orizaba 8, 06700 CDMX');
  });

  it('asks which of several prescriptions the prescriber wrote', async () => {
    id = await placed({ order: { prescriptions } });
    const named = ['--prescriber', 'Dra. Eva Luna', '--licence', '1234567'];
    expect(await verify(...named)).toEqual(
      refused(`Order ${id} has 2 prescriptions: --prescription says which one the prescriber wrote.\n`),
    );
    expect(await areVerified()).toEqual([false, false]);
    const second = (await stored(id)).prescriptions[1]?.id;
    expect(await verify(...named, '--prescription', String(second))).toMatchObject({ code: 0 });
    expect((await stored(id)).prescriptions.map(({ prescriber }) => prescriber)).toEqual([
      null,
      { name: 'Dra. Eva Luna', licence: '1234567', address: null },
    ]);
  });

  it.each([
    [['--prescriber', 'Dra. Luna', '--licence', '123456'], '--licence: It must be the number of a cédula profesional'],
    [['--prescriber', 'Dra. Luna', '--licence', '123456789'], '--licence: It must have at most 8 characters.'],
    [['--prescriber', 'Dra. Luna', '--licence', 'A234567'], '--licence: It must be the number of a cédula profesional'],
    [['--licence', '1234567'], '--licence: It goes with --prescriber.'],
    [['--prescriber-address', 'Orizaba 8'], '--prescriber-address: It goes with --prescriber.'],
    [['--prescriber', ' '], '--prescriber: This field may not be blank.'],
  ])('refuses %j', async (options, complaint) => {
    await misunderstood(['orders', 'verify-prescription', '1', ...options], complaint);
  });

  it('refuses one older than 180 days in Mexico, unless its age is accepted, which the history says', async () => {
    // The 180th day after 27 May is 23 November, the 181st begins at 06:00 UTC.
    id = await placed({ order: { prescriptions: [{ ...newPrescription(), issue_date: '2026-05-27' }] } });
    const old = (await stored(id)).prescriptions[0]?.id;
    setClock(new Date('2026-11-24T06:00:00.000Z'));
    expect(await verify()).toEqual(
      refused(
        `Prescription ${old} of order ${id} was issued on 2026-05-27, more than 180 days ago: ` +
          '--accept-age verifies it all the same.\n',
      ),
    );
    expect(await areVerified()).toEqual([false]);
    expect(await verify('--accept-age')).toEqual(done(`Every prescription of order ${id} is verified now.\n`));
    expect((await stored(id)).history.slice(1)).toMatchObject([
      { what: 'prescription_verified', prescriptions: [old] },
      { what: 'prescription_age_accepted', by: { operator: OPERATOR }, prescriptions: [old] },
    ]);
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it('verifies one of exactly 180 days, of which the history says nothing more', async () => {
    id = await placed({ order: { prescriptions: [{ ...newPrescription(), issue_date: '2026-05-27' }] } });
    setClock(new Date('2026-11-24T05:59:59.999Z'));
    expect(await verify('--accept-age')).toMatchObject({ code: 0 });
    expect((await stored(id)).history.map(({ what }) => what)).toEqual(['created', 'prescription_verified']);
  });

  it('takes the age from the setting of the stage', async () => {
    id = await placed({ order: { prescriptions: [{ ...newPrescription(), issue_date: '2026-11-20' }] } });
    vi.stubEnv('PRESCRIPTION_MAXIMUM_AGE_DAYS', '2');
    expect((await verify()).err).toContain('more than 2 days ago');
    vi.stubEnv('PRESCRIPTION_MAXIMUM_AGE_DAYS', '3');
    expect(await verify()).toMatchObject({ code: 0 });
    vi.unstubAllEnvs();
  });

  it('says in which orders the same document was verified or rejected, and twice in one', async () => {
    const same = newPrescription();
    const first = await placed({ order: { prescriptions: [same] } });
    id = first;
    expect(await verify()).toEqual(done(`Every prescription of order ${first} is verified now.\n`));
    const rejected = await placed({ order: { prescriptions: [same] } });
    await ops('orders', 'reject-prescription', String(rejected), '--reason', 'Ya surtida');
    // Nobody has looked at this one.
    await placed({ order: { prescriptions: [same] } });
    id = await placed({ order: { prescriptions: [newPrescription(), same, same] } });
    const idsOf = async (order: number) => (await stored(order)).prescriptions.map((each) => each.id);
    const [one] = await idsOf(first);
    const [two] = await idsOf(rejected);
    const [, second, third] = await idsOf(id);
    const { code, out } = await verify();
    expect([code, out.split('\n')]).toEqual([
      0,
      [
        `Every prescription of order ${id} is verified now.`,
        ...[
          [second, third],
          [third, second],
        ].flatMap(([of, copy]) => [
          `Prescription ${of} is the same document as prescription ${copy} of order ${id}.`,
          `Prescription ${of} is the same document as prescription ${one} of order ${first}.`,
          `Prescription ${of} is the same document as prescription ${two} of order ${rejected}, which was rejected.`,
        ]),
        '',
      ],
    ]);
    const json = await verify('--prescription', String(second), '--json');
    expect(JSON.parse(json.out)).toMatchObject({
      id,
      copies: [
        { prescription: second, order: id, copy: third, is_rejected: false },
        { prescription: second, order: first, copy: one, is_rejected: false },
        { prescription: second, order: rejected, copy: two, is_rejected: true },
      ],
    });
  });
});

describe('orders reject-prescription', () => {
  const reject = (id: number, ...more: string[]) =>
    ops('orders', 'reject-prescription', String(id), '--reason', 'Sin firma', ...more);
  const covered = { ...NEEDS_PRESCRIPTION };

  it('says why, in the history and in what operators read, and leaves the order where it is', async () => {
    const id = await placed({ order: { ...covered, prescriptions: [newPrescription()], comments: 'Tocar dos veces' } });
    const before = await stored(id);
    const [prescription] = before.prescriptions;
    setClock(LATER);
    expect(await reject(id)).toEqual(done(`Prescription ${prescription?.id} of order ${id} is rejected.\n`));
    const at = '2026-11-24T15:30:00.000Z';
    const by = { operator: OPERATOR };
    expect(await stored(id)).toEqual({
      ...before,
      prescriptions: [{ ...prescription, rejection: { at, by: OPERATOR, reason: 'Sin firma' }, updatedAt: at }],
      updatedAt: at,
      version: 2,
      history: [
        ...before.history,
        { what: 'prescription_rejected', at, version: 2, by, prescriptions: [prescription?.id], reason: 'Sin firma' },
      ],
    });
    const shown = JSON.parse((await ops('orders', 'show', String(id), '--json')).out);
    expect(shown).toMatchObject({
      order_status: 'pending_approval',
      comments: 'Tocar dos veces',
      prescriptions: [{ is_verified: false, rejected_at: at, rejected_by: OPERATOR, rejection_reason: 'Sin firma' }],
    });
    const { out } = await operate('terminal', 'orders', 'show', String(id));
    expect(out).toContain(`${prescription?.id}: Sin firma`);
  });

  it('of an approved order keeps it from being prepared, until the prescription is verified by its id', async () => {
    const id = await placed({ order: { ...covered, prescriptions: [newPrescription()] } });
    const only = String((await stored(id)).prescriptions[0]?.id);
    const move = (to: string) => ops('orders', 'move', String(id), '--to', to);
    await ops('orders', 'verify-prescription', String(id));
    expect(await move('approved')).toMatchObject({ code: 0 });
    expect(await reject(id)).toMatchObject({ code: 0 });
    expect(await stored(id)).toMatchObject({ orderStatus: 'approved', prescriptions: [{ verification: null }] });
    expect(await move('in_process')).toEqual(
      refused(`Order ${id} has no verified prescription that is still valid for: 1 × product 4.\n`),
    );
    expect(await ops('orders', 'verify-prescription', String(id))).toEqual(
      refused(`Every prescription of order ${id} was rejected; --prescription verifies one all the same.\n`),
    );
    expect(await ops('orders', 'verify-prescription', String(id), '--prescription', only)).toMatchObject({ code: 0 });
    expect((await stored(id)).prescriptions[0]).toMatchObject({ rejection: null, verification: { by: OPERATOR } });
    expect(await move('in_process')).toMatchObject({ code: 0 });
    expect(await reject(id)).toEqual(
      refused(
        `Medicines of order ${id} were dispensed under prescription ${only}; ` +
          'an order that is moved back to shortage takes them back.\n',
      ),
    );
  });

  it('leaves the rejected one out when the others are verified', async () => {
    const id = await placed({ order: { prescriptions: [newPrescription(), newPrescription()] } });
    const [first, second] = (await stored(id)).prescriptions;
    expect(await reject(id)).toEqual(
      refused(`Order ${id} has 2 prescriptions: --prescription says which one is rejected.\n`),
    );
    expect(await reject(id, '--prescription', String(first?.id))).toMatchObject({ code: 0 });
    expect(await ops('orders', 'verify-prescription', String(id))).toEqual(
      done(`Every prescription of order ${id} that was not rejected is verified now.\n`),
    );
    expect((await stored(id)).prescriptions).toMatchObject([
      { id: first?.id, verification: null },
      { id: second?.id, verification: { by: OPERATOR } },
    ]);
    expect(await reject(id, '--prescription', '99999999')).toEqual(refused(`Order ${id} has no such prescription.\n`));
  });

  it('refuses a version that is not the present one, and a missing or blank reason', async () => {
    const id = await placed({ order: { prescriptions: [newPrescription()] } });
    expect((await reject(id, '--version', '2')).err).toContain(`it is at version 1 now, not at 2`);
    await misunderstood(['orders', 'reject-prescription', '1'], '--reason: This field is required.');
    await misunderstood(
      ['orders', 'reject-prescription', '1', '--reason', ' '],
      '--reason: This field may not be blank.',
    );
    expect((await stored(id)).version).toBe(1);
  });
});

describe('dispensing export', () => {
  // Of the demonstration: an antibiotic, ibuprofen on a prescription, and paracetamol without one.
  const details = [
    { product: 15, quantity: 2 },
    { product: 4, quantity: 1 },
    { product: 1, quantity: 3 },
  ];
  const HEAD =
    'Fecha de dispensación,Folio,Denominación,Presentación,Cantidad,Antibiótico,Fracción,Receta,Fecha de la receta,' +
    'Nombre de quien prescribe,Cédula profesional,Domicilio de quien prescribe,Verificada por,Verificada el,Anulada el\r\n';
  // The last minute of February and the first of March in Mexico City.
  const END_OF_FEBRUARY = new Date('2027-03-01T05:59:30.000Z');
  const MARCH = new Date('2027-03-01T06:00:00.000Z');
  const PRESCRIBER = { name: '=Dra. Eva "Luna"', licence: '1234567', address: 'Orizaba 8, CDMX' };
  const named = [
    ...['--prescriber', PRESCRIBER.name, '--licence', PRESCRIBER.licence],
    ...['--prescriber-address', PRESCRIBER.address],
  ];

  const must = async (name: string, id: number, ...options: string[]) =>
    expect(await ops('orders', name, String(id), ...options)).toMatchObject({ code: 0 });

  async function dispense(at: Date, ...prescriber: string[]) {
    setClock(at);
    const prescription = { ...newPrescription(), issue_date: '2027-02-20' };
    // The earlier token is over by then.
    const token = await server.login('aseguradora@demo.example');
    const id = await placed({ order: { details, prescriptions: [prescription] }, token });
    await must('verify-prescription', id, ...prescriber);
    await must('move', id, '--to', 'approved');
    await must('move', id, '--to', 'in_process');
    return { id, prescription: (await stored(id)).prescriptions[0]?.id };
  }
  const linesOf = (csv: string) => csv.split('\r\n').slice(1, -1);

  it('has the prescribed medicines of a local month, under which prescription, and whether they went back', async () => {
    const one = await dispense(END_OF_FEBRUARY, ...named);
    const two = await dispense(MARCH);
    await must('move', one.id, '--to', 'shortage');
    await must('move', one.id, '--to', 'approved');
    setClock(new Date('2027-03-02T18:00:00.000Z'));
    await must('move', one.id, '--to', 'in_process');

    const whom = `${one.prescription},2027-02-20,"'=Dra. Eva ""Luna""",1234567,"Orizaba 8, CDMX",${OPERATOR},2027-02-28`;
    expect(await ops('dispensing', 'export', '--month', '2027-02')).toEqual(
      done(
        `${HEAD}2027-02-28,${folioOf(one.id)},Amoxicilina 500 mg,Caja con 12 cápsulas,2,Sí,IV,${whom},2027-03-01\r\n` +
          `2027-02-28,${folioOf(one.id)},Ibuprofeno 800 mg,Caja con 10 tabletas,1,No,IV,${whom},2027-03-01\r\n`,
      ),
    );

    const march = await ops('dispensing', 'export', '--month', '2027-03', '--antibiotics');
    expect(linesOf(march.out)).toEqual([
      `2027-03-01,${folioOf(two.id)},Amoxicilina 500 mg,Caja con 12 cápsulas,2,Sí,IV,${two.prescription},2027-02-20,,,,` +
        `${OPERATOR},2027-03-01,`,
      `2027-03-02,${folioOf(one.id)},Amoxicilina 500 mg,Caja con 12 cápsulas,2,Sí,IV,${whom},`,
    ]);
    expect(march.err).toBe(
      "1 of the antibiotics lack the prescriber's name, licence or address; orders verify-prescription records them.\n",
    );

    await must('verify-prescription', two.id, ...named);
    const json = await ops('dispensing', 'export', '--month', '2027-03', '--antibiotics', '--json');
    expect(JSON.parse(json.out).lines[0]).toEqual({
      date: '2027-03-01',
      order: two.id,
      folio: folioOf(two.id),
      product: 15,
      name: 'Amoxicilina 500 mg',
      presentation: 'Caja con 12 cápsulas',
      quantity: 2,
      is_antibiotic: true,
      sanitary_fraction: 'IV',
      prescriptions: [
        {
          id: two.prescription,
          issue_date: '2027-02-20',
          prescriber: PRESCRIBER,
          verified_on: '2027-03-01',
          verified_by: OPERATOR,
        },
      ],
      taken_back_on: null,
    });
    const { out } = await operate('terminal', 'orders', 'show', String(two.id));
    expect(out).toMatch(/^15 +Amoxicilina 500 mg .*prescription +IV, antibiotic$/m);
    expect(out).toMatch(/^dispensed_at +2027-03-01T06:00:00.000Z$/m);
  });

  it('goes to a file, as a spreadsheet reads it', async () => {
    const path = join(folder, 'registro.csv');
    expect(await ops('dispensing', 'export', '--month', '2027-04', '--out', path)).toEqual(
      done(`No lines of 2027-04 in ${path}.\n`),
    );
    expect(await readFile(path, 'utf8')).toBe(`\ufeff${HEAD}`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each(['2027-13', '2027-1', 'marzo'])('refuses the month %s', async (month) => {
    await misunderstood(['dispensing', 'export', '--month', month], '--month: It must be a month of the form YYYY-MM.');
  });
});

describe('among many changes at once', () => {
  const meanwhile = 'The order was changed at the same time; read it and try again.\n';

  it('one of ten equal moves wins', async () => {
    const id = await placed();
    const said = await Promise.all(
      Array.from({ length: 10 }, () => ops('orders', 'move', String(id), '--to', 'in_process')),
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
