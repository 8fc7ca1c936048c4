import { describe, expect, it, vi } from 'vitest';
import { counterKey, creationKey, entryPartition, type Viewer, viewPartition } from '../../../shared/store/keys.ts';
import { readShards } from '../../../shared/store/order-lists/order-counters.ts';
import { checkLists, toPlace } from '../../../shared/store/order-lists/order-list-check.ts';
import { recountView } from '../../../shared/store/order-lists/order-recount.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import {
  changed,
  clientId,
  disturbed,
  placed,
  table,
  useOrderTable,
  withShortPages,
} from '../../support/orders/order-table.ts';

useOrderTable();

describe('a check of lists', () => {
  async function faults(viewer: Viewer, members: readonly string[] = [], from = table) {
    const found = [];
    for await (const part of checkLists(from, { clientId, viewer }, members)) found.push(...part.faults);
    return found.toSorted((a, b) => a.orderId - b.orderId);
  }
  const at = (partition: typeof viewPartition, viewer: Viewer, order: Order) => ({
    pk: partition(clientId, viewer),
    sk: toPlace(order),
  });
  const drop = (partition: typeof viewPartition, viewer: Viewer, order: Order) =>
    table.transact([{ Delete: { Key: at(partition, viewer, order) } }]);
  const spoil = (partition: typeof viewPartition, viewer: Viewer, order: Order, name: string) =>
    table.update({
      Key: at(partition, viewer, order),
      UpdateExpression: 'SET #name = :wrong',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':wrong': 'wrong' },
    });

  it('finds nothing in lists as they are written', async () => {
    const orders = [await placed({ id: 1 }), await placed({ id: 2, doctor: 20 }), await placed({ id: 3 })];
    for (const viewer of ['client', 'patient#10', 'doctor#20', 'doctor#21'] as const) {
      expect(await faults(viewer)).toEqual([]);
    }
    const members = orders.map(toPlace);
    expect(members[0]).toBe('2026-01-02T18:00:00.000Z#000000000000001');
    expect(await faults('client', members)).toEqual([]);
  });

  it('returns the orders of a view, which are read 100 at a time', async () => {
    const orders = [await placed({ id: 1 }), await placed({ id: 2 })];
    const parts = [];
    for await (const part of checkLists(table, { clientId, viewer: 'client' }, [])) parts.push(part.orders);
    expect(parts.flat()).toEqual(orders);
  });

  it('reports missing, different and stray items', async () => {
    const [one, two, three, four] = [
      await placed({ id: 1 }),
      await placed({ id: 2 }),
      await placed({ id: 3, createdAt: '2026-01-03T18:00:00.000Z' }),
      await placed({ id: 4, createdAt: '2026-01-04T18:00:00.000Z' }),
    ];
    await drop(viewPartition, 'client', one);
    await drop(entryPartition, 'client', two);
    await spoil(viewPartition, 'client', three, 'patientName');
    await spoil(entryPartition, 'client', four, 'entry');
    const viewer = 'client';
    expect(await faults(viewer)).toEqual([
      { viewer, orderId: 1, part: 'row', fault: 'missing' },
      { viewer, orderId: 2, part: 'entry', fault: 'missing' },
      { viewer, orderId: 3, part: 'row', fault: 'different' },
      { viewer, orderId: 4, part: 'entry', fault: 'different' },
    ]);
    expect(await faults('patient#10')).toEqual([]);
  });

  it('finds stray rows and entries before, between and after the others', async () => {
    const order = await placed({ id: 5, createdAt: '2026-01-05T18:00:00.000Z' });
    const strays = [
      { pk: entryPartition(clientId, 'client'), sk: creationKey('2026-01-01T18:00:00.000Z', 1) },
      { pk: viewPartition(clientId, 'client'), sk: creationKey('2026-01-05T18:00:00.000Z', 4) },
      // This row has the id of order 5 and another time.
      { pk: viewPartition(clientId, 'client'), sk: creationKey('2026-01-06T18:00:00.000Z', 5) },
      { pk: entryPartition(clientId, 'client'), sk: creationKey('2026-01-09T18:00:00.000Z', 9) },
      { pk: viewPartition(clientId, 'doctor#20'), sk: toPlace(order) },
    ];
    await table.transact(strays.map((Item) => ({ Put: { Item } })));
    const viewer = 'client';
    const found = [
      { viewer, orderId: 1, part: 'entry', fault: 'stray' },
      { viewer, orderId: 4, part: 'row', fault: 'stray' },
      { viewer, orderId: 5, part: 'row', fault: 'stray' },
      { viewer, orderId: 9, part: 'entry', fault: 'stray' },
    ];
    expect(await faults('client')).toEqual(found);
    expect(await faults('client', [], withShortPages(1))).toEqual(found);
    expect(await faults('doctor#20')).toEqual([{ viewer: 'doctor#20', orderId: 5, part: 'row', fault: 'stray' }]);
  });

  it('reads orders only once when they match their lists', async () => {
    await placed({ id: 1 });
    await placed({ id: 2 });
    let reads = 0;
    const told = disturbed('getAll', async () => {
      reads += 1;
    });
    expect(await faults('client', [], told)).toEqual([]);
    expect(reads).toBe(1);
  });

  it('reports an order as missing that is listed only at a wrong place', async () => {
    const order = await placed({ id: 1 });
    await drop(viewPartition, 'client', order);
    await drop(entryPartition, 'client', order);
    const sk = creationKey('2026-01-06T18:00:00.000Z', 1);
    await table.transact([{ Put: { Item: { pk: viewPartition(clientId, 'client'), sk } } }]);
    expect(await faults('client')).toEqual([
      { viewer: 'client', orderId: 1, part: 'row', fault: 'stray' },
      { viewer: 'client', orderId: 1, part: 'row', fault: 'missing' },
      { viewer: 'client', orderId: 1, part: 'entry', fault: 'missing' },
    ]);
  });

  it('reports an order that is in no list, if it is known to belong to the view', async () => {
    const [one, two] = [await placed({ id: 1 }), await placed({ id: 2 })];
    await drop(viewPartition, 'client', two);
    await drop(entryPartition, 'client', two);
    expect(await faults('client')).toEqual([]);
    expect(await faults('client', [toPlace(one), toPlace(two)])).toEqual([
      { viewer: 'client', orderId: 2, part: 'row', fault: 'missing' },
      { viewer: 'client', orderId: 2, part: 'entry', fault: 'missing' },
    ]);
  });

  it('reports no error for an order that is changed meanwhile', async () => {
    let order = await placed({ id: 1 });
    let changes = 0;
    const busy = disturbed('getAll', async () => {
      if (changes++ < 2) order = await changed(order, { orderStatus: changes === 1 ? 'quoted' : 'cancelled' });
    });
    expect(await faults('client', [], busy)).toEqual([]);
    // The order is read at first, during a change, and at rest.
    expect(changes).toBe(3);
  });

  it('gives up on an order that is changed without a pause', async () => {
    let order = await placed({ id: 1 });
    let tries = 0;
    const busy = disturbed('getAll', async () => {
      tries += 1;
      order = await changed(order, { orderStatus: tries % 2 === 0 ? 'quoted' : 'cancelled' });
    });
    const late = { code: 'unavailable', retryAfterSeconds: 2 };
    await expect(faults('client', [], busy)).rejects.toMatchObject(late);
    // The order is read once, and ten times more.
    expect(tries).toBe(11);
  });
});

