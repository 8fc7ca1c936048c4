import { describe, expect, it } from 'vitest';
import {
  counterKey,
  createdPartition,
  creationKey,
  delaysKey,
  type Key,
  nameKey,
  openPartition,
  pairPartition,
  toKey,
  type Viewer,
} from '../../../shared/store/keys.ts';
import { readCounts } from '../../../shared/store/order-lists/counters.ts';
import { measureDelays, widenDelays } from '../../../shared/store/order-lists/delivery-delays.ts';
import { listItems } from '../../../shared/store/order-lists/entries.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { foldName, nameItems } from '../../../shared/store/people/name-index.ts';
import { newUser, userItem } from '../../../shared/store/people/users.ts';
import type { Item } from '../../../shared/store/table.ts';
import { recountOrders } from '../../../shared/usecases/order-lists/recount-orders.ts';
import {
  type Asked,
  changed,
  clientId,
  disturbed,
  newOrder,
  placed,
  table,
  useOrderTable,
} from '../../support/orders/order-table.ts';

useOrderTable();

const TIME = '2026-01-02T18:00:00.000Z';

/** Stores an order with all that a request writes for its lists. */
async function stored(asked: Asked): Promise<Order> {
  const order = newOrder(asked);
  await table.putAll(namesOf(order));
  await widenDelays(table, order.clientId, { shortestMs: 0, longestMs: 0 }, measureDelays(order));
  return placed(asked);
}
const namesOf = ({ clientId: client, patient }: Order): Item[] =>
  nameItems({ clientId: client, id: patient.id, name: foldName(patient) });

const recount = (purpose: 'proof' | 'repair', from = table) =>
  recountOrders({ clientId, purpose, longestRequestMs: 0 }, from);

const NONE = { differences: [], unsettled: [] };
const EXACT = { lists: NONE, counters: NONE, names: NONE, delays: NONE, redemptions: NONE };

async function allItems(): Promise<Item[]> {
  const items: Item[] = [];
  const everything = { filter: 'begins_with(pk, :any) OR attribute_exists(pk)', values: { ':any': 'x' } };
  for await (const page of table.scan({ ...everything, pageSize: 1_000, segment: 0, segments: 1 })) items.push(...page);
  return items;
}

const created = (id: number, viewer: Viewer = 'client'): Key => ({
  pk: createdPartition(clientId, viewer),
  sk: creationKey(TIME, id),
});
const paired = (id: number, pair = 'au', viewer: Viewer = 'client'): Key => ({
  pk: pairPartition(clientId, viewer, pair),
  sk: creationKey(TIME, id),
});
const open = (id: number, status = 'approved'): Key => ({ pk: openPartition(status), sk: creationKey(TIME, id) });
const remove = (key: Key) => table.deleteAll([key]);
const put = (item: Item) => table.putAll([item]);

describe('a recount', () => {
  it('finds nothing wrong in what orders write, and leaves it untouched', async () => {
    const moved = await stored({ id: 1, doctor: 20 });
    await changed(await changed(moved, { orderStatus: 'in_process' }), { paymentStatus: 'paid' });
    await changed(await stored({ id: 2 }), { orderStatus: 'cancelled' });
    await stored({ id: 3, patient: { id: 11, firstName: 'Luz', lastName: 'Ñu' }, maxDeliveryDate: null });
    const before = await allItems();
    // The views are those of the client, two patients and a doctor.
    expect(await recount('proof')).toEqual({ orders: 3, views: 4, ...EXACT });
    expect(await recount('repair')).toEqual({ orders: 3, views: 4, ...EXACT });
    expect(await allItems()).toEqual(before);
  });

  it('finds nothing wrong in a client without orders', async () => {
    expect(await recount('repair')).toEqual({ orders: 0, views: 1, ...EXACT });
  });

  it('reports its progress', async () => {
    for (const id of [1, 2]) await stored({ id });
    const progress: number[] = [];
    await recountOrders({ clientId, purpose: 'proof', onProgress: (done) => progress.push(done) }, table);
    expect(progress).toEqual([...progress].sort());
    expect(progress).toContain(0.5);
    expect(progress.at(-1)).toBe(1);
  });
});

