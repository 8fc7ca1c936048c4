import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tableConfig } from '../../shared/runtime/config.ts';
import { counterKey, creationKey, entryPartition, type Viewer, viewPartition } from '../../shared/store/keys.ts';
import { readCounts } from '../../shared/store/order-lists/order-counters.ts';
import { recountView } from '../../shared/store/order-lists/order-recount.ts';
import { toPairName } from '../../shared/store/order-lists/status-pairs.ts';
import type { Order } from '../../shared/store/orders/order.ts';
import { changeOrderWrites, createOrderWrites } from '../../shared/store/orders/order-writes.ts';
import { openTable, type Table } from '../../shared/store/table.ts';
import { operate } from '../support/operators/operator.ts';
import { orderBody } from '../support/orders/samples.ts';
import { storeOrders } from '../support/orders/stored-orders.ts';
import { orderHistory, syntheticOrder } from '../support/orders/synthetic-orders.ts';
import { openTestServer, type TestServer } from '../support/servers/test-server.ts';

const TIME = '2026-01-02T18:00:00.000Z';
const APPROVED_UNPAID = toPairName({ orderStatus: 'approved', paymentStatus: 'unpaid' });
const PATIENT = 10;
const DOCTOR = 20;

let server: TestServer;
let table: Table;
let tableName: string;
/** Each test has a new client with orders 1 to 40 of one patient, every tenth by a doctor. */
let clientId: number;
let key: string;
beforeAll(async () => {
  server = await openTestServer();
  table = openTable();
  tableName = tableConfig().TABLE_NAME;
});
afterAll(() => server.close());
beforeEach(async () => {
  const added = await server.addClient('Recuento');
  clientId = added.client.id;
  key = added.key;
  await storeOrders(
    tableName,
    Array.from({ length: 40 }, (_, index) => numbered(index + 1)),
  );
});

const numbered = (id: number): Order =>
  syntheticOrder({ id, clientId, patient: { id: PATIENT }, ...(id % 10 === 0 && { doctor: DOCTOR }) });

async function recount(...options: string[]) {
  const { code, out, err } = await operate('pipe', 'orders', 'recount', '--client', String(clientId), ...options);
  expect(err).toBe('');
  return { code, ...JSON.parse(out) };
}

const EXACT = {
  lists: { outcome: 'exact', faults: [] },
  counters: { outcome: 'exact', differences: [], unsettled: [] },
};

/** Changes a counter. Order 17 is in the client's shard 1 and the patient's shard 1, order 20 in the doctor's shard 0. */
async function tamper(
  viewer: 'client' | `patient#${number}` | `doctor#${number}`,
  shard: number,
  pair: string,
  by: number,
) {
  await table.update({
    Key: counterKey(clientId, viewer, shard),
    UpdateExpression: 'ADD #pair :by',
    ExpressionAttributeNames: { '#pair': pair },
    ExpressionAttributeValues: { ':by': by },
  });
}

async function changed(before: Order, changes: Partial<Order>): Promise<Order> {
  const after = { ...before, ...changes, version: before.version + 1 };
  await table.transact(changeOrderWrites(before, after));
  return after;
}

const counts = async (viewer: 'client' | `patient#${number}`) => {
  const found = (await readCounts(table, clientId, viewer)).counts.filter(({ orders }) => orders !== 0);
  return found.map(({ orderStatus, paymentStatus, orders }) => `${orderStatus} ${paymentStatus} ${orders}`).sort();
};

