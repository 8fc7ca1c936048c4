import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TableStream } from '../../../infra/local/table-stream.ts';
import { openStream } from '../../../infra/local/table-stream.ts';
import { table } from '../../../shared/deps.ts';
import { feedEventKey } from '../../../shared/store/keys.ts';
import { operate } from '../../support/operators/operator.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';
import { publishEvents } from '../../support/webhooks/feed.ts';

// The feed of a client's events, and the events of one order. `proofs/refusals` has who may read them.

const server = useServer({ table: 'streamed' });
let stream: TableStream;
let clients = 0;
let own: { id: number; key: string; token: string };

beforeAll(() => {
  stream = openStream();
});
beforeEach(async () => {
  own = await addClient();
});

/** Adds a client with an employee, and returns its id with their credentials. */
async function addClient() {
  clients += 1;
  const { client, key } = await server.addClient(`Cliente ${clients}`);
  await server.addUser(client, 'insurance_employee', `empleada-${clients}@example.mx`);
  return { id: client.id, key, token: await server.login(`empleada-${clients}@example.mx`, key) };
}
async function place(): Promise<number> {
  const body = orderBody('paciente@example.mx');
  const { status, body: order } = await server.request('POST', '/api/orders/resources/', { ...own, body });
  expect(status).toBe(201);
  return order.id;
}
const cancel = (id: number) =>
  server.request('PATCH', `/api/orders/${id}/`, { ...own, body: { order_status: 'cancelled' } });
const follow = (query: string, caller: object = own) => server.request('GET', `/api/events/?${query}`, caller);
const behind = (next: string, caller: object = own) => follow(new URL(next).searchParams.toString(), caller);
const idsOf = ({ body }: { body: { results: { id: string }[] } }) => body.results.map(({ id }) => id);

describe('the events of a client', () => {
  it('come in the order in which they were published, each once, and go on behind the last', async () => {
    const begun = await follow('cursor=');
    expect(begun).toMatchObject({ status: 200, body: { results: [] } });
    const [first, second] = [await place(), await place()];
    await cancel(first);
    await publishEvents(stream);
    const page = await follow('cursor=&limit=2');
    expect(idsOf(page)).toEqual([`evt_${first}_1_0`, `evt_${second}_1_0`]);
    expect(idsOf(await behind(begun.body.next))).toEqual([...idsOf(page), `evt_${first}_2_0`]);
    const rest = await behind(page.body.next);
    expect(rest.body.results).toEqual([
      {
        ...{ id: `evt_${first}_2_0`, type: 'order.cancelled', time: expect.any(String) },
        order: {
          ...{ id: first, folio: `RX-${String(first).padStart(8, '0')}`, version: 2 },
          ...{ order_status: 'cancelled', payment_status: 'unpaid' },
        },
        move: { status: 'order_status', from: 'approved', to: 'cancelled' },
        ...{ shipment: null, refunded: null, prescriptions: [], reason: null },
      },
    ]);
    const empty = await behind(rest.body.next);
    expect(empty.body.results).toEqual([]);
    await cancel(second);
    await publishEvents(stream);
    expect(idsOf(await behind(empty.body.next))).toEqual([`evt_${second}_2_0`]);
  });

  it('can be those of some types, behind all that were read', async () => {
    const id = await place();
    await publishEvents(stream);
    const nothing = await follow('type=order.paid,order.cancelled');
    expect(nothing.body.results).toEqual([]);
    await cancel(id);
    await publishEvents(stream);
    expect(idsOf(await behind(nothing.body.next))).toEqual([`evt_${id}_2_0`]);
  });

  it('are refused behind a cursor that has missed some, and begin with the oldest that is kept', async () => {
    const first = await place();
    await publishEvents(stream);
    const begun = await follow('cursor=');
    await cancel(first);
    const second = await place();
    await publishEvents(stream);
    await table().deleteAll([feedEventKey(own.id, 2)]);
    expect(await behind(begun.body.next)).toMatchObject({ status: 400, body: { cursor: [expect.any(String)] } });
    expect(idsOf(await follow('cursor='))).toEqual([`evt_${second}_1_0`]);
    await table().deleteAll([feedEventKey(own.id, 3)]);
    expect((await behind(begun.body.next)).status).toBe(400);
  });

  it('are of the caller whatever position a cursor says, and no cursor is of another client', async () => {
    await place();
    await publishEvents(stream);
    const other = await addClient();
    const { next } = (await follow('', other)).body;
    expect((await behind(next)).status).toBe(400);
    const [listName] = JSON.parse(Buffer.from(new URL(next).searchParams.get('cursor') ?? '', 'base64url').toString());
    for (const last of [0, 1, 0.5, 1e300, 'x', null]) {
      const cursor = Buffer.from(JSON.stringify([listName, last])).toString('base64url');
      expect(await follow(`cursor=${cursor}`, other)).toMatchObject({ status: 200, body: { results: [] } });
    }
  });
});

