import { beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { LATER, misunderstood, openDesk, ops } from '../../support/operators/desk.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';

const desk = openDesk();
const { force, placed, stored } = desk;

const move = (id: number, to: string, ...options: string[]) =>
  ops('orders', 'move', String(id), '--to', to, ...options);
const AT_STORE = { shipping: undefined, store: 1 };
// Product 15 is an antibiotic.
const ANTIBIOTIC = { details: [{ product: 15, quantity: 2 }] };

describe('an order that is collected at a store', () => {
  it('goes from ready to its patient, and is never shipped', async () => {
    const id = await placed({ order: AT_STORE });
    await force(id, { orderStatus: 'ready' });
    expect(await move(id, 'shipped')).toMatchObject({ code: 1, out: '' });
    setClock(LATER);
    expect(await move(id, 'delivered')).toMatchObject({ code: 0 });
    expect(await stored(id)).toMatchObject({
      orderStatus: 'delivered',
      shippingDate: null,
      receivingDate: '2026-11-24T15:30:00.000Z',
    });
    const token = await desk.server.login('aseguradora@demo.example');
    const { body } = await desk.server.request('GET', `/api/orders/${id}/`, { token });
    expect([body.patient_order_status, body.shipping_date]).toEqual(['delivered', null]);
  });

  it('is shown with its store, and with the signs of what somebody wrote', async () => {
    const id = await placed({ order: { ...AT_STORE, comments: 'Tocar el timbre' }, email: 'signos@example.mx' });
    const { patient } = await stored(id);
    await force(id, { orderStatus: 'ready', patient: { ...patient, medicalCondition: 'Penicilina' } });
    await ops('orders', 'note', String(id), 'Llamar antes');
    const { orders } = JSON.parse((await ops('orders', 'list', '--status', 'ready', '--json')).out);
    expect(orders.find((each: { id: number }) => each.id === id)).toMatchObject({
      store: { id: 1, name: 'Sucursal Del Valle' },
      condition: true,
      comment: true,
      note: true,
      waits_for: ['receipt', 'payment'],
    });
  });
});

describe('an order with an antibiotic', () => {
  const prescribed = () => placed({ order: { ...ANTIBIOTIC, prescriptions: [desk.newPrescription()] } });
  const verify = (id: number, ...options: string[]) => ops('orders', 'verify-prescription', String(id), ...options);

  it('is prepared once who prescribed it is recorded', async () => {
    const id = await prescribed();
    expect(await verify(id, '--approve')).toMatchObject({ code: 0 });
    const before = await stored(id);
    expect((await getStoredEvents(id)).map(({ what, version }) => [what, version]).slice(-2)).toEqual([
      ['prescription_verified', 2],
      ['moved', 2],
    ]);
    expect(await move(id, 'in_process')).toMatchObject({ code: 1 });
    expect(await stored(id)).toEqual(before);
    expect(await verify(id, '--prescriber', 'Dra. Eva Luna', '--licence', '1234567')).toMatchObject({ code: 0 });
    expect(await move(id, 'in_process')).toMatchObject({ code: 0 });
  });

  it('is neither verified nor approved where it cannot be approved', async () => {
    const id = await prescribed();
    const before = await force(id, { orderStatus: 'cancelled' });
    expect(await verify(id, '--approve')).toMatchObject({ code: 1 });
    expect(await stored(id)).toEqual(before);
  });
});

describe('orders recall', () => {
  const ids = { known: 0, unknown: 0, other: 0, back: 0 };
  let lines: readonly number[] = [];
  const PRODUCT = 121;
  const recall = async (...options: string[]) => {
    const { code, out } = await ops('orders', 'recall', '--product', String(PRODUCT), ...options, '--json');
    expect(code).toBe(0);
    return JSON.parse(out).dispensed.map(({ order, lot, quantity }: Record<string, unknown>) => [order, lot, quantity]);
  };

  beforeAll(async () => {
    const details = [
      { product: PRODUCT, quantity: 3 },
      { product: 1, quantity: 1 },
    ];
    for (const name of ['known', 'unknown', 'other', 'back'] as const)
      ids[name] = await placed({ order: { details }, email: `${name}@example.mx` });
    lines = (await stored(ids.known)).lines.map(({ id }) => id);
    const [first] = lines;
    await move(ids.known, 'in_process', '--lot', `${first}:B204:2027-05:2`, '--lot', `${first}:C-7:2027-06`);
    await move(ids.unknown, 'in_process');
    await move(ids.back, 'in_process');
    expect(await move(ids.back, 'shortage')).toMatchObject({ code: 0 });
    setClock(new Date('2026-11-25T18:00:00.000Z'));
    const [other] = (await stored(ids.other)).lines;
    await move(ids.other, 'in_process', '--lot', `${other?.id}:D1:2027-01`);
  });

  it('lists who got a product, by lot, and nothing that went back', async () => {
    const all = [
      [ids.known, 'B204', 2],
      [ids.known, 'C-7', 1],
      [ids.unknown, null, 3],
      [ids.other, 'D1', 3],
    ];
    expect(await recall()).toEqual(all);
    expect(await recall('--from', '2026-11-25')).toEqual(all.slice(3));
    expect(await recall('--until', '2026-11-24')).toEqual(all.slice(0, 3));
    // A lot that nobody recorded may be the one.
    expect(await recall('--lot', 'b 204')).toEqual([all[0], all[2]]);
    const { out } = await ops('orders', 'recall', '--product', String(PRODUCT), '--lot', 'C-7', '--json');
    expect(JSON.parse(out).dispensed[0]).toMatchObject({
      folio: expect.stringMatching(/^RX-/),
      day: '2026-11-23',
      patient: 'Ana Paz',
      expiry: '2027-06',
      order_status: 'in_process',
    });
  });

  it('names nobody once the patient is erased, and still has the lot', async () => {
    await force(ids.other, { orderStatus: 'delivered', paymentStatus: 'paid' });
    const erase = ['patients', 'erase', '--client', String(desk.server.client.id), '--email', 'other@example.mx'];
    expect(await ops(...erase, '--yes')).toMatchObject({ code: 0 });
    const { out } = await ops('orders', 'recall', '--product', String(PRODUCT), '--lot', 'D1', '--json');
    const found = JSON.parse(out).dispensed.find(({ lot }: { lot: string }) => lot === 'D1');
    expect(found).toMatchObject({ order: ids.other, patient: '', phone: '' });
  });

  it('finds orders by rows without personal data', async () => {
    const rows = await openTable().all({ pk: `DISPENSED#${PRODUCT}` });
    expect(rows.map(({ pk: _, sk, ...row }) => [String(sk).slice(0, 11), row])).toEqual(
      ['2026-11-23#', '2026-11-23#', '2026-11-25#'].map((day) => [day, { format: 1, clientId: desk.server.client.id }]),
    );
  });

  it.each([
    ['7001:B204', '--lot'],
    ['7001:B204:2027-13', '--lot'],
    ['7001::2027-05', '--lot'],
    ['x:B204:2027-05', '--lot'],
    ['7001:B204:2027-05:0', '--lot'],
  ])('knows a lot by its form: not %s', async (lot, option) => {
    await misunderstood(['orders', 'move', '1', '--to', 'in_process', '--lot', lot], option);
  });
});