describe('orders recount', () => {
  it('reports exact counters', async () => {
    await changed(numbered(3), { orderStatus: 'cancelled' });
    await changed(numbered(10), { paymentStatus: 'paid' });
    expect(await recount()).toEqual({ code: 0, client: clientId, orders: 40, views: 3, ...EXACT });
    expect(await recount('--repair')).toEqual({ code: 0, client: clientId, orders: 40, views: 3, ...EXACT });
  });

  it('reports exact counters for a client without orders', async () => {
    const { client } = await server.addClient('Nueva');
    const { code, out } = await operate('pipe', 'orders', 'recount', '--client', String(client.id));
    expect({ code, ...JSON.parse(out) }).toEqual({ code: 0, client: client.id, orders: 0, views: 1, ...EXACT });
  });

  it('finds wrong counters in every view, and repairs them on request', async () => {
    await tamper('client', 1, APPROVED_UNPAID, 2);
    await tamper('client', 1, toPairName({ orderStatus: 'shipped', paymentStatus: 'paid' }), -1);
    await tamper(`patient#${PATIENT}`, 3, APPROVED_UNPAID, -4);
    await tamper(`doctor#${DOCTOR}`, 2, toPairName({ orderStatus: 'quoted', paymentStatus: 'credit' }), 1);
    // Orders 1, 17 and 33 are in shard 1 of 16; each shard of 4 has ten orders, and shard 3 loses 4 of them.
    const differences = [
      { view: 'client', shard: 1, order_status: 'approved', payment_status: 'unpaid', orders: 3, counter: 5 },
      { view: 'client', shard: 1, order_status: 'shipped', payment_status: 'paid', orders: 0, counter: -1 },
      { view: 'doctor#20', shard: 2, order_status: 'quoted', payment_status: 'credit', orders: 0, counter: 1 },
      { view: 'patient#10', shard: 3, order_status: 'approved', payment_status: 'unpaid', orders: 10, counter: 6 },
    ];
    const sorted = ({ counters, ...rest }: Awaited<ReturnType<typeof recount>>) => ({
      ...rest,
      counters: {
        ...counters,
        differences: counters.differences.toSorted((a: (typeof differences)[0], b: (typeof differences)[0]) =>
          `${a.view}${a.order_status}` < `${b.view}${b.order_status}` ? -1 : 1,
        ),
      },
    });
    const found = { client: clientId, orders: 40, views: 3, lists: EXACT.lists };
    const asFound = (outcome: string) => ({ ...found, counters: { outcome, differences, unsettled: [] } });
    expect(sorted(await recount())).toEqual({ code: 1, ...asFound('different') });
    expect(sorted(await recount())).toEqual({ code: 1, ...asFound('different') });
    expect(sorted(await recount('--repair'))).toEqual({ code: 0, ...asFound('repaired') });
    expect(await recount()).toMatchObject({ code: 0, ...EXACT });
    expect(await counts('client')).toEqual(['approved unpaid 40']);
    expect(await counts(`patient#${PATIENT}`)).toEqual(['approved unpaid 40']);
  });

  it('creates a missing counter', async () => {
    await table.transact([{ Delete: { Key: counterKey(clientId, 'client', 5) } }]);
    const difference = {
      view: 'client',
      shard: 5,
      order_status: 'approved',
      payment_status: 'unpaid',
      orders: 3,
      counter: 0,
    };
    expect((await recount('--repair')).counters.differences).toEqual([difference]);
    expect(await counts('client')).toEqual(['approved unpaid 40']);
  });

  it('is seen as a change by a list that reads the counters meanwhile', async () => {
    await tamper('client', 1, APPROVED_UNPAID, 2);
    const { changes: before } = await readCounts(table, clientId, 'client');
    await recount('--repair');
    expect((await readCounts(table, clientId, 'client')).changes).toBe(before + 1);
  });

  it('repairs while 50 orders are placed and others are moved, and all is exact afterwards', async () => {
    await server.addUser({ ...server.client, id: clientId }, 'insurance_employee', 'prisa@example.mx');
    const token = await server.login('prisa@example.mx', key);
    for (let shard = 0; shard < 16; shard++) await tamper('client', shard, APPROVED_UNPAID, shard - 5);
    await tamper(`patient#${PATIENT}`, 2, toPairName({ orderStatus: 'approved', paymentStatus: 'paid' }), 9);
    const place = (index: number) =>
      server.request('POST', '/api/orders/resources/', { token, key, body: orderBody(`prisa-${index}@example.mx`) });
    let isBusy = true;
    const statuses: number[] = [];
    const placing = Array.from({ length: 5 }, async (_, patient) => {
      for (let orders = 0; orders < 10; orders++) statuses.push((await place(patient)).status);
    });
    const moving = async () => {
      for (let id = 1; id <= 20; id++) {
        const moved = await changed(numbered(id), { orderStatus: 'in_process' });
        await changed(moved, { orderStatus: 'ready', paymentStatus: 'paid' });
      }
    };
    const working = Promise.all([...placing, moving()]).finally(() => {
      isBusy = false;
    });
    const outcomes = [];
    while (isBusy) {
      const { code, counters } = await recount('--repair');
      outcomes.push([code, counters.outcome]);
    }
    await working;
    // Only the first run finds counters to repair, whatever is placed.
    expect(outcomes).toEqual([[0, 'repaired'], ...Array(outcomes.length - 1).fill([0, 'exact'])]);
    expect(statuses).toEqual(Array(50).fill(201));
    // The views are those of the client, one patient, one doctor and five new patients.
    expect(await recount()).toEqual({ code: 0, client: clientId, orders: 90, views: 8, ...EXACT });
    expect(await counts('client')).toEqual(['approved unpaid 70', 'ready paid 20']);
    expect(await counts(`patient#${PATIENT}`)).toEqual(['approved unpaid 20', 'ready paid 20']);
  });

  describe('with a counter that is written meanwhile', () => {
    /** Makes a table in which another order is placed after each of these readings of the counters. */
    function busyTable(isMoment: (reading: number) => boolean): Table {
      const busy = openTable();
      const all = busy.all.bind(busy);
      let readings = 0;
      let id = 33;
      busy.all = async (...asked) => {
        const items = await all(...asked);
        readings += 1;
        id += 16;
        if (isMoment(readings)) await table.transact(createOrderWrites(numbered(id)));
        return items;
      };
      return busy;
    }

    const inShard1 = { viewer: 'client', shard: 1, orderStatus: 'approved', paymentStatus: 'unpaid' };

    // A try reads the counters before the orders and after them. Shard 1 has three orders, and two too many.
    it.each([
      ['before they are counted', [1], 1],
      ['after they were counted', [2], 1],
      ['at each of three tries', [1, 2, 3, 4, 5, 6], 6],
    ])('counts an order correctly that is placed %s', async (_, moments, more) => {
      await tamper('client', 1, APPROVED_UNPAID, 2);
      const busy = busyTable((reading) => moments.includes(reading));
      const recounting = { purpose: 'repair', suspects: new Set<number>(), longestPauseMs: 50 } as const;
      expect(await recountView(busy, { clientId, viewer: 'client' }, recounting)).toEqual({
        differences: [{ ...inShard1, orders: 3 + more, counter: 5 + more }],
        unsettled: [],
      });
      expect(await counts('client')).toEqual([`approved unpaid ${40 + more}`]);
    });

    it('ignores a counter that was written while the orders were counted', async () => {
      await tamper('client', 1, APPROVED_UNPAID, 2);
      const proof = { purpose: 'proof', suspects: new Set<number>() } as const;
      const busy = busyTable((reading) => reading === 1);
      expect(await recountView(busy, { clientId, viewer: 'client' }, proof)).toEqual({
        differences: [{ ...inShard1, orders: 4, counter: 6 }],
        unsettled: [],
      });
    });

    it('gives up on a counter that is written without a pause, and reports it', async () => {
      const proof = { purpose: 'proof', suspects: new Set<number>(), longestPauseMs: 5 } as const;
      const busy = busyTable((reading) => reading % 2 === 1);
      expect(await recountView(busy, { clientId, viewer: 'client' }, proof)).toEqual({
        differences: [],
        unsettled: [{ viewer: 'client', shard: 1 }],
      });
    });
  });

  it('run twice at once repairs once', async () => {
    await tamper('client', 1, APPROVED_UNPAID, 2);
    await Promise.all([recount('--repair'), recount('--repair'), recount('--repair')]);
    expect(await recount()).toMatchObject({ code: 0, ...EXACT });
  });

  it('refuses an unknown client and a missing option', async () => {
    expect(await operate('pipe', 'orders', 'recount', '--client', '99999')).toEqual({
      code: 1,
      out: '',
      err: 'There is no client 99999.\n',
    });
    const { code, err } = await operate('pipe', 'orders', 'recount', '--repair');
    expect([code, err]).toEqual([2, expect.stringContaining('--client: This field is required.')]);
  });
});