describe('the events of an order', () => {
  const see = (id: number, query: string, caller: object = own) =>
    server.request('GET', `/api/orders/${id}/events/?${query}`, caller);

  it('are its history, the oldest first, with the statuses right after each, and nothing personal', async () => {
    const id = await place();
    for (const to of ['in_process', 'ready']) await operate('pipe', 'orders', 'move', String(id), '--to', to);
    const { body } = await see(id, '');
    expect(body).toMatchObject({ count: 3, next: null, previous: null });
    const told = body.results.map((event: { id: string; type: string; order: { order_status: string } }) => {
      return [event.id, event.type, event.order.order_status];
    });
    expect(told).toEqual([
      [`evt_${id}_1_0`, 'order.created', 'approved'],
      [`evt_${id}_2_0`, 'order.moved', 'in_process'],
      [`evt_${id}_3_0`, 'order.moved', 'ready'],
    ]);
    expect(JSON.stringify(body.results)).not.toMatch(/paciente|Ana|Paz|arn:|operator|by/i);

    expect((await see(id, 'limit=2&page=2')).body).toMatchObject({ count: 3, results: [{ id: `evt_${id}_3_0` }] });
    expect((await see(id, 'limit=2&page=3')).status).toBe(404);
    const begun = await see(id, 'cursor=&limit=1');
    const rest = await see(id, `limit=2&cursor=${new URL(begun.body.next).searchParams.get('cursor')}`);
    expect([begun, rest].map(idsOf)).toEqual([[`evt_${id}_1_0`], [`evt_${id}_2_0`, `evt_${id}_3_0`]]);
    expect(rest.body.next).toBeNull();
    expect((await see(id, 'type=order.moved')).body.count).toBe(2);
  });

  it('keep the tracking number from a doctor who did not send the address', async () => {
    const [doctor, employee] = [
      await server.login('doctora@demo.example'),
      await server.login('aseguradora@demo.example'),
    ];
    const address = { token: employee, body: orderBody('paciente@demo.example') };
    await server.request('POST', '/api/orders/resources/', address);
    const body = orderBody('paciente@demo.example', { shipping: undefined });
    const { id } = (await server.request('POST', '/api/orders/resources/', { token: doctor, body })).body;
    const move = (...words: string[]) => operate('pipe', 'orders', 'move', String(id), '--to', ...words);
    await move('in_process');
    await move('ready');
    await move('shipped', '--carrier', 'Correos', '--tracking', 'RR1');
    const shipments = async (token: string) =>
      (await see(id, '', { token })).body.results.map(({ shipment }: { shipment: unknown }) => shipment);
    const shown = { carrier: 'Correos', tracking_number: 'RR1' };
    expect(await shipments(employee)).toEqual([null, null, null, shown]);
    expect(await shipments(doctor)).toEqual([null, null, null, null]);
  });
});
