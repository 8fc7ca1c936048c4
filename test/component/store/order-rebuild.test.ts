import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { measureDelays, widenDelays } from '../../../shared/order/lists/delivery-delays.ts';
import type { Order } from '../../../shared/order/order.ts';
import { deriveItems } from '../../../shared/order/order-writes.ts';
import { compareOrders, rebuildOrders, type Survey } from '../../../shared/ordering/rebuild-orders.ts';
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
  keyName,
  nameKey,
  openPartition,
  pairPartition,
  toKey,
  type Viewer,
} from '../../../shared/store/keys.ts';
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
  const items: Item[] = [];
  await table.scan(everything, (item) => items.push(item));
  return items.sort((one, other) => (keyName(one) < keyName(other) ? -1 : 1));
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
    expect(await rebuild()).toEqual({ orders: 0, ...EXACT });
    const moved = await stored({ id: 1, doctor: 20 });
    await changed(await changed(moved, { orderStatus: 'in_process' }), { paymentStatus: 'paid' });
    await changed(await stored({ id: 2 }), { orderStatus: 'cancelled' });
    await stored({ id: 3, patient: { id: 11, firstName: 'Luz', lastName: 'Ñu' }, maxDeliveryDate: null });
    // Two ends of this name have one key.
    const [lastName, secondLastName] = ['Francisci Gutierrez', 'Hernandez Ramirez'];
    await stored({ id: 4, patient: { id: 12, firstName: 'Leon Franciscf', lastName, secondLastName } });
    const before = await allItems();
    const progress: number[] = [];
    const { rows } = await compareOrders({ clientId, onProgress: (done) => progress.push(done) }, table);
    expect([rows, progress]).toEqual([[], [0.25, 0.5, 0.75, 1]]);
    expect(await rebuild()).toEqual({ orders: 4, ...EXACT });
    expect(await allItems()).toEqual(before);
  });
});

