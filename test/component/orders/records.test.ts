import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { misunderstood, OPERATOR, openOperatorWorld, ops } from '../../support/operators/operator-world.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { folioOf } from '../../support/orders/samples.ts';

/* What operators record of an order: notes, tags and claims, the till, and what was dispensed, which a recall finds. */

const world = openOperatorWorld();
const { force, placed, stored } = world;

const AT_STORE = { shipping: undefined, store: 1 };
const read = async (id: number) => (await world.server.asEmployee('GET', `/api/orders/${id}/`)).body;
const events = async (id: number) => (await world.server.asEmployee('GET', `/api/orders/${id}/events/`)).body.results;
const move = (id: number, to: string, ...options: string[]) =>
  ops('orders', 'move', String(id), '--to', to, ...options);
const verify = (id: number, ...options: string[]) => ops('orders', 'verify-prescription', String(id), ...options);

describe('an order with an antibiotic', () => {
  // Product 15 is one.
  const prescribed = () =>
    placed({ order: { details: [{ product: 15, quantity: 2 }], prescriptions: [world.newPrescription()] } });

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

describe('dispensing export', () => {
  // Of the demonstration: an antibiotic, ibuprofen on a prescription, and paracetamol without one. A line of 0 is not dispensed.
  const details = [
    { product: 15, quantity: 2 },
    { product: 4, quantity: 1 },
    { product: 1, quantity: 3 },
    { product: 6, quantity: 0 },
  ];
  // The last minute of February and the first of March in Mexico City.
  const END_OF_FEBRUARY = new Date('2027-03-01T05:59:30.000Z');
  const MARCH = new Date('2027-03-01T06:00:00.000Z');
  const PRESCRIBER = { name: '=Dra. Eva "Luna"', licence: '1234567', address: 'Orizaba 8, CDMX' };
  const named = ['--prescriber', PRESCRIBER.name, '--licence', PRESCRIBER.licence];
  const addressed = [...named, '--prescriber-address', PRESCRIBER.address];

  const done = async (answer: Promise<unknown>) => expect(await answer).toMatchObject({ code: 0 });

  async function dispense(at: Date, ...prescriber: string[]) {
    setClock(at);
    const prescriptions = [{ ...world.newPrescription(), issue_date: '2027-02-20' }];
    const id = await placed({ order: { details, prescriptions } });
    await done(verify(id, ...prescriber));
    for (const to of ['approved', 'in_process']) await done(move(id, to));
    return { id, prescription: (await stored(id)).prescriptions[0]?.id };
  }
  const exportMonth = (month: string, ...options: string[]) =>
    ops('dispensing', 'export', '--month', month, ...options);
  const linesOf = ({ out }: { out: string }) => out.split('\r\n').slice(1, -1);

  it('has the prescribed medicines of a local month, under which prescription, and whether they went back', async () => {
    const one = await dispense(END_OF_FEBRUARY, ...addressed);
    const two = await dispense(MARCH, ...named);
    for (const to of ['shortage', 'approved']) await done(move(one.id, to));
    setClock(new Date('2027-03-02T18:00:00.000Z'));
    await done(move(one.id, 'in_process'));

    const luna = `2027-02-20,"'=Dra. Eva ""Luna""",1234567`;
    const whom = `${one.prescription},${luna},"Orizaba 8, CDMX",${OPERATOR},2027-02-28`;
    const amoxicillin = 'Amoxicilina 500 mg,Caja con 12 cápsulas,2,Sí,IV';
    expect(linesOf(await exportMonth('2027-02'))).toEqual([
      `2027-02-28,${folioOf(one.id)},${amoxicillin},${whom},2027-03-01`,
      `2027-02-28,${folioOf(one.id)},Ibuprofeno 800 mg,Caja con 10 tabletas,1,No,IV,${whom},2027-03-01`,
    ]);
    const march = await exportMonth('2027-03', '--antibiotics');
    expect(linesOf(march)).toEqual([
      `2027-03-01,${folioOf(two.id)},${amoxicillin},${two.prescription},${luna},,${OPERATOR},2027-03-01,`,
      `2027-03-02,${folioOf(one.id)},${amoxicillin},${whom},`,
    ]);
    // One lacks the address.
    expect(march.err).toMatch(/^1 /);

    await done(verify(two.id, ...addressed));
    const { out } = await exportMonth('2027-03', '--antibiotics', '--json');
    const under = { id: two.prescription, issue_date: '2027-02-20', prescriber: PRESCRIBER };
    expect(JSON.parse(out).lines[0]).toEqual({
      ...{ date: '2027-03-01', order: two.id, folio: folioOf(two.id), product: 15, quantity: 2, taken_back_on: null },
      ...{ name: 'Amoxicilina 500 mg', presentation: 'Caja con 12 cápsulas' },
      ...{ is_antibiotic: true, sanitary_fraction: 'IV' },
      prescriptions: [{ ...under, verified_on: '2027-03-01', verified_by: OPERATOR }],
    });
  });

  it('goes to a file, as a spreadsheet reads it, of one month', async () => {
    const path = join(world.folder, 'registro.csv');
    expect(await exportMonth('2027-04', '--out', path)).toMatchObject({ code: 0 });
    expect(await readFile(path, 'utf8')).toMatch(/^\ufeffFecha de dispensación,Folio,[^\n]+\r\n$/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await misunderstood(['dispensing', 'export', '--month', '2027-13'], '--month: ');
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

  it('finds orders by rows without personal data', async () => {
    const rows = await openTable().all({ pk: `DISPENSED#${PRODUCT}` });
    expect(rows.map(({ pk: _, sk, ...row }) => [String(sk).slice(0, 11), row])).toEqual(
      ['2026-11-23#', '2026-11-23#', '2026-11-25#'].map((day) => [
        day,
        { format: 1, clientId: world.server.client.id },
      ]),
    );
  });

  it.each(['7001:B204', '7001:B204:2027-13', '7001::2027-05', 'x:B204:2027-05', '7001:B204:2027-05:0'])(
    'knows a lot by its form: not %s',
    (lot) => misunderstood(['orders', 'move', '1', '--to', 'in_process', '--lot', lot], '--lot'),
  );
});

describe('a note on an order', () => {
  const note = (id: number, text: string) => ops('orders', 'note', String(id), text);

  it('is kept with its author and time, is shown to operators by a sign, and no answer of the API has it', async () => {
    const id = await placed({ order: { ...AT_STORE, comments: 'Tocar el timbre' }, email: 'signos@example.mx' });
    expect(await note(id, 'Llamar antes')).toMatchObject({ code: 0, err: '' });
    const notes = [{ at: '2026-11-23T18:00:00.000Z', by: OPERATOR, text: 'Llamar antes' }];
    expect((await stored(id)).notes).toEqual(notes);
    expect(JSON.parse((await ops('orders', 'show', String(id), '--json')).out).notes).toEqual(notes);
    expect(JSON.stringify([await read(id), await events(id)])).not.toContain('Llamar');
    expect((await getStoredEvents(id)).at(-1)).toMatchObject({ what: 'noted', by: { operator: OPERATOR } });
    const { patient } = await stored(id);
    await force(id, { orderStatus: 'ready', patient: { ...patient, medicalCondition: 'Penicilina' } });
    const { orders } = JSON.parse((await ops('orders', 'list', '--status', 'ready', '--json')).out);
    expect(orders.find((each: { id: number }) => each.id === id)).toMatchObject({
      store: { id: 1, name: 'Sucursal Del Valle' },
      ...{ condition: true, comment: true, note: true, waits_for: ['receipt', 'payment'] },
    });
  });

  it('is refused of an order with 30, and of an erased patient', async () => {
    const id = await placed();
    const { patient } = await stored(id);
    const notes = Array(30).fill({ at: '2026-11-23T18:00:00.000Z', by: 'eva', text: 'x' });
    for (const state of [{ notes }, { notes: [], patient: { ...patient, email: '' } }]) {
      const before = await force(id, state);
      expect(await note(id, 'Otra')).toMatchObject({ code: 1, out: '' });
      expect(await stored(id)).toEqual(before);
    }
  });
});

describe('orders update', () => {
  const update = (id: number, ...options: string[]) => ops('orders', 'update', String(id), ...options);

  it('replaces the tags, which the API shows in orders and lists', async () => {
    const id = await placed({ email: 'tags@example.mx' });
    expect(await update(id, '--tags', ' urgente, frío,urgente')).toMatchObject({ code: 0, err: '' });
    const list = await world.server.request('GET', `/api/orders/?folio=${folioOf(id)}`, {
      token: world.tokens.employee,
    });
    expect([(await read(id)).tags, list.body.results[0].tags]).toEqual(['urgente,frío', 'urgente,frío']);
    await update(id, '--tags', 'urgente,frío');
    expect((await stored(id)).version).toBe(2);
    await update(id, '--tags', '');
    expect((await read(id)).tags).toBe('');
    const changes = ['order.created', 'order.changed', 'order.changed'];
    expect((await events(id)).map(({ type }: { type: string }) => type)).toEqual(changes);
  });

  it('moves the claim forward only', async () => {
    const id = await placed();
    const claim = (to: string) => update(id, '--claim', to);
    expect(await claim('sent_to_insurer')).toMatchObject({ code: 0 });
    for (const to of ['missing_data', 'sent_to_insurer']) expect(await claim(to)).toMatchObject({ code: 1, out: '' });
    expect((await read(id)).insurance_refund_status).toBe('sent_to_insurer');
    expect(await claim('approved_by_insurer')).toMatchObject({ code: 0 });
    const moved = { what: 'claim_moved', from: 'sent_to_insurer', to: 'approved_by_insurer' };
    expect((await getStoredEvents(id)).at(-1)).toMatchObject(moved);
  });

  it.each([
    ['--tags', 'x'.repeat(31)],
    ['--tags', 'a,b,c,d,e,f,g,h,i,j,k'],
    ['--claim', 'lost'],
  ])('refuses %s %s', (option, value) => misunderstood(['orders', 'update', '1', option, value], option));

  it('needs something to change, and the version that was looked at', async () => {
    await misunderstood(['orders', 'update', '1'], 'changed');
    expect(await update(await placed(), '--tags', 'a', '--version', '9')).toMatchObject({ code: 1 });
  });
});

it('the reason of a cancellation is told to the client by the event, and no other reason is', async () => {
  const id = await placed();
  await ops('orders', 'move', String(id), '--to', 'cancelled', '--reason', 'No hay existencias');
  expect((await events(id)).map(({ type, reason }: Record<string, string>) => [type, reason])).toEqual([
    ['order.created', null],
    ['order.cancelled', 'No hay existencias'],
  ]);
  await misunderstood(['orders', 'move', '1', '--to', 'approved', '--reason', 'x'], '--reason');
});

describe('orders cash-up', () => {
  const cashUp = async (...options: string[]) => JSON.parse((await ops('orders', 'cash-up', '--json', ...options)).out);
  const at = (time: string) => setClock(new Date(time));

  it('adds up what was paid and given back on a day of the shop, by form, person and store', async () => {
    const [sent, unpaid] = [await placed(), await placed()];
    const collected = await placed({ order: AT_STORE });
    // The day of Mexico City ends at 06:00 UTC.
    at('2026-12-02T05:59:00.000Z');
    await ops('orders', 'pay', String(sent), '--status', 'paid', '--form', '01');
    await ops('orders', 'pay', String(collected), '--status', 'paid', '--form', '28');
    await ops('orders', 'refund', String(collected), '--amount', '20.00', '--form', '01');
    await ops('orders', 'pay', String(unpaid), '--status', 'credit');
    at('2026-12-02T06:00:00.000Z');
    await ops('orders', 'refund', String(sent), '--amount', '7.00', '--form', '01');
    const rows = [
      { form: '01', by: OPERATOR, store: null, paid: '136.00', refunded: '0.00' },
      { form: '01', by: OPERATOR, store: 1, paid: '0.00', refunded: '20.00' },
      { form: '28', by: OPERATOR, store: 1, paid: '57.00', refunded: '0.00' },
    ];
    expect(await cashUp('--day', '2026-12-01')).toEqual({
      ...{ day: '2026-12-01', rows, paid: '193.00', refunded: '20.00' },
      stores: [{ id: 1, name: 'Sucursal Del Valle' }],
    });
    expect((await cashUp('--day', '2026-12-01', '--store', '1')).rows).toEqual(rows.slice(1));
    expect((await cashUp('--day', '2026-12-01', '--by', 'provider')).rows).toEqual([]);
    expect(await cashUp()).toMatchObject({ day: '2026-12-02', paid: '0.00', refunded: '7.00' });
    // The order stays paid however often it changes.
    await ops('orders', 'move', String(sent), '--to', 'in_process');
    expect(await cashUp()).toMatchObject({ paid: '0.00', refunded: '7.00' });
  });
});
