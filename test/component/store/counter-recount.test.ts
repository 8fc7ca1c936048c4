import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { counterKey, creationKey, pairPartition, type Viewer } from '../../../shared/store/keys.ts';
import { readCounts, readShards } from '../../../shared/store/order-lists/counters.ts';
import { type Recounting, recountView } from '../../../shared/store/order-recount/recount-counters.ts';
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
// Without the pauses between tries.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const client = () => ({ clientId, viewer: 'client' }) as const;
const recount = (asked: Partial<Recounting> & { readonly viewer?: Viewer; readonly from?: typeof table } = {}) => {
  const { viewer = 'client', from = table, ...recounting } = asked;
  const proof = { purpose: 'proof', pairs: new Set(['au']), suspects: new Set<number>(), suspectsInView: [] } as const;
  return recountView(from, { clientId, viewer }, { ...proof, ...recounting });
};
const EXACT = { differences: [], unsettled: [] };
const tamper = (shard: number, counts: Readonly<Record<string, number>>) =>
  table.putAll([{ ...counterKey(clientId, 'client', shard), changes: 1, ...counts }]);
const unpaid = { viewer: 'client', orderStatus: 'approved', paymentStatus: 'unpaid' } as const;

/** Returns a table that does something before the reading of the counters of this number. A try reads them twice. */
function disturbedAt(reading: number, disturb: () => Promise<unknown>) {
  let readings = 0;
  const from = disturbed('all', async () => {
    if (++readings === reading) await disturb();
  });
  return { from, readings: () => readings };
}

describe('a recount of counters', () => {
  it('finds counters exact as orders write them', async () => {
    const order = await placed({ id: 1, doctor: 20 });
    await placed({ id: 17 });
    await placed({ id: 2 });
    await changed(order, { orderStatus: 'cancelled' });
    for (const viewer of ['client', 'patient#10', 'doctor#20', 'doctor#21'] as const) {
      expect(await recount({ viewer, purpose: 'repair', from: withShortPages(1) })).toEqual(EXACT);
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
    expect(sorted(await recount())).toEqual({ differences, unsettled: [] });
    expect(sorted(await recount({ purpose: 'repair' }))).toEqual({ differences, unsettled: [] });
    expect(await recount({ purpose: 'repair' })).toEqual(EXACT);
    expect((await readShards(table, client())).map(({ number, changes }) => [number, changes])).toEqual([
      [1, 2],
      [2, 1],
      [5, 2],
    ]);
  });

  it('creates a missing counter', async () => {
    await placed({ id: 1 });
    await table.deleteAll([counterKey(clientId, 'client', 1)]);
    const differences = [{ ...unpaid, shard: 1, orders: 1, counter: 0 }];
    expect(await recount({ purpose: 'repair' })).toEqual({ differences, unsettled: [] });
    expect(await readShards(table, client())).toEqual([{ number: 1, changes: 1, pairs: new Map([['au', 1]]) }]);
  });

  it('counts the pairs that orders had and those that a counter has', async () => {
    await changed(await placed({ id: 1 }), { orderStatus: 'quoted' });
    expect(await recount({ pairs: new Set() })).toEqual(EXACT);
    await table.deleteAll([counterKey(clientId, 'client', 1)]);
    const quoted = { viewer: 'client', orderStatus: 'quoted', paymentStatus: 'unpaid' };
    expect((await recount({ pairs: new Set(['qu', 'au']) })).differences).toEqual([
      { ...quoted, shard: 1, orders: 1, counter: 0 },
    ]);
  });

  it('counts suspects by themselves, in the views that they are in', async () => {
    const { id, createdAt } = await placed({ id: 1 });
    await placed({ id: 2 });
    const sk = creationKey(createdAt, id);
    await table.deleteAll([{ pk: pairPartition(clientId, 'client', 'au'), sk }]);
    await table.putAll([{ pk: pairPartition(clientId, 'doctor#21', 'au'), sk, entry: '10\t\t\t\tana paz' }]);
    const suspects = new Set([1, 2]);
    expect(await recount({ suspects, suspectsInView: [1, 2] })).toEqual(EXACT);
    expect(await recount({ suspects, viewer: 'doctor#21' })).toEqual(EXACT);
    expect((await recount()).differences).toEqual([{ ...unpaid, shard: 1, orders: 0, counter: 1 }]);
  });
});

describe('a recount of counters while orders are placed', () => {
  it('counts again after a write, and repairs only differences that it has seen', async () => {
    await placed({ id: 1 });
    await tamper(1, { au: 5 });
    const { from, readings } = disturbedAt(2, () => placed({ id: 17 }));
    const differences = [{ ...unpaid, shard: 1, orders: 2, counter: 6 }];
    expect(await recount({ purpose: 'repair', from })).toEqual({ differences, unsettled: [] });
    expect(await recount()).toEqual(EXACT);
    expect(readings()).toBe(4);
  });

  it('counts an order that is placed before the first reading', async () => {
    await placed({ id: 1 });
    await tamper(1, { au: 5 });
    const { from, readings } = disturbedAt(1, () => placed({ id: 17 }));
    const differences = [{ ...unpaid, shard: 1, orders: 2, counter: 6 }];
    expect(await recount({ from })).toEqual({ differences, unsettled: [] });
    expect(readings()).toBe(2);
  });

  it('reports its repairs, even when it had to count other counters again', async () => {
    await placed({ id: 1 });
    await placed({ id: 2 });
    await tamper(1, { au: 5 });
    const { from, readings } = disturbedAt(2, () => placed({ id: 18 }));
    const differences = [{ ...unpaid, shard: 1, orders: 1, counter: 5 }];
    expect(await recount({ purpose: 'repair', from })).toEqual({ differences, unsettled: [] });
    expect(readings()).toBe(4);
  });

  it('does not replace a counter that was written after its last reading', async () => {
    await placed({ id: 1 });
    await tamper(1, { au: 5 });
    let writes = 0;
    const from = disturbed('tryTransact', async () => {
      if (++writes === 1) await placed({ id: 17 });
    });
    const differences = [{ ...unpaid, shard: 1, orders: 2, counter: 6 }];
    expect(await recount({ purpose: 'repair', from })).toEqual({ differences, unsettled: [] });
    expect(writes).toBe(2);
    expect(await recount()).toEqual(EXACT);
    expect((await readCounts(table, client())).counts).toMatchObject([{ orders: 2 }]);
  });

  it('reports counters as unsettled that were written during every try', async () => {
    await placed({ id: 2 });
    let order = await placed({ id: 1 });
    let readings = 0;
    const from = disturbed('all', async () => {
      readings += 1;
      order = await changed(order, { orderStatus: readings % 2 === 0 ? 'approved' : 'quoted' });
    });
    const unsettled = [{ viewer: 'client', shard: 1 }];
    expect(await recount({ purpose: 'repair', from })).toEqual({ differences: [], unsettled });
    expect(readings).toBe(60);
  });
});