describe('a rebuild of rows', () => {
  const doctor = 'doctor#20';
  const entry = '10\t\t\t\tjosefa ruiz';
  const later = () => ({ ...created(13), sk: creationKey('2026-01-03T18:00:00.000Z', 13) });

  // Orders 1 to 20 are approved and unpaid, of patient 10, placed by doctor 20; order 30 is cancelled, and 99 there is not.
  const SPOILED: readonly (readonly [id: number, problem: string, key: () => Key, spoiled?: () => object])[] = [
    [1, 'missing', () => created(1)],
    [2, 'missing', () => paired(2)],
    [4, 'missing', () => paired(4, 'au', doctor)],
    [5, 'missing', () => open(5)],
    [6, 'different', () => created(6), () => ({ entry })],
    [8, 'missing', () => open(8), () => ({ clientId: 0 })],
    [9, 'different', () => open(9), () => ({ patient: 'Josefa Ruiz' })],
    [10, 'different', () => open(10), () => ({ waits: [{ until: null, waits: ['stock'] }] })],
    [11, 'stray', () => paired(11, 'cu'), () => ({ entry })],
    [13, 'stray', later, () => ({ entry })],
    [14, 'stray', () => created(14, 'doctor#21'), () => ({ entry })],
    [30, 'stray', () => open(30), () => ({ clientId })],
    [99, 'stray', () => created(99), () => ({ entry })],
  ];

  it('finds and repairs each entry that is missing, different or stray', async () => {
    for (let id = 1; id <= 20; id++) await stored({ id, doctor: 20 });
    await stored({ id: 30, orderStatus: 'cancelled' });
    const before = await allItems();
    for (const [, , key, spoil] of SPOILED) {
      if (spoil) await put({ ...(await table.get(key())), ...key(), ...spoil() });
      else await remove(key());
    }
    const spoiled = await allItems();
    const rows = SPOILED.map(([owner, problem, key]) => ({ owner, key: key(), problem }));
    const sorted = (found: Found) => ({ ...found, rows: found.rows.toSorted((a, b) => a.owner - b.owner) });
    expect(sorted(await compare())).toEqual({ orders: 21, ...EXACT, rows });
    expect(await allItems()).toEqual(spoiled);
    expect(sorted(await rebuild())).toEqual({ orders: 21, ...EXACT, rows });
    expect(await compare()).toEqual({ orders: 21, ...EXACT });
    expect(await allItems()).toEqual(before);
  });

  const issue = { tries: 0, dueAt: TIME };
  const terms = { referenceId: 7, collection: 'card', amountCents: 1, termHours: 24, returnUrl: null } as const;
  const COLLECTED = {
    paymentMethod: { ...syntheticOrder({ id: 1 }).paymentMethod, collection: 'card' as const },
    payment: startAttempt(undefined, { ...terms, now: new Date(TIME) }),
  };
  const issued = taxDocument({ key: 'a', status: 'issued', requestedAt: TIME, issuedAt: TIME });
  it.each<[kind: string, changes: Partial<Order>]>([
    ['INVOICES', { invoice: taxDocument({ key: 'a', status: 'requested', tasks: { issue } }) }],
    ['LEDGER', { invoice: issued, cfdi: 'x' }],
    ['UNINVOICED', { paymentStatus: 'paid', paymentDate: TIME }],
    ['RETAINED', { retained: { documents: [], documentsUntil: '2027-01-03', receiverUntil: null, copiesUntil: null } }],
    ['PAYMENTS', COLLECTED],
  ])('repairs a row of the kind %s that is missing, different or stray', async (kind, changes) => {
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

  it('repairs more items of an order than fit in one transaction, and leaves those of other clients alone', async () => {
    await stored({ id: 7 });
    const other = Number(`${clientId}1`);
    await placed({ id: 70_001, clientId: other });
    await remove({ pk: createdPartition(other, 'client'), sk: creationKey(TIME, 70_001) });
    await put({ pk: openPartition('quoted'), sk: creationKey(TIME, 70_002), clientId: other });
    const before = await allItems();
    await table.putAll(Array.from({ length: 120 }, (_, index) => ({ ...created(7, `doctor#${100 + index}`), entry })));
    expect((await rebuild()).rows).toHaveLength(120);
    expect(await allItems()).toEqual(before);
    const { rows, names } = await compare(other);
    expect([rows.length, names.length]).toEqual([2, 3]);
  });

  it('stops at an order that is changed before its repair, and puts nothing stale', async () => {
    const order = await stored({ id: 7 });
    await remove(paired(7));
    let writes = 0;
    const busy = disturbed('tryTransact', async () => {
      if (++writes === 1) await changed(order, { orderStatus: 'quoted' });
    });
    await expect(rebuild(busy)).rejects.toMatchObject({ code: 'order_changed_meanwhile' });
    expect(await rebuild()).toEqual({ orders: 1, ...EXACT });
    expect(await table.get(paired(7))).toBeUndefined();
  });
});

describe('a rebuild of counters', () => {
  const au = (id: number) => counterKey(clientId, 'client', id);

  it('finds and repairs each that is missing, or has other numbers, and leaves the others', async () => {
    for (const id of [1, 2, 3, 4]) await stored({ id });
    const none = counterKey(clientId, 'doctor#21', 2);
    const coupon = couponCounterKey(clientId, 4);
    await remove(au(1));
    await put({ ...au(2), au: 4, changes: 9 });
    await put({ ...au(3), au: 1, cu: 1, changes: 9 });
    // No order is in this view, and none has this coupon.
    await put({ ...none, changes: 1, au: 1 });
    await put({ ...coupon, redemptions: 3, changes: 5 });
    const keys = ({ counters }: Found) => counters.map(({ Key }) => Key);
    const wrong = [au(1), au(2), au(3), none, coupon];
    for (const found of [keys(await compare()), keys(await rebuild())]) {
      expect(found).toHaveLength(wrong.length);
      expect(found).toEqual(expect.arrayContaining(wrong));
    }
    expect(await compare()).toMatchObject(EXACT);
    // A list that is reading a counter begins anew after one change more.
    expect([await table.get(au(1)), await table.get(au(2))]).toMatchObject([{ au: 1 }, { au: 1, changes: 10 }]);
  });

  it.each([
    ['an order was counted', () => placed({ id: 23 }), 5],
    ['the pause was lifted', () => put({ ...clientKey(clientId), id: clientId }), 4],
  ])('sets none if, before it does, %s', async (_, disturb, left) => {
    await stored({ id: 7 });
    await put({ ...au(7), au: 4, changes: 9 });
    const busy = disturbed('tryTransact', disturb);
    await expect(rebuild(busy)).rejects.toMatchObject({ code: 'order_changed_meanwhile' });
    expect(await table.get(au(7))).toMatchObject({ au: left });
  });
});

describe('the pause of a rebuild', () => {
  const [BEGUN, LATE] = ['10:00', '10:14'].map((time) => new Date(`2026-01-05T${time}:00.000Z`));
  const until = async () => (await table.get(clientKey(clientId)))?.rebuildingUntil;
  beforeEach(() => setClock(BEGUN));

  it('holds from before the waiting until the end, and is lifted', async () => {
    const waited: unknown[] = [];
    const waiting = async (ms: number) => void waited.push(ms, await until());
    await rebuildOrders({ clientId }, { table, wait: waiting });
    expect(waited).toEqual([90_000, '2026-01-05T10:15:00.000Z']);
    expect(await until()).toBeUndefined();
    const controller = new AbortController();
    const interrupt = async () => controller.abort(new Error('stop'));
    const interrupted = rebuildOrders({ clientId, signal: controller.signal }, { table, wait: interrupt });
    await expect(interrupted).rejects.toThrow('stop');
    expect(await until()).toBeUndefined();
  });

  it('is too short for a rebuild that is not done a minute before its end', async () => {
    await stored({ id: 7 });
    await remove(created(7));
    const spoiled = await allItems();
    const slow = async () => setClock(LATE);
    await expect(rebuildOrders({ clientId }, { table, wait: slow })).rejects.toMatchObject({ code: 'rebuilding' });
    expect(await allItems()).toEqual(spoiled);
  });
});

describe('a rebuild of names', () => {
  const user = (id: number, role: 'patient' | 'doctor', firstName: string) => {
    const name = { firstName, lastName: 'Sol', secondLastName: null };
    const account = { clientId, role, email: `${firstName}@example.mx`, phone: '', passwordHash: null };
    return userItem(newUser(id, { ...account, ...name }, TIME));
  };
  const tally = ({ names }: Found) =>
    [...Map.groupBy(names, ({ owner, problem }) => `${owner} ${problem}`)]
      .map(([name, { length }]) => `${name} ${length}`)
      .sort();

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
    expect(tally(await compare())).toEqual(found);
    expect(tally(await rebuild())).toEqual(found);
    expect(await compare()).toMatchObject(EXACT);
    expect(await allItems()).toEqual(before);
  });

  it('expects the present names of patients and those of their orders, of nobody else and nobody erased', async () => {
    await put(user(10, 'patient', 'Eva'));
    await put(user(11, 'doctor', 'Luz'));
    await stored({ id: 7 });
    await placed({ id: 8, patient: { id: 12, firstName: '', lastName: '' } });
    expect(tally(await compare())).toEqual(['10 missing 3']);
    await rebuild();
    expect(await compare()).toMatchObject(EXACT);
    await remove(nameKey(clientId, 'ana', { patient: 10, name: 'ana paz' }));
    await remove(nameKey(clientId, 'eva', { patient: 10, name: 'eva sol' }));
    for (const id of [11, 12]) await table.putAll(nameItems({ clientId, id, name: 'luz sol' }));
    expect(tally(await compare())).toEqual(['10 missing 2', '11 stray 3', '12 stray 3']);
  });
});