describe('a recount of lists', () => {
  const patient = 'patient#10';
  const doctor = 'doctor#20';
  const otherTime = '2026-01-03T18:00:00.000Z';
  const wrong = '10\t\t\t\tjosefa ruiz';
  const row = (key: Key, problem: string, orderId = 7) => ({ orderId, list: key.pk, problem });

  // Orders 1 to 20 are approved and unpaid, of patient 10, placed by doctor 20; order 30 is cancelled.
  const SPOILED: readonly (readonly [spoil: () => Promise<unknown>, difference: () => object])[] = [
    [() => remove(created(1)), () => row(created(1), 'missing', 1)],
    [() => remove(paired(2)), () => row(paired(2), 'missing', 2)],
    [() => remove(created(3, patient)), () => row(created(3, patient), 'missing', 3)],
    [() => remove(paired(4, 'au', doctor)), () => row(paired(4, 'au', doctor), 'missing', 4)],
    [() => remove(open(5)), () => row(open(5), 'missing', 5)],
    [() => put({ ...created(6), entry: wrong }), () => row(created(6), 'different', 6)],
    [() => put({ ...paired(7), entry: wrong }), () => row(paired(7), 'different', 7)],
    [() => put({ ...open(8), clientId: 0 }), () => row(open(8), 'different', 8)],
    [
      async () => put({ ...(await table.get(open(9))), ...open(9), patient: 'Josefa Ruiz' }),
      () => row(open(9), 'different', 9),
    ],
    [
      async () => put({ ...(await table.get(open(10))), ...open(10), waits: [{ until: null, waits: ['stock'] }] }),
      () => row(open(10), 'different', 10),
    ],
    [() => put({ ...paired(11, 'cu'), entry: wrong }), () => row(paired(11, 'cu'), 'stray', 11)],
    [() => put({ ...open(12, 'quoted'), clientId }), () => row(open(12, 'quoted'), 'stray', 12)],
    [() => put({ ...created(13), sk: creationKey(otherTime, 13), entry: wrong }), () => row(created(13), 'stray', 13)],
    [() => put({ ...created(14, 'doctor#21'), entry: wrong }), () => row(created(14, 'doctor#21'), 'stray', 14)],
    // An order that is closed, and one that there is not.
    [() => put({ ...open(30), clientId }), () => row(open(30), 'stray', 30)],
    [() => put({ ...created(99), entry: wrong }), () => row(created(99), 'stray', 99)],
  ];

  it('finds and repairs each entry that is missing, different or stray', async () => {
    for (let id = 1; id <= 20; id++) await stored({ id, doctor: 20 });
    await stored({ id: 30, orderStatus: 'cancelled' });
    const before = await allItems();
    for (const [spoil] of SPOILED) await spoil();
    const spoiled = await allItems();
    const found = { orders: 21, views: 3, ...EXACT, lists: { differences: expect.any(Array), unsettled: [] } };
    const differences = SPOILED.map(([, difference]) => difference());
    const proof = await recount('proof');
    expect(proof).toEqual(found);
    expect(sorted(proof.lists.differences)).toEqual(differences);
    expect(await allItems()).toEqual(spoiled);
    const repair = await recount('repair');
    expect(repair).toEqual(found);
    expect(sorted(repair.lists.differences)).toEqual(differences);
    expect(await recount('proof')).toEqual({ orders: 21, views: 3, ...EXACT });
    expect(await allItems()).toEqual(before);
  });
  const sorted = <Row extends { orderId: number }>(rows: readonly Row[]): Row[] =>
    rows.toSorted((a, b) => a.orderId - b.orderId);

  it('finds an order that is missing from all of its lists', async () => {
    const order = await stored({ id: 7 });
    await table.deleteAll(listItems(order).map(toKey));
    const lists = [created(7), paired(7), created(7, patient), paired(7, 'au', patient), open(7)].map(({ pk }) => pk);
    const { lists: found, counters } = await recount('repair');
    expect(found.differences).toEqual(lists.map((list) => ({ orderId: 7, list, problem: 'missing' })));
    expect(counters).toEqual(NONE);
    expect(await table.getAll(listItems(order).map(toKey))).toEqual(listItems(order));
  });

  it('repairs more items of an order than fit in one transaction', async () => {
    const order = await stored({ id: 7 });
    const strays = Array.from({ length: 120 }, (_, index) => ({
      ...created(7, `doctor#${100 + index}`),
      entry: wrong,
    }));
    await table.putAll(strays);
    expect((await recount('repair')).lists.differences).toHaveLength(120);
    expect(await recount('proof')).toMatchObject(EXACT);
    expect(await table.getAll(listItems(order).map(toKey))).toEqual(listItems(order));
  });

  it('leaves the items of other clients alone', async () => {
    await stored({ id: 7 });
    const longer = Number(`${clientId}1`);
    await placed({ id: 70_001, clientId: longer });
    await table.deleteAll([{ pk: createdPartition(longer, 'client'), sk: creationKey(TIME, 70_001) }]);
    await put({ pk: openPartition('quoted'), sk: creationKey(TIME, 70_002), clientId: longer });
    const before = await allItems();
    expect(await recount('repair')).toEqual({ orders: 1, views: 2, ...EXACT });
    expect(await allItems()).toEqual(before);
    const { lists, names } = await recountOrders({ clientId: longer, purpose: 'proof', longestRequestMs: 0 }, table);
    expect(lists.differences).toHaveLength(2);
    expect(names.differences).toEqual([{ patientId: 10, problem: 'missing', items: 3 }]);
  });

  it.each(['proof', 'repair'] as const)('for a %s reads an order again that is changed meanwhile', async (purpose) => {
    let order = await stored({ id: 7 });
    await remove(created(7));
    let reads = 0;
    const busy = disturbed('snapshot', async () => {
      if (++reads < 3) order = await changed(order, { orderStatus: reads === 1 ? 'quoted' : 'in_process' });
    });
    const found = { differences: [row(created(7), 'missing')], unsettled: [] };
    expect((await recount(purpose, busy)).lists).toEqual(found);
    expect(reads).toBe(3);
    expect((await recount('proof')).lists).toEqual(purpose === 'proof' ? found : NONE);
  });

  it('repairs nothing of an order that is changed before its repair, and then repairs what it is now', async () => {
    const order = await stored({ id: 7 });
    await remove(paired(7));
    let writes = 0;
    const busy = disturbed('tryTransact', async () => {
      if (++writes === 1) await changed(order, { orderStatus: 'quoted' });
    });
    // The change itself wrote the entry of the new pair.
    expect((await recount('repair', busy)).lists).toEqual(NONE);
    expect(writes).toBe(1);
    expect(await recount('proof')).toMatchObject(EXACT);
    expect(await table.get(paired(7))).toBeUndefined();
  });

  it('reports an order as unsettled that is changed at every try', async () => {
    let order = await stored({ id: 7 });
    await remove(created(7));
    let reads = 0;
    const busy = disturbed('snapshot', async () => {
      reads += 1;
      order = await changed(order, { orderStatus: reads % 2 === 0 ? 'quoted' : 'in_process' });
    });
    const { lists, counters } = await recount('repair', busy);
    expect(lists).toEqual({ differences: [], unsettled: [7] });
    expect(counters).toEqual(NONE);
    expect(reads).toBe(10);
  });

  it('counts an order by itself whose entries are wrong', async () => {
    await stored({ id: 7 });
    await stored({ id: 8 });
    await remove(paired(7));
    await put({ ...paired(8, 'cu'), entry: wrong });
    await put({ ...paired(9), entry: wrong });
    expect((await recount('proof')).counters).toEqual(NONE);
    expect((await readCounts(table, { clientId, viewer: 'client' })).counts).toEqual([
      { orderStatus: 'approved', paymentStatus: 'unpaid', orders: 2 },
    ]);
  });
});

