import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Order } from '../../../shared/order/order.ts';
import { newUser, userItem } from '../../../shared/people/users.ts';
import { counterKey, createdPartition, creationKey, delaysKey, nameKey, orderKey } from '../../../shared/store/keys.ts';
import { beginPause, endPause, type Pause } from '../../../shared/store/pause.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import { operate } from '../../support/operators/operator.ts';
import { INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';
import { storeOrders } from '../../support/orders/stored-orders.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { useServer } from '../../support/servers/test-server.ts';

// Another file of this process may have loaded the command.
vi.hoisted(() => vi.resetModules());
// The command waits for what is under way; nothing is.
vi.mock('node:timers/promises', async (original) => {
  const timers = await original<typeof import('node:timers/promises')>();
  const setTimeout = (ms: number, ...more: []) => timers.setTimeout(ms === 90_000 ? 0 : ms, ...more);
  return { ...timers, setTimeout };
});

const TIME = '2026-01-02T18:00:00.000Z';
const PATIENT = 10;

const server = useServer();
let table: Table;
/** Each test has a new client with 20 orders of one patient. Their ids begin with the client's. */
let clientId: number;
let key: string;
beforeAll(async () => {
  table = openTable();
});
beforeEach(async () => {
  const added = await server.addClient('Recuento');
  clientId = added.client.id;
  key = added.key;
  await storeOrders(Array.from({ length: 20 }, (_, index) => numbered(index + 1)));
});

/** 1,600 is a multiple of the number of shards, so that an order's number tells its shard. */
const orderId = (number: number): number => clientId * 1_600 + number;
const numbered = (number: number): Order => syntheticOrder({ id: orderId(number), clientId, patient: { id: PATIENT } });

async function rebuild(...options: string[]) {
  const argv = ['orders', 'rebuild', '--client', String(clientId), ...options];
  const { code, out, err } = await operate('pipe', ...argv, '--json');
  expect(err).toBe('');
  return { code, ...JSON.parse(out) };
}

describe('orders rebuild', () => {
  it('tells what differs in every part, and repairs it', async () => {
    await table.deleteAll([
      { pk: createdPartition(clientId, 'client'), sk: creationKey(TIME, orderId(7)) },
      nameKey(clientId, 'paz', { patient: PATIENT, name: 'ana paz' }),
      delaysKey(clientId),
      counterKey(clientId, 'client', 1),
    ]);
    const found = {
      client: clientId,
      orders: 20,
      lists: [{ order: orderId(7), list: `CREATED#${clientId}#client`, problem: 'missing' }],
      // The client's shard 1 counts the orders 1 and 17.
      counters: [{ counter: `COUNT#${clientId}#client SHARD#01`, counts: 'approved unpaid', orders: 2, counted: 0 }],
      names: [{ patient: PATIENT, problem: 'missing', items: 1 }],
      // The latest delivery is 10 days and 5 hours after the order.
      delays: [{ bound: 'longest', recorded_ms: 0, orders_ms: 882_000_000 }],
    };
    expect(await rebuild('--dry-run')).toEqual({ code: 1, ...found, dry_run: true });
    expect(await rebuild()).toEqual({ code: 0, ...found, dry_run: false });
    const exact = { lists: [], counters: [], names: [], delays: [] };
    expect(await rebuild('--dry-run')).toEqual({ code: 0, client: clientId, orders: 20, ...exact, dry_run: true });
  });

  it('refuses an unknown client, a missing option, and a client that is being rebuilt', async () => {
    const run = (...options: string[]) => operate('pipe', 'orders', 'rebuild', ...options);
    const client = ['--client', String(clientId)];
    expect(await run('--client', '99999')).toEqual({ code: 1, out: '', err: 'There is no client 99999.\n' });
    expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining('--client: This field is required.') });
    await beginPause(table, clientId);
    expect(await run(...client)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('being rebuilt') });
    expect(await run(...client, '--dry-run')).toMatchObject({ code: 0 });
  });
});