describe('a rebuild of delays', () => {
  // Order 7 is placed 10 days and 5 hours before its latest delivery, and order 8 a day after its delivery.
  const longestMs = 882_000_000;
  const shortestMs = -86_400_000;
  const shortest = (recordedMs: number) => ({ bound: 'shortest', recordedMs, ordersMs: shortestMs });
  const longest = (recordedMs: number) => ({ bound: 'longest', recordedMs, ordersMs: longestMs });

  it('finds and repairs a record that is missing or too narrow, and leaves a wider one', async () => {
    await stored({ id: 7 });
    await stored({ id: 8, expectedDeliveryDate: '2026-01-01T18:00:00.000Z', maxDeliveryDate: null });
    await remove(delaysKey(clientId));
    expect((await compare()).exceeded).toEqual([shortest(0), longest(0)]);
    await put({ ...delaysKey(clientId), shortestMs: -1, longestMs });
    expect((await compare()).exceeded).toEqual([shortest(-1)]);
    await put({ ...delaysKey(clientId), shortestMs, longestMs: 1_000 });
    expect((await rebuild()).exceeded).toEqual([longest(1_000)]);
    expect(await table.get(delaysKey(clientId))).toMatchObject({ shortestMs, longestMs });
    const wider = { ...delaysKey(clientId), shortestMs: shortestMs - 1, longestMs: longestMs + 1 };
    await put(wider);
    expect(await rebuild()).toMatchObject(EXACT);
    expect(await table.get(delaysKey(clientId))).toEqual(wider);
  });
});
