import { describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { misunderstood, OPERATOR, openDesk, ops } from '../../support/operators/desk.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { folioOf } from '../../support/orders/samples.ts';

const desk = openDesk();
const { force, placed, stored } = desk;

const AT_STORE = { shipping: undefined, store: 1 };
const read = async (id: number) =>
  (await desk.server.request('GET', `/api/orders/${id}/`, { token: desk.tokens.employee })).body;
const events = async (id: number) =>
  (await desk.server.request('GET', `/api/orders/${id}/events/`, { token: desk.tokens.employee })).body.results;

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
    const list = await desk.server.request('GET', `/api/orders/?folio=${folioOf(id)}`, { token: desk.tokens.employee });
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