describe('a recount', () => {
  const recount = (
    purpose: 'proof' | 'repair',
    viewer: Viewer = 'client',
    suspects: readonly number[] = [],
    from = table,
  ) => recountView(from, { clientId, viewer }, { purpose, suspects: new Set(suspects) });
  const EXACT = { differences: [], unsettled: [] };
  const tamper = (shard: number, counts: Readonly<Record<string, number>>) =>
    table.transact([{ Put: { Item: { ...counterKey(clientId, 'client', shard), changes: 1, ...counts } } }]);
  const unpaid = { viewer: 'client', orderStatus: 'approved', paymentStatus: 'unpaid' } as const;

  it('finds counters exact as orders write them', async () => {
    const order = await placed({ id: 1, doctor: 20 });
    await placed({ id: 17 });
    await placed({ id: 2 });
    await changed(order, { orderStatus: 'cancelled' });
    for (const viewer of ['client', 'patient#10', 'doctor#20', 'doctor#21'] as const) {
      expect(await recount('repair', viewer)).toEqual(EXACT);
    }
  });

  it('reports differences, and repairs them on request', async () => {
    for (const id of [1, 17, 2]) await placed({ id });
    await tamper(1, { au: 3, qc: -1, zz: 4 });
    await tamper(5, { au: 2 });
    const differences = [
      { ...unpaid, shard: 1, orders: 2, counter: 3 },
      { viewer: 'client', orderStatus: 'quoted', paymentStatus: 'credit', shard: 1, orders: 0, counter: -1 },
      { ...unpaid, shard: 5, orders: 0, counter: 2 },
    ];
    const sorted = (found: Awaited<ReturnType<typeof recount>>) => ({
      ...found,
      differences: found.differences.toSorted((a, b) => a.shard - b.shard || b.orders - a.orders),
    });
    expect(sorted(await recount('proof'))).toEqual({ differences, unsettled: [] });
    expect(sorted(await recount('repair'))).toEqual({ differences, unsettled: [] });
    expect(await recount('repair')).toEqual(EXACT);
    expect((await readShards(table, clientId, 'client')).map(({ number, changes }) => [number, changes])).toEqual([
      [1, 2],
      [2, 1],
      [5, 2],
    ]);
  });

  it('creates a missing counter', async () => {
    await placed({ id: 1 });
    await table.transact([{ Delete: { Key: counterKey(clientId, 'client', 1) } }]);
    const differences = [{ ...unpaid, shard: 1, orders: 1, counter: 0 }];
    expect(await recount('repair')).toEqual({ differences, unsettled: [] });
    expect(await readShards(table, clientId, 'client')).toEqual([
      { number: 1, changes: 1, pairs: new Map([['au', 1]]) },
    ]);
  });

  it('counts an order with a faulty list entry from the order itself, in its views', async () => {
    const [order] = [await placed({ id: 1, doctor: 20 }), await placed({ id: 2 })];
    await table.transact([
      { Delete: { Key: { pk: entryPartition(clientId, 'client'), sk: toPlace(order) } } },
      { Put: { Item: { pk: entryPartition(clientId, 'doctor#21'), sk: toPlace(order), entry: 'approved\tunpaid' } } },
    ]);
    expect(await recount('proof', 'client', [1, 2])).toEqual(EXACT);
    expect(await recount('proof', 'doctor#21', [1])).toEqual(EXACT);
    expect((await recount('proof', 'client')).differences).toEqual([{ ...unpaid, shard: 1, orders: 0, counter: 1 }]);
  });

  it('counts again after a write, and repairs only differences that it has seen', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await placed({ id: 1 });
    await tamper(1, { au: 5 });
    let reads = 0;
    const busy = disturbed('all', async () => {
      if (++reads === 2) await placed({ id: 17 });
    });
    const differences = [{ ...unpaid, shard: 1, orders: 2, counter: 6 }];
    expect(await recount('repair', 'client', [], busy)).toEqual({ differences, unsettled: [] });
    expect(await recount('proof')).toEqual(EXACT);
    expect(reads).toBe(4);
  });

  it('reports its repairs, even when it had to count other counters again', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await placed({ id: 1 });
    await placed({ id: 2 });
    await tamper(1, { au: 5 });
    let reads = 0;
    const busy = disturbed('all', async () => {
      if (++reads === 2) await placed({ id: 18 });
    });
    const differences = [{ ...unpaid, shard: 1, orders: 1, counter: 5 }];
    expect(await recount('repair', 'client', [], busy)).toEqual({ differences, unsettled: [] });
    expect(reads).toBe(4);
  });

  it('reports counters as unknown that were written during every try', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await placed({ id: 2 });
    let order = await placed({ id: 1 });
    let reads = 0;
    const busy = disturbed('all', async () => {
      reads += 1;
      order = await changed(order, {});
    });
    expect(await recount('repair', 'client', [], busy)).toEqual({
      differences: [],
      unsettled: [{ viewer: 'client', shard: 1 }],
    });
    expect(reads).toBe(60);
  });
});
