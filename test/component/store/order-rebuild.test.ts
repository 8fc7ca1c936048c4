import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { measureDelays, widenDelays } from '../../../shared/order/lists/delivery-delays.ts';
import { listItems } from '../../../shared/order/lists/entries.ts';
import type { Order } from '../../../shared/order/order.ts';
import { deriveItems } from '../../../shared/order/order-writes.ts';
import { rebuildOrders } from '../../../shared/ordering/rebuild-orders.ts';
import { compareOrders, type Survey } from '../../../shared/ordering/survey-orders.ts';
import { startAttempt } from '../../../shared/payments/rules/order-payment.ts';
import { nameItems, packName } from '../../../shared/people/name-index.ts';
import { newUser, userItem } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import {
  clientKey,
  counterKey,
  couponCounterKey,
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
import { beginPause, unlessPaused } from '../../../shared/store/pause.ts';
import type { Item } from '../../../shared/store/table.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
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
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';

const TERMS = {
  referenceId: 7,
  collection: 'card',
  amountCents: 13_600,
  now: new Date('2026-11-23T18:00:00.000Z'),
  termHours: 24,
  returnUrl: null,
} as const;
const COLLECTED = {
  paymentMethod: { ...syntheticOrder({ id: 1 }).paymentMethod, collection: 'card' as const },
  payment: startAttempt(undefined, TERMS),
};

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
  nameItems({ clientId: client, id: patient.id, name: packName(patient) });

beforeEach(async () => {
  await put({ ...clientKey(clientId), id: clientId });
});
afterEach(() => setClock());

const report = ({ versions, rows, names, counters, exceeded }: Survey) => ({
  orders: versions.size,
  rows: rows.map(({ owner, item, problem }) => ({ owner, key: toKey(item), problem })),
  names,
  counters,
  exceeded,
});
type Found = ReturnType<typeof report>;
const compare = async (client = clientId) => report(await compareOrders({ clientId: client }, table));
const wait = async () => undefined;
const rebuild = async (from = table) => report(await rebuildOrders({ clientId }, { table: from, wait }));

const EXACT = { rows: [], counters: [], names: [], exceeded: [] };

async function allItems(): Promise<Item[]> {
  const everything = { filter: 'begins_with(pk, :any) OR attribute_exists(pk)', values: { ':any': 'x' } };
  const pages = table.scan({ ...everything, pageSize: 1_000, segment: 0, segments: 1 });
  return (await Array.fromAsync(pages)).flat();
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

describe('a rebuild', () => {
  it('finds nothing wrong in what orders write, and leaves it untouched', async () => {
    const moved = await stored({ id: 1, doctor: 20 });
    await changed(await changed(moved, { orderStatus: 'in_process' }), { paymentStatus: 'paid' });
    await changed(await stored({ id: 2 }), { orderStatus: 'cancelled' });
    await stored({ id: 3, patient: { id: 11, firstName: 'Luz', lastName: 'Ñu' }, maxDeliveryDate: null });
    const before = await allItems();
    expect(await compare()).toEqual({ orders: 3, ...EXACT });
    expect(await rebuild()).toEqual({ orders: 3, ...EXACT });
    expect(await allItems()).toEqual(before);
  });

  it('finds nothing wrong in a client without orders', async () => {
    expect(await rebuild()).toEqual({ orders: 0, ...EXACT });
  });

  it('reports its progress', async () => {
    for (const id of [1, 2]) await stored({ id });
    const progress: number[] = [];
    await compareOrders({ clientId, onProgress: (done) => progress.push(done) }, table);
    expect(progress).toEqual([0.5, 1]);
  });
});

describe('a rebuild of rows', () => {
  const patient = 'patient#10';
  const doctor = 'doctor#20';
  const otherTime = '2026-01-03T18:00:00.000Z';
  const wrong = '10\t\t\t\tjosefa ruiz';
  const row = (key: Key, problem: string, owner = 7) => ({ owner, key, problem });

  // Orders 1 to 20 are approved and unpaid, of patient 10, placed by doctor 20; order 30 is cancelled.
  const SPOILED: readonly (readonly [spoil: () => Promise<unknown>, difference: () => object])[] = [
    [() => remove(created(1)), () => row(created(1), 'missing', 1)],
    [() => remove(paired(2)), () => row(paired(2), 'missing', 2)],
    [() => remove(created(3, patient)), () => row(created(3, patient), 'missing', 3)],
    [() => remove(paired(4, 'au', doctor)), () => row(paired(4, 'au', doctor), 'missing', 4)],
    [() => remove(open(5)), () => row(open(5), 'missing', 5)],
    [() => put({ ...created(6), entry: wrong }), () => row(created(6), 'different', 6)],
    [() => put({ ...paired(7), entry: wrong }), () => row(paired(7), 'different', 7)],
    [() => put({ ...open(8), clientId: 0 }), () => row(open(8), 'missing', 8)],
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
    [
      () => put({ ...created(13), sk: creationKey(otherTime, 13), entry: wrong }),
      () => row({ ...created(13), sk: creationKey(otherTime, 13) }, 'stray', 13),
    ],
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
    const differences = SPOILED.map(([, difference]) => difference());
    const proof = await compare();
    expect({ ...proof, rows: sorted(proof.rows) }).toEqual({ orders: 21, ...EXACT, rows: differences });
    expect(await allItems()).toEqual(spoiled);
    const repair = await rebuild();
    expect({ ...repair, rows: sorted(repair.rows) }).toEqual({ orders: 21, ...EXACT, rows: differences });
    expect(await compare()).toEqual({ orders: 21, ...EXACT });
    expect(await allItems()).toEqual(before);
  });
  const sorted = (rows: Found['rows']) => rows.toSorted((a, b) => a.owner - b.owner);

  // An order that is invoiced, paid and kept when its patient was erased has all of these.
  const REQUESTED = { requestedAt: TIME, issuedAt: TIME } as const;
  const OWN: readonly (readonly [kind: string, changes: Partial<Order>])[] = [
    [
      'INVOICES',
      { invoice: taxDocument({ key: 'a', status: 'requested', tasks: { issue: { tries: 0, dueAt: TIME } } }) },
    ],
    ['LEDGER', { invoice: taxDocument({ key: 'a', status: 'issued', ...REQUESTED }), cfdi: 'x' }],
    ['UNINVOICED', { paymentStatus: 'paid', paymentDate: TIME }],
    ['RETAINED', { retained: { documents: [], documentsUntil: '2027-01-03', receiverUntil: null, copiesUntil: null } }],
    ['PAYMENTS', COLLECTED],
  ];
  it.each(OWN)('repairs a row of the kind %s that is missing, different or stray', async (kind, changes) => {
    const order = await stored({ id: 7, ...changes });
    const before = await allItems();
    const own = deriveItems(order).rows.find(({ pk }) => String(pk).startsWith(`${kind}#`));
    if (!own) throw new Error('there is no such row');
    const stray = { ...own, sk: `${own.sk}`.replace('2', '3') };
    for (const spoil of [() => remove(toKey(own)), () => put({ ...own, spoiled: true }), () => put(stray)]) {
      await spoil();
      expect((await rebuild()).rows).toHaveLength(1);
      expect(await allItems()).toEqual(before);
    }
  });

  it('repairs more items of an order than fit in one transaction', async () => {
    const order = await stored({ id: 7 });
    const strays = Array.from({ length: 120 }, (_, index) => ({
      ...created(7, `doctor#${100 + index}`),
      entry: wrong,
    }));
    await table.putAll(strays);
    expect((await rebuild()).rows).toHaveLength(120);
    expect(await compare()).toMatchObject(EXACT);
    expect(await table.getAll(listItems(order).map(toKey))).toEqual(listItems(order));
  });

  it('leaves the items of other clients alone', async () => {
    await stored({ id: 7 });
    const longer = Number(`${clientId}1`);
    await placed({ id: 70_001, clientId: longer });
    await table.deleteAll([{ pk: createdPartition(longer, 'client'), sk: creationKey(TIME, 70_001) }]);
    await put({ pk: openPartition('quoted'), sk: creationKey(TIME, 70_002), clientId: longer });
    const before = await allItems();
    expect(await rebuild()).toEqual({ orders: 1, ...EXACT });
    expect(await allItems()).toEqual(before);
    const { rows, names } = await compare(longer);
    expect(rows).toHaveLength(2);
    expect(names).toHaveLength(3);
  });

  it('stops at an order that is changed before its repair, and puts nothing stale', async () => {
    const order = await stored({ id: 7 });
    await remove(paired(7));
    let writes = 0;
    const busy = disturbed('tryTransact', async () => {
      if (++writes === 1) await changed(order, { orderStatus: 'quoted' });
    });
    await expect(rebuild(busy)).rejects.toMatchObject({
      code: 'order_changed_meanwhile',
      reason: {
        en: `The orders of client ${clientId} were written during the rebuild, by what began before it: run it again.`,
      },
    });
    expect(await rebuild()).toEqual({ orders: 1, ...EXACT });
    expect(await table.get(paired(7))).toBeUndefined();
  });
});

describe('a rebuild of counters', () => {
  const au = (id: number) => counterKey(clientId, 'client', id % 16);
  const PROBLEMS: readonly (readonly [name: string, spoil: () => Promise<unknown>, counter: () => Key])[] = [
    ['of a view that has no orders', () => put({ ...none(), changes: 1, au: 1 }), () => none()],
    ['that is missing', () => remove(au(7)), () => au(7)],
    ['that has another number', async () => put({ ...(await table.get(au(7))), ...au(7), au: 4 }), () => au(7)],
    ['that has another pair', async () => put({ ...(await table.get(au(7))), ...au(7), cu: 1 }), () => au(7)],
    ['of a coupon', () => put({ ...coupon(), redemptions: 3, changes: 5 }), () => coupon()],
  ];
  const none = () => counterKey(clientId, 'doctor#21', 2);
  const coupon = () => couponCounterKey(clientId, 4);

  it.each(PROBLEMS)('finds and repairs one %s', async (_, spoil, counter) => {
    await stored({ id: 7 });
    await spoil();
    expect((await compare()).counters).toMatchObject([{ Key: counter() }]);
    expect((await rebuild()).counters).toMatchObject([{ Key: counter() }]);
    expect(await compare()).toMatchObject(EXACT);
    expect(await table.get(au(7))).toMatchObject({ au: 1 });
  });

  it('adds to its changes, so that a list which is reading it begins anew', async () => {
    await stored({ id: 7 });
    await put({ ...au(7), au: 4, changes: 9 });
    await rebuild();
    expect(await table.get(au(7))).toEqual({ ...au(7), au: 1, changes: 10 });
  });

  it('stops at one that is written before its repair', async () => {
    await stored({ id: 7 });
    await put({ ...au(7), au: 4, changes: 9 });
    const busy = disturbed('tryTransact', async () => {
      await placed({ id: 23 });
    });
    await expect(rebuild(busy)).rejects.toMatchObject({ code: 'order_changed_meanwhile' });
    expect(await table.get(au(7))).toMatchObject({ au: 5, changes: 10 });
  });
});

describe('the pause of a rebuild', () => {
  const TIMES = {
    begun: '2026-01-05T10:00:00.000Z',
    late: '2026-01-05T10:14:00.000Z',
    over: '2026-01-05T10:15:00.000Z',
  };
  const until = async () => (await table.get(clientKey(clientId)))?.rebuildingUntil;

  it('holds from before the waiting until the end, and is lifted', async () => {
    setClock(new Date(TIMES.begun));
    const waited: unknown[] = [];
    const waiting = async (ms: number) => void waited.push(ms, await until());
    await rebuildOrders({ clientId }, { table, wait: waiting });
    expect(waited).toEqual([90_000, TIMES.over]);
    expect(await until()).toBeUndefined();
  });

  it('refuses a second rebuild until its time is over', async () => {
    setClock(new Date(TIMES.begun));
    await beginPause(table, clientId);
    await expect(rebuild()).rejects.toMatchObject({ code: 'rebuilding', retryAfterSeconds: 60 });
    expect(await until()).toBe(TIMES.over);
    setClock(new Date(TIMES.over));
    expect(await rebuild()).toMatchObject(EXACT);
  });

  it('is too short for a rebuild that is not done a minute before its end', async () => {
    setClock(new Date(TIMES.begun));
    await stored({ id: 7 });
    await remove(created(7));
    const spoiled = await allItems();
    const slow = async () => setClock(new Date(TIMES.late));
    await expect(rebuildOrders({ clientId }, { table, wait: slow })).rejects.toMatchObject({ code: 'rebuilding' });
    expect(await allItems()).toEqual(spoiled);
  });

  it('protects counters: they are not set once it was lifted', async () => {
    await stored({ id: 7 });
    await put({ ...counterKey(clientId, 'client', 7), au: 4, changes: 9 });
    const lifted = disturbed('tryTransact', async () => put({ ...clientKey(clientId), id: clientId }));
    await expect(rebuild(lifted)).rejects.toMatchObject({ code: 'order_changed_meanwhile' });
    expect(await table.get(counterKey(clientId, 'client', 7))).toMatchObject({ au: 4 });
  });

  it('is lifted when the rebuild is interrupted', async () => {
    const { signal, ...controller } = aborted();
    await expect(rebuildOrders({ clientId, signal }, { table, wait: controller.abort })).rejects.toThrow('stop');
    expect(await until()).toBeUndefined();
  });
  const aborted = () => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: async () => controller.abort(new Error('stop')) };
  };

  it('is for a client that there is', async () => {
    await expect(rebuildOrders({ clientId: 999_999 }, { table, wait })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('makes a job leave a row, until its time is over', async () => {
    setClock(new Date(TIMES.begun));
    const work = unlessPaused(table, async ({ orderId }: { clientId: number; orderId: number }) => `did ${orderId}`);
    expect(await work({ clientId, orderId: 7 })).toBe('did 7');
    await beginPause(table, clientId);
    expect(await work({ clientId, orderId: 7 })).toBe('paused');
    setClock(new Date(TIMES.over));
    expect(await work({ clientId, orderId: 7 })).toBe('did 7');
  });
});

describe('a rebuild of names', () => {
  const ana = { patient: 10, name: 'ana paz' };
  const user = (id: number, role: 'patient' | 'doctor', firstName: string) => {
    const name = { firstName, lastName: 'Sol', secondLastName: null };
    const account = { clientId, role, email: `${firstName}@example.mx`, phone: '', passwordHash: null };
    return userItem(newUser(id, { ...account, ...name }, TIME));
  };

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
    const found = ['10 missing 1', '11 missing 3', '12 different 1', '13 stray 1', '14 stray 2', '15 stray 4'];
    const tally = ({ names }: Found) =>
      [...Map.groupBy(names, ({ owner, problem }) => `${owner} ${problem}`)].map(
        ([name, { length }]) => `${name} ${length}`,
      );
    expect(tally(await compare()).sort()).toEqual(found);
    expect(tally(await rebuild()).sort()).toEqual(found);
    expect(await compare()).toMatchObject(EXACT);
    expect(await allItems()).toEqual(before);
  });

  const problems = async (patient: number) =>
    (await compare()).names.map(({ owner, problem }) => (owner === patient ? problem : 'of another'));

  it('expects the present name of a patient and those of their orders', async () => {
    await put(user(10, 'patient', 'Eva'));
    await stored({ id: 7 });
    expect(await problems(10)).toEqual(['missing', 'missing', 'missing']);
    await rebuild();
    expect(await compare()).toMatchObject(EXACT);
    await remove(nameKey(clientId, 'ana', ana));
    await remove(nameKey(clientId, 'eva', { patient: 10, name: 'eva sol' }));
    expect(await problems(10)).toEqual(['missing', 'missing']);
  });

  it('finds nothing wrong in a name two of whose letter pairs have one key', async () => {
    const [lastName, secondLastName] = ['Francisci Gutierrez', 'Hernandez Ramirez'];
    await stored({ id: 7, patient: { id: 10, firstName: 'Leon Franciscf', lastName, secondLastName } });
    expect(await compare()).toMatchObject(EXACT);
  });

  it('expects the name of a patient without orders, and none of a doctor', async () => {
    await put(user(10, 'patient', 'Eva'));
    await put(user(11, 'doctor', 'Luz'));
    expect(await problems(10)).toEqual(['missing', 'missing', 'missing']);
    await table.putAll(nameItems({ clientId, id: 10, name: 'eva sol' }));
    await table.putAll(nameItems({ clientId, id: 11, name: 'luz sol' }));
    expect(await problems(11)).toEqual(['stray', 'stray', 'stray']);
  });

  it('expects nothing of a patient who is erased, and finds a name that is left', async () => {
    await stored({ id: 7 });
    const order = await placed({ id: 8, patient: { id: 11, firstName: '', lastName: '' } });
    expect((await compare()).names).toEqual([]);
    await table.putAll(nameItems({ clientId, id: order.patient.id, name: 'luz' }));
    expect(await problems(11)).toEqual(['stray', 'stray']);
  });
});