describe('orders recount proves the lists', () => {
  const place = (id: number) => creationKey(TIME, id);
  const row = (id: number, viewer: Viewer = 'client') => ({ pk: viewPartition(clientId, viewer), sk: place(id) });
  const entry = (id: number, viewer: Viewer = 'client') => ({ pk: entryPartition(clientId, viewer), sk: place(id) });
  const remove = (Key: object) => table.transact([{ Delete: { Key: Key as Record<string, string> } }]);
  const set = (Key: object, name: string, value: string | number) =>
    table.update({
      Key: Key as Record<string, string>,
      UpdateExpression: 'SET #name = :value',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':value': value },
    });
  const patient = `patient#${PATIENT}`;

  it.each([
    ['a row with another total', () => set(row(7), 'totalCents', 1), ['client', 7, 'row', 'different']],
    ['a row with another key of an index', () => set(row(7), 'orderStatusKey', 'x'), ['client', 7, 'row', 'different']],
    ['a row that is gone', () => remove(row(8)), ['client', 8, 'row', 'missing']],
    ['the last row of a patient that is gone', () => remove(row(40, patient)), [patient, 40, 'row', 'missing']],
    ['an entry that is gone', () => remove(entry(9)), ['client', 9, 'entry', 'missing']],
    [
      'an entry of a doctor with another status',
      () => set(entry(10, 'doctor#20'), 'entry', 'shipped\tpaid\t10\t\t\tana paz'),
      ['doctor#20', 10, 'entry', 'different'],
    ],
    ['a row of an order that does not exist', () => set(row(77), 'id', 77), ['client', 77, 'row', 'stray']],
    [
      'an entry behind the last row',
      () => set(entry(78), 'entry', 'approved\tunpaid\t10\t\t\tana'),
      ['client', 78, 'entry', 'stray'],
    ],
    [
      'a row of an order that the doctor did not place',
      () => set(row(11, 'doctor#20'), 'id', 11),
      ['doctor#20', 11, 'row', 'stray'],
    ],
  ])('%s is found, and its order is counted', async (_, spoil, [view, order, part, fault]) => {
    await spoil();
    const { code, lists, counters } = await recount('--repair');
    expect({ code, lists, counters }).toEqual({
      code: 1,
      lists: { outcome: 'different', faults: [{ view, order, part, fault }] },
      counters: EXACT.counters,
    });
  });

  it('finds an order that both lists of a patient lack', async () => {
    await remove(row(12, patient));
    await remove(entry(12, patient));
    const { lists, counters } = await recount();
    expect(lists.faults).toEqual([
      { view: patient, order: 12, part: 'row', fault: 'missing' },
      { view: patient, order: 12, part: 'entry', fault: 'missing' },
    ]);
    expect(counters).toEqual(EXACT.counters);
  });

  it('in a view of more orders than one page has', async () => {
    const { client } = await server.addClient('Larga');
    await storeOrders(tableName, [...orderHistory(client.id, 130, 5)]);
    const argv = ['orders', 'recount', '--client', String(client.id)];
    const { code, out } = await operate('pipe', ...argv);
    // Each of 13 patients has some of the 130 orders.
    expect({ code, ...JSON.parse(out) }).toEqual({ code: 0, client: client.id, orders: 130, views: 14, ...EXACT });
    await table.update({
      Key: counterKey(client.id, 'client', 0),
      UpdateExpression: 'ADD #pair :one',
      ExpressionAttributeNames: { '#pair': APPROVED_UNPAID },
      ExpressionAttributeValues: { ':one': 1 },
    });
    expect((await operate('pipe', ...argv)).code).toBe(1);
  });
});

describe('orders recount on a terminal', () => {
  it('prints text', async () => {
    const argv = ['orders', 'recount', '--client', String(clientId)];
    const exact = `Client ${clientId} has 40 orders in 3 views.\nEvery row and entry of the lists is what its order says.\n`;
    expect(await operate('terminal', ...argv)).toMatchObject({ code: 0, out: `${exact}The counters are exact.\n` });
    await tamper('client', 1, APPROVED_UNPAID, 2);
    const table =
      'view    shard  order_status  payment_status  orders  counter\nclient  1      approved      unpaid          3       5\n';
    expect(await operate('terminal', ...argv)).toMatchObject({
      code: 1,
      out: `${exact}These counters differ from the orders; --repair puts them right:\n${table}`,
    });
    expect(await operate('terminal', ...argv, '--repair')).toMatchObject({
      code: 0,
      out: `${exact}These counters differed from the orders and are repaired:\n${table}`,
    });
    expect(JSON.parse((await operate('terminal', ...argv, '--json')).out)).toMatchObject(EXACT);
  });
});