describe('a recount of counters', () => {
  it('finds and repairs those of a view that has no orders', async () => {
    await stored({ id: 7 });
    await put({ ...counterKey(clientId, 'doctor#21', 2), changes: 1, au: 1 });
    const found = { viewer: 'doctor#21', shard: 2, orderStatus: 'approved', paymentStatus: 'unpaid' };
    const differences = [{ ...found, orders: 0, counter: 1 }];
    expect(await recount('repair')).toEqual({
      orders: 1,
      views: 3,
      ...EXACT,
      counters: { differences, unsettled: [] },
    });
    expect((await recount('proof')).counters).toEqual(NONE);
  });
});

describe('a recount of names', () => {
  const ana = { patient: 10, name: 'ana paz' };
  const user = (id: number, role: 'patient' | 'doctor', firstName: string) =>
    userItem(
      newUser(
        id,
        {
          clientId,
          role,
          email: `${firstName}@example.mx`,
          firstName,
          lastName: 'Sol',
          secondLastName: null,
          phone: '',
          passwordHash: null,
        },
        TIME,
      ),
    );

  it('finds and repairs each part that is missing, different or stray', async () => {
    const orders: Order[] = [];
    for (let id = 10; id <= 14; id++) orders.push(await stored({ id, patient: { id } }));
    const before = await allItems();
    const named = (patient: number) => ({ patient, name: 'ana paz' });
    await remove(nameKey(clientId, 'paz', named(10)));
    await table.deleteAll(orders.filter(({ id }) => id === 11).flatMap((order) => namesOf(order).map(toKey)));
    await put({ ...nameKey(clientId, 'paz', named(12)), name: 'eva paz' });
    await put({ ...nameKey(clientId, 'luz', named(13)), name: 'ana paz' });
    await table.putAll(nameItems({ clientId, id: 14, name: 'eva' }));
    // There is no patient 15.
    await table.putAll(nameItems({ clientId, id: 15, name: 'eva ruiz' }));
    const differences = [
      { patientId: 10, problem: 'missing', items: 1 },
      { patientId: 11, problem: 'missing', items: 3 },
      { patientId: 12, problem: 'different', items: 1 },
      { patientId: 13, problem: 'stray', items: 1 },
      { patientId: 14, problem: 'stray', items: 2 },
      { patientId: 15, problem: 'stray', items: 4 },
    ];
    const sorted = ({ names }: Awaited<ReturnType<typeof recount>>) =>
      names.differences.toSorted((a, b) => a.patientId - b.patientId);
    const found = { orders: 5, views: 6, ...EXACT, names: { differences: expect.any(Array), unsettled: [] } };
    const proof = await recount('proof');
    expect([proof, sorted(proof)]).toEqual([found, differences]);
    const repair = await recount('repair');
    expect([repair, sorted(repair)]).toEqual([found, differences]);
    expect(await recount('proof')).toMatchObject(EXACT);
    expect(await allItems()).toEqual(before);
  });

  it('expects the present name of a patient and those of their orders', async () => {
    await put(user(10, 'patient', 'Eva'));
    await stored({ id: 7 });
    const missing = [{ patientId: 10, problem: 'missing', items: 3 }];
    expect((await recount('repair')).names.differences).toEqual(missing);
    expect(await recount('proof')).toMatchObject(EXACT);
    await remove(nameKey(clientId, 'ana', ana));
    await remove(nameKey(clientId, 'eva', { patient: 10, name: 'eva sol' }));
    expect((await recount('proof')).names.differences).toEqual([{ patientId: 10, problem: 'missing', items: 2 }]);
  });

  it('expects the name of a patient without orders, and none of a doctor', async () => {
    await put(user(10, 'patient', 'Eva'));
    await put(user(11, 'doctor', 'Luz'));
    expect((await recount('proof')).names.differences).toEqual([{ patientId: 10, problem: 'missing', items: 3 }]);
    await table.putAll(nameItems({ clientId, id: 10, name: 'eva sol' }));
    await table.putAll(nameItems({ clientId, id: 11, name: 'luz sol' }));
    expect((await recount('proof')).names.differences).toEqual([{ patientId: 11, problem: 'stray', items: 3 }]);
  });

  it('expects nothing of a patient who is erased, and finds a name that is left', async () => {
    await stored({ id: 7 });
    const order = await placed({ id: 8, patient: { id: 11, firstName: '', lastName: '' } });
    expect((await recount('proof')).names).toEqual(NONE);
    await table.putAll(nameItems({ clientId, id: order.patient.id, name: 'luz' }));
    expect((await recount('proof')).names.differences).toEqual([{ patientId: 11, problem: 'stray', items: 2 }]);
  });

  it('finds the orders of a patient although their view lacks them', async () => {
    await stored({ id: 7 });
    await remove(created(7, 'patient#10'));
    await remove(nameKey(clientId, 'paz', ana));
    expect((await recount('proof')).names.differences).toEqual([{ patientId: 10, problem: 'missing', items: 1 }]);
  });

  it('waits for requests that are under way if a name looks stray, and otherwise does not', async () => {
    await stored({ id: 7 });
    await remove(nameKey(clientId, 'paz', ana));
    const { names } = await recountOrders({ clientId, purpose: 'repair', longestRequestMs: 3_600_000 }, table);
    expect(names.differences).toEqual([{ patientId: 10, problem: 'missing', items: 1 }]);
    await put({ ...nameKey(clientId, 'luz', ana), name: 'ana paz' });
    const begun = performance.now();
    await recountOrders({ clientId, purpose: 'repair', longestRequestMs: 1_000 }, table);
    expect(performance.now() - begun).toBeGreaterThan(1_000);
    expect(await recount('proof')).toMatchObject(EXACT);
  });

  it('ignores the name of an order that is just being placed', async () => {
    const order = newOrder({ id: 7 });
    await table.putAll(namesOf(order));
    await widenDelays(table, clientId, { shortestMs: 0, longestMs: 0 }, measureDelays(order));
    // The delays are read at first, then the patient, and the patient again when it is settled.
    let reads = 0;
    const busy = disturbed('get', async () => {
      if (++reads === 3) await placed({ id: 7 });
    });
    expect(await recount('repair', busy)).toMatchObject(EXACT);
    expect(reads).toBe(3);
    expect(await table.getAll(namesOf(order).map(toKey))).toEqual(namesOf(order));
  });
});