describe('a rebuild of delays', () => {
  // Order 7 is placed 10 days and 5 hours before its latest delivery, and order 8 a day after its delivery.
  const longest = 882_000_000;
  const late = { id: 8, expectedDeliveryDate: '2026-01-01T18:00:00.000Z', maxDeliveryDate: null };
  const SHORTEST = -86_400_000;

  it.each([
    [
      'missing',
      undefined,
      [
        { bound: 'shortest', recordedMs: 0, ordersMs: SHORTEST },
        { bound: 'longest', recordedMs: 0, ordersMs: longest },
      ],
    ],
    [
      'too narrow for late deliveries',
      { shortestMs: SHORTEST, longestMs: 1_000 },
      [{ bound: 'longest', recordedMs: 1_000, ordersMs: longest }],
    ],
    [
      'too narrow for early deliveries',
      { shortestMs: -1, longestMs: longest },
      [{ bound: 'shortest', recordedMs: -1, ordersMs: SHORTEST }],
    ],
  ])('finds and repairs a record that is %s', async (_, record, exceeded) => {
    await stored({ id: 7 });
    await stored(late);
    await remove(delaysKey(clientId));
    if (record) await put({ ...delaysKey(clientId), ...record });
    const found = { orders: 2, ...EXACT, exceeded };
    expect(await compare()).toEqual(found);
    expect(await rebuild()).toEqual(found);
    expect(await compare()).toMatchObject(EXACT);
    expect(await table.get(delaysKey(clientId))).toMatchObject({ shortestMs: SHORTEST, longestMs: longest });
  });

  it('leaves a record that is wider than the orders need', async () => {
    await stored({ id: 7 });
    const wider = { ...delaysKey(clientId), shortestMs: -5, longestMs: 999_999_999_999 };
    await put(wider);
    expect(await rebuild()).toMatchObject(EXACT);
    expect(await table.get(delaysKey(clientId))).toEqual(wider);
  });
});
