import { describe, expect, it } from 'vitest';
import { counterKey, type Viewer } from '../../../shared/store/keys.ts';
import { countOrders, readCounts, readShards, replaceShard } from '../../../shared/store/order-lists/order-counters.ts';
import { listOrders } from '../../../shared/store/order-lists/order-list.ts';
import { changed, clientId, placed, selection, table, useOrderTable } from '../../support/orders/order-table.ts';

useOrderTable();

describe('the row of an order', () => {
  const firstRow = async (viewer: Viewer) => (await listOrders(table, selection({ clientId, viewer }))).rows[0];

  it('has the fields of a list', async () => {
    await placed({
      id: 7,
      patient: { id: 10, firstName: 'José', lastName: 'Núñez', secondLastName: 'Peña' },
      quantities: [2, 1],
      coupon: { id: 1, code: 'DIEZ', description: '', value: '0.10', has_free_shipping: false },
    });
    expect(await firstRow('client')).toEqual({
      id: 7,
      createdAt: '2026-01-02T18:00:00.000Z',
      orderStatus: 'approved',
      paymentStatus: 'unpaid',
      patientId: 10,
      searchName: 'jose nunez pena',
      expectedDeliveryDate: '2026-01-08T23:00:00.000Z',
      maxDeliveryDate: '2026-01-12T23:00:00.000Z',
      patientName: 'José Núñez Peña',
      lines: [
        { defaultImage: 'https://images.demo.example/products/0.webp', quantity: 2 },
        { defaultImage: 'https://images.demo.example/products/1.webp', quantity: 1 },
      ],
      shipping: { street: 'Calle de Durango', exteriorNumber: '245', city: 'Ciudad de México' },
      paymentMethod: 'Tarjeta',
      couponCode: 'DIEZ',
      // The order has three boxes of 28.50, and 79.00 of shipping.
      totalCents: 16_450,
      origin: 'demo',
    });
  });

  it('can lack a second last name, a coupon and an address', async () => {
    await placed({ id: 7, shipping: null });
    expect(await firstRow('patient#10')).toMatchObject({ patientName: 'Ana Paz', couponCode: null, shipping: null });
  });

  it('shows a doctor only an address that was sent with the order', async () => {
    const order = await placed({ id: 7, doctor: 20, isShippingSent: false });
    expect((await firstRow('doctor#20'))?.shipping).toBeNull();
    expect((await firstRow('client'))?.shipping).toMatchObject({ street: 'Calle de Durango' });
    await changed(order, { isShippingSent: true });
    expect((await firstRow('doctor#20'))?.shipping).toMatchObject({ street: 'Calle de Durango' });
  });
});

describe('the counters', () => {
  it('of a view are sharded by the id of the order: 16 for a client, 4 for others', async () => {
    await placed({ id: 23, doctor: 20 });
    const one = { changes: 1, pairs: new Map([['au', 1]]) };
    expect(await readShards(table, clientId, 'client')).toEqual([{ number: 7, ...one }]);
    expect(await readShards(table, clientId, 'patient#10')).toEqual([{ number: 3, ...one }]);
    expect(await readShards(table, clientId, 'doctor#20')).toEqual([{ number: 3, ...one }]);
    expect(await readShards(table, clientId, 'doctor#5')).toEqual([]);
  });

  it('follow the statuses of an order, and count every change', async () => {
    const first = await placed({ id: 23 });
    const second = await changed(first, { comments: 'blue bell' });
    expect(await readShards(table, clientId, 'client')).toEqual([
      { number: 7, changes: 2, pairs: new Map([['au', 1]]) },
    ]);
    await changed(second, { orderStatus: 'cancelled' });
    expect(await readShards(table, clientId, 'client')).toEqual([
      {
        number: 7,
        changes: 3,
        pairs: new Map([
          ['au', 0],
          ['cu', 1],
        ]),
      },
    ]);
  });

  it('are summed without their other attributes', async () => {
    for (const id of [1, 2, 17]) await placed({ id });
    await placed({ id: 3, paymentStatus: 'paid' });
    await table.transact([{ Put: { Item: { ...counterKey(clientId, 'client', 15), zz: 9 } } }]);
    const { changes, counts } = await readCounts(table, clientId, 'client');
    expect(changes).toBe(4);
    expect(counts).toEqual([
      { orderStatus: 'approved', paymentStatus: 'unpaid', orders: 3 },
      { orderStatus: 'approved', paymentStatus: 'paid', orders: 1 },
    ]);
    expect(await countOrders(table, clientId, 'client')).toBe(4);
    expect(await countOrders(table, clientId, 'doctor#20')).toBe(0);
  });

  it('are replaced only if unchanged since they were read', async () => {
    await placed({ id: 23 });
    const view = { clientId, viewer: 'client' } as const;
    const pairs = new Map([['dp', 4]]);
    const [shard] = await readShards(table, clientId, 'client');
    if (!shard) throw new Error('there is no counter');
    expect(await replaceShard(table, view, shard, pairs)).toBe(true);
    expect(await readShards(table, clientId, 'client')).toEqual([{ number: 7, changes: 2, pairs }]);
    expect(await replaceShard(table, view, shard, new Map())).toBe(false);
    expect(await replaceShard(table, view, { ...shard, changes: undefined }, new Map())).toBe(false);
    expect(await replaceShard(table, view, { ...shard, number: 8, changes: undefined }, pairs)).toBe(true);
    expect(await readShards(table, clientId, 'client')).toEqual([
      { number: 7, changes: 2, pairs },
      { number: 8, changes: 1, pairs },
    ]);
    const nameless = replaceShard(table, view, shard, new Map([['', 1]]));
    await expect(nameless).rejects.toMatchObject({ name: 'ValidationException' });
  });
});