describe('while a client is being rebuilt', () => {
  let token: string;
  let pause: Pause;
  beforeEach(async () => {
    await server.addUser({ ...server.client, id: clientId }, 'insurance_employee', `prisa-${clientId}@example.mx`);
    token = await server.login(`prisa-${clientId}@example.mx`, key);
    pause = await beginPause(table, clientId);
  });

  const ORDERS = '/api/orders/resources/';
  const body = () => orderBody('nadie@example.mx');
  const place = () => server.request('POST', ORDERS, { token, key, body: body() });
  const REBUILDING = {
    status: 503,
    headers: expect.objectContaining({ 'retry-after': '60' }),
    body: { code: 'rebuilding', detail: expect.stringContaining('reconstruyendo') },
  };

  it('routes that write answer 503, and work once it is done', async () => {
    const order = `/api/orders/${orderId(1)}/`;
    const call = (sent: object) => ({ token, key, body: sent });
    const prescriptions = { prescriptions: [{ document: PDF, issue_date: '2020-02-29' }] };
    const writes = [
      await place(),
      await server.request('PATCH', order, call({ order_status: 'cancelled' })),
      await server.request('POST', `${order}prescriptions/`, call(prescriptions)),
      await server.request('PATCH', `${order}request-invoice/`, call(INVOICING)),
      await server.request('PUT', `${order}request-invoice/`, call({ invoicing: INVOICING })),
    ];
    for (const answer of writes) expect(answer).toMatchObject(REBUILDING);
    const reads = ['/api/orders/', order, `${order}events/`];
    for (const path of reads) expect(await server.request('GET', path, { token, key })).toMatchObject({ status: 200 });
    await endPause(table, pause);
    expect(await place()).toMatchObject({ status: 201 });
  });

  it('commands refuse to write orders and people', async () => {
    const client = ['--client', String(clientId)];
    const email = `prisa-${clientId}@example.mx`;
    const id = String(orderId(1));
    const luz = ['--email', 'luz@example.mx', '--first-name', 'Luz', '--last-name', 'Sol'];
    const COMMANDS = [
      ['patients', 'erase', ...client, '--id', String(PATIENT), '--yes'],
      ['orders', 'move', id, '--to', 'in_process'],
      ['orders', 'pay', id, '--status', 'paid', '--form', '03'],
      ['orders', 'handled', id],
      ['users', 'create', ...client, '--role', 'patient', ...luz],
      ['users', 'update', ...client, '--email', email, '--first-name', 'Eva'],
    ];
    for (const argv of COMMANDS) {
      const { code, err } = await operate('pipe', ...argv);
      expect([argv.slice(0, 2), code, err]).toEqual([argv.slice(0, 2), 1, expect.stringContaining('being rebuilt')]);
    }
    expect(await operate('pipe', 'orders', 'show', id)).toMatchObject({ code: 0 });
  });

  it('jobs leave its orders for a later run', async () => {
    const due = taxDocument({ key: 'order-due', status: 'retrying', tasks: { issue: { tries: 0, dueAt: TIME } } });
    const order = syntheticOrder({ id: orderId(30), clientId, patient: { id: PATIENT }, invoice: due });
    await storeOrders([order]);
    const { role, email, firstName, lastName, secondLastName, phone } = order.patient;
    const patient = { clientId, role, email, firstName, lastName, secondLastName, phone, passwordHash: null };
    await table.putAll([userItem(newUser(PATIENT, patient, TIME))]);
    const settle = async () =>
      JSON.parse((await operate('pipe', 'jobs', 'run', 'run-due-tasks', '--json')).out).documents;
    const stored = () => table.get(orderKey(clientId, order.id));
    const before = await stored();
    expect(await settle()).toMatchObject({ paused: 1 });
    expect(await stored()).toEqual(before);
    await endPause(table, pause);
    expect(await settle()).not.toHaveProperty('paused');
    expect(await stored()).not.toEqual(before);
  });
});