describe('a recount of delays', () => {
  // Order 7 is placed 10 days and 5 hours before its latest delivery, and order 8 a day after its delivery.
  const longest = 882_000_000;
  const late = { id: 8, expectedDeliveryDate: '2026-01-01T18:00:00.000Z', maxDeliveryDate: null };
  const difference = (bound: string, problem: string, recordedMs: number, ordersMs: number) => ({
    bound,
    problem,
    recordedMs,
    ordersMs,
  });

  it('finds and repairs a record that is missing', async () => {
    await stored({ id: 7 });
    await stored(late);
    await remove(delaysKey(clientId));
    const differences = [
      difference('shortestMs', 'missing', 0, -86_400_000),
      difference('longestMs', 'missing', 0, longest),
    ];
    const found = { orders: 2, views: 2, ...EXACT, delays: { differences, unsettled: [] } };
    expect(await recount('proof')).toEqual(found);
    expect(await recount('repair')).toEqual(found);
    expect(await recount('proof')).toMatchObject(EXACT);
    expect(await table.get(delaysKey(clientId))).toMatchObject({ shortestMs: -86_400_000, longestMs: longest });
  });

  it('finds and repairs a record that is too narrow', async () => {
    await stored({ id: 7 });
    await stored(late);
    await put({ ...delaysKey(clientId), shortestMs: -86_400_000, longestMs: 1_000 });
    const differences = [difference('longestMs', 'different', 1_000, longest)];
    expect((await recount('repair')).delays.differences).toEqual(differences);
    await put({ ...delaysKey(clientId), shortestMs: -1, longestMs: longest });
    const others = [difference('shortestMs', 'different', -1, -86_400_000)];
    expect((await recount('repair')).delays.differences).toEqual(others);
    expect(await recount('proof')).toMatchObject(EXACT);
  });

  it('leaves a record that is wider than the orders need', async () => {
    await stored({ id: 7 });
    const wider = { ...delaysKey(clientId), shortestMs: -5, longestMs: 999_999_999_999 };
    await put(wider);
    expect(await recount('repair')).toMatchObject(EXACT);
    expect(await table.get(delaysKey(clientId))).toEqual(wider);
  });
});
