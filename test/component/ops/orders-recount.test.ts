import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ORDER_STATUSES } from '../../../shared/domain/order.ts';
import { tableConfig } from '../../../shared/runtime/config.ts';
import {
  counterKey,
  couponCounterKey,
  createdPartition,
  creationKey,
  delaysKey,
  nameKey,
  type Viewer,
} from '../../../shared/store/keys.ts';
import { readCounts } from '../../../shared/store/order-lists/counters.ts';
import { toPairName } from '../../../shared/store/order-lists/status-pairs.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { replaceOrderWrites } from '../../../shared/store/orders/order-writes.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { operate } from '../../support/operators/operator.ts';
import { forceVersion } from '../../support/orders/forced-order.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { countByStatuses } from '../../support/orders/stored-counts.ts';
import { storeOrders } from '../../support/orders/stored-orders.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

const TIME = '2026-01-02T18:00:00.000Z';
const APPROVED_UNPAID = toPairName({ orderStatus: 'approved', paymentStatus: 'unpaid' });
const PATIENT = 10;
const DOCTOR = 20;

let server: TestServer;
let table: Table;
let tableName: string;
/** Each test has a new client with 20 orders of one patient, every tenth by a doctor. Their ids begin with the client's. */
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
    Array.from({ length: 20 }, (_, index) => numbered(index + 1)),
  );
});

/** 1,600 is a multiple of the number of shards, so that an order's number tells its shard. */
const orderId = (number: number): number => clientId * 1_600 + number;
const numbered = (number: number): Order =>
  syntheticOrder({
    id: orderId(number),
    clientId,
    patient: { id: PATIENT },
    ...(number % 10 === 0 && { doctor: DOCTOR }),
  });

async function recount(...options: string[]) {
  const { code, out, err } = await operate('pipe', 'orders', 'recount', '--client', String(clientId), ...options);
  expect(err).toBe('');
  return { code, ...JSON.parse(out) };
}

const NOTHING = { outcome: 'exact', differences: [], unsettled: [] };
const EXACT = { lists: NOTHING, counters: NOTHING, names: NOTHING, delays: NOTHING, redemptions: NOTHING };

async function tamper(viewer: Viewer, shard: number, pair: string, by: number) {
  await table.update({
    Key: counterKey(clientId, viewer, shard),
    UpdateExpression: 'ADD #pair :by',
    ExpressionAttributeNames: { '#pair': pair },
    ExpressionAttributeValues: { ':by': by },
  });
}

async function changed(before: Order, changes: Partial<Order>): Promise<Order> {
  const after = forceVersion(before, changes);
  await table.transact(replaceOrderWrites(before, after));
  return after;
}

const byView = (a: { view: string }, b: { view: string }) => (a.view < b.view ? -1 : 1);

const lose = (number: number, viewer: Viewer = 'client') =>
  table.deleteAll([{ pk: createdPartition(clientId, viewer), sk: creationKey(TIME, orderId(number)) }]);

describe('orders recount', () => {
  it('reports that everything is exact', async () => {
    await changed(numbered(3), { orderStatus: 'cancelled' });
    await changed(numbered(10), { paymentStatus: 'paid' });
    expect(await recount()).toEqual({ code: 0, client: clientId, orders: 20, views: 3, ...EXACT });
    expect(await recount('--repair')).toEqual({ code: 0, client: clientId, orders: 20, views: 3, ...EXACT });
  });

  it('reports the same for a client without orders', async () => {
    const { client } = await server.addClient('Nueva');
    const { code, out } = await operate('pipe', 'orders', 'recount', '--client', String(client.id));
    expect({ code, ...JSON.parse(out) }).toEqual({ code: 0, client: client.id, orders: 0, views: 1, ...EXACT });
  });

  it('finds what differs in every part, and repairs it on request', async () => {
    await lose(7);
    await lose(20, `doctor#${DOCTOR}`);
    await tamper('client', 1, APPROVED_UNPAID, 2);
    await tamper(`doctor#${DOCTOR}`, 2, toPairName({ orderStatus: 'quoted', paymentStatus: 'credit' }), 1);
    await tamper('doctor#21', 2, APPROVED_UNPAID, 1);
    await tamper(`patient#${PATIENT}`, 3, APPROVED_UNPAID, -4);
    await table.deleteAll([nameKey(clientId, 'paz', { patient: PATIENT, name: 'ana paz' }), delaysKey(clientId)]);
    const lists = [
      { order: orderId(7), list: `CREATED#${clientId}#client`, problem: 'missing' },
      { order: orderId(20), list: `CREATED#${clientId}#doctor#20`, problem: 'missing' },
    ];
    // The client's shard 1 counts the orders 1 and 17, and each shard of the patient five; doctor 21 has no orders.
    const counters = [
      { view: 'client', shard: 1, order_status: 'approved', payment_status: 'unpaid', orders: 2, counter: 4 },
      { view: 'doctor#20', shard: 2, order_status: 'quoted', payment_status: 'credit', orders: 0, counter: 1 },
      { view: 'doctor#21', shard: 2, order_status: 'approved', payment_status: 'unpaid', orders: 0, counter: 1 },
      { view: 'patient#10', shard: 3, order_status: 'approved', payment_status: 'unpaid', orders: 5, counter: 1 },
    ];
    const names = [{ patient: PATIENT, problem: 'missing', items: 1 }];
    // The latest delivery is 10 days and 5 hours after the order.
    const delays = [{ bound: 'longest', problem: 'missing', recorded_ms: 0, orders_ms: 882_000_000 }];
    await table.putAll([{ ...couponCounterKey(clientId, 7), redemptions: 2, changes: 3 }]);
    const redemptions = [{ counter: 'COUPON#7', orders: 0, redemptions: 2 }];
    const found = (outcome: string) => ({
      client: clientId,
      orders: 20,
      views: 4,
      lists: { outcome, differences: expect.toBeOneOf([lists, lists.toReversed()]), unsettled: [] },
      counters: {
        outcome,
        differences: expect.toSatisfy((rows) => isDeepStrictEqual(rows.toSorted(byView), counters)),
        unsettled: [],
      },
      names: { outcome, differences: names, unsettled: [] },
      delays: { outcome, differences: delays, unsettled: [] },
      redemptions: { outcome, differences: redemptions, unsettled: [] },
    });
    expect(await recount()).toEqual({ code: 1, ...found('different') });
    expect(await recount('--repair')).toEqual({ code: 0, ...found('repaired') });
    expect(await recount()).toMatchObject({ code: 0, ...EXACT });
    expect(await countByStatuses(clientId, 'client')).toEqual({ 'approved unpaid': 20 });
    expect(await countByStatuses(clientId, `patient#${PATIENT}`)).toEqual({ 'approved unpaid': 20 });
  });

  it('is seen as a change by a list that reads the counters meanwhile', async () => {
    const view = { clientId, viewer: 'client' } as const;
    await tamper('client', 1, APPROVED_UNPAID, 2);
    const { changes: before } = await readCounts(table, view);
    await recount('--repair');
    expect((await readCounts(table, view)).changes).toBe(before + 1);
  });

  it('run three times at once repairs once', async () => {
    await tamper('client', 1, APPROVED_UNPAID, 2);
    await lose(7);
    await Promise.all([recount('--repair'), recount('--repair'), recount('--repair')]);
    expect(await recount()).toMatchObject({ code: 0, ...EXACT });
  });

  it('finds nothing wrong in more orders than one page has', async () => {
    const { client } = await server.addClient('Larga');
    const history = Array.from({ length: 300 }, (_, index) =>
      syntheticOrder({
        id: 900_000 + index,
        clientId: client.id,
        patient: { id: 1_000 + (index % 60), lastName: `Paz ${index % 60}` },
        orderStatus: ORDER_STATUSES[index % 10] ?? 'quoted',
        createdAt: new Date(Date.parse(TIME) + index * 60_000).toISOString(),
      }),
    );
    await storeOrders(tableName, history);
    const { code, out } = await operate('pipe', 'orders', 'recount', '--client', String(client.id));
    expect({ code, ...JSON.parse(out) }).toEqual({ code: 0, client: client.id, orders: 300, views: 61, ...EXACT });
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

describe('orders recount while orders are placed and moved', () => {
  it('repairs once, then finds nothing wrong, and all is exact afterwards', async () => {
    await server.addUser({ ...server.client, id: clientId }, 'insurance_employee', 'prisa@example.mx');
    const token = await server.login('prisa@example.mx', key);
    for (let shard = 0; shard < 16; shard++) await tamper('client', shard, APPROVED_UNPAID, shard - 5);
    await tamper(`patient#${PATIENT}`, 2, toPairName({ orderStatus: 'approved', paymentStatus: 'paid' }), 9);
    for (const number of [1, 10, 15]) await lose(number);
    let isBusy = true;
    const statuses: number[] = [];
    const placing = Array.from({ length: 5 }, async (_, patient) => {
      for (let orders = 0; orders < 4; orders++) {
        const body = orderBody(`prisa-${patient}@example.mx`);
        statuses.push((await server.request('POST', '/api/orders/resources/', { token, key, body })).status);
      }
    });
    const moving = async () => {
      for (let number = 1; number <= 10; number++) {
        const moved = await changed(numbered(number), { orderStatus: 'in_process' });
        await changed(moved, { orderStatus: 'ready', paymentStatus: 'paid' });
      }
    };
    const working = Promise.all([...placing, moving()]).finally(() => {
      isBusy = false;
    });
    const outcomes = [];
    while (isBusy) {
      const { code, lists, counters, names, delays } = await recount('--repair');
      outcomes.push([code, lists.outcome, counters.outcome, names.outcome, delays.outcome]);
    }
    await working;
    // Only the first run finds something to repair, whatever is placed.
    const exact = [0, 'exact', 'exact', 'exact', 'exact'];
    const repaired = [0, 'repaired', 'repaired', 'exact', 'exact'];
    expect(outcomes).toEqual([repaired, ...Array(outcomes.length - 1).fill(exact)]);
    expect(statuses).toEqual(Array(20).fill(201));
    // The views are those of the client, one patient, one doctor and five new patients.
    expect(await recount()).toEqual({ code: 0, client: clientId, orders: 40, views: 8, ...EXACT });
    expect(await countByStatuses(clientId, 'client')).toEqual({ 'approved unpaid': 30, 'ready paid': 10 });
    expect(await countByStatuses(clientId, `patient#${PATIENT}`)).toEqual({ 'approved unpaid': 10, 'ready paid': 10 });
  }, 60_000);
});

describe('orders recount on a terminal', () => {
  it('prints text', async () => {
    const argv = ['orders', 'recount', '--client', String(clientId)];
    const heading = `Client ${clientId} has 20 orders in 3 views.\n`;
    const rest =
      'The indexed names are exact.\nThe delivery delays are exact.\nThe redemptions of coupons are exact.\n';
    expect(await operate('terminal', ...argv)).toMatchObject({
      code: 0,
      out: `${heading}The list entries are exact.\nThe counters are exact.\n${rest}`,
    });
    await lose(7);
    await tamper('client', 1, APPROVED_UNPAID, 2);
    const list = `CREATED#${clientId}#client`;
    const entry =
      `${'order'.padEnd(`${orderId(7)}`.length)}  ${'list'.padEnd(list.length)}  problem\n` +
      `${orderId(7)}  ${list}  missing\n`;
    const counter =
      'view    shard  order_status  payment_status  orders  counter\nclient  1      approved      unpaid          2       4\n';
    expect(await operate('terminal', ...argv)).toMatchObject({
      code: 1,
      out:
        `${heading}These list entries differ from the orders; --repair repairs them:\n${entry}` +
        `These counters differ from the orders; --repair repairs them:\n${counter}${rest}`,
    });
    expect(await operate('terminal', ...argv, '--repair')).toMatchObject({
      code: 0,
      out:
        `${heading}These list entries differed from the orders and are repaired:\n${entry}` +
        `These counters differed from the orders and are repaired:\n${counter}${rest}`,
    });
    expect(JSON.parse((await operate('terminal', ...argv, '--json')).out)).toMatchObject(EXACT);
  });

  it('prints JSON when stdout goes to a program', async () => {
    const { code, out } = await operate('redirected', 'orders', 'recount', '--client', String(clientId));
    expect({ code, ...JSON.parse(out) }).toEqual({ code: 0, client: clientId, orders: 20, views: 3, ...EXACT });
  });
});
