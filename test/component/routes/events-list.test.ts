import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TableStream } from '../../../infra/local/table-stream.ts';
import { openStream } from '../../../infra/local/table-stream.ts';
import { table } from '../../../shared/deps.ts';
import { feedEventKey } from '../../../shared/store/keys.ts';
import { publishEvents } from '../../support/events/table-stream.ts';
import { operate } from '../../support/operators/operator.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const server = useServer({ table: 'streamed' });
let stream: TableStream;
let clients = 0;
let own: { id: number; key: string; token: string };

beforeAll(async () => {
  stream = openStream();
});
beforeEach(async () => {
  clients += 1;
  const { client, key } = await server.addClient(`Cliente ${clients}`);
  await server.addUser(client, 'insurance_employee', `empleada-${clients}@example.mx`);
  own = { id: client.id, key, token: await server.login(`empleada-${clients}@example.mx`, key) };
});

async function place(): Promise<number> {
  const body = orderBody(`paciente-${clients}@example.mx`);
  const { status, body: order } = await server.request('POST', '/api/orders/resources/', { ...own, body });
  expect(status).toBe(201);
  return order.id;
}
const cancel = (id: number) =>
  server.request('PATCH', `/api/orders/${id}/`, { ...own, body: { order_status: 'cancelled' } });
const follow = (query: string, caller: object = own) => server.request('GET', `/api/events/?${query}`, caller);
const behind = (next: string) => follow(new URL(next).searchParams.toString());
const idsOf = ({ body }: { body: { results: { id: string }[] } }) => body.results.map(({ id }) => id);

describe('the events of a client', () => {
  it('come in the order in which they were told, each once, and go on behind the last', async () => {
    const [first, second] = [await place(), await place()];
    await cancel(first);
    await publishEvents(stream);
    const begun = await follow('cursor=&limit=2');
    expect(idsOf(begun)).toEqual([`evt_${first}_1_0`, `evt_${second}_1_0`]);
    const rest = await behind(begun.body.next);
    expect(rest.body.results).toEqual([
      {
        id: `evt_${first}_2_0`,
        type: 'order.cancelled',
        time: expect.any(String),
        order: {
          id: first,
          folio: `RX-${String(first).padStart(8, '0')}`,
          order_status: 'cancelled',
          payment_status: 'unpaid',
          version: 2,
        },
        move: { status: 'order_status', from: 'approved', to: 'cancelled' },
        shipment: null,
        refunded: null,
        prescriptions: [],
        reason: null,
      },
    ]);
    const empty = await behind(rest.body.next);
    expect(empty).toMatchObject({ status: 200, body: { results: [] } });
    await cancel(second);
    await publishEvents(stream);
    expect(idsOf(await behind(empty.body.next))).toEqual([`evt_${second}_2_0`]);
  });

  it('can be followed before the first', async () => {
    const begun = await follow('cursor=');
    expect(begun).toMatchObject({ status: 200, body: { results: [] } });
    const id = await place();
    await publishEvents(stream);
    expect(idsOf(await behind(begun.body.next))).toEqual([`evt_${id}_1_0`]);
    expect(idsOf(await follow(''))).toEqual([`evt_${id}_1_0`]);
  });

  it('can be those of some types, and are asked for on the other side of the rest', async () => {
    const id = await place();
    await publishEvents(stream);
    const nothing = await follow('type=order.paid,order.cancelled');
    expect(nothing.body.results).toEqual([]);
    await cancel(id);
    await publishEvents(stream);
    expect(idsOf(await behind(nothing.body.next))).toEqual([`evt_${id}_2_0`]);
    expect(await follow('type=order.lost')).toMatchObject({ status: 400, body: { type: [expect.any(String)] } });
  });

  it('hold nothing of the patient, the operator or what they wrote', async () => {
    const id = await place();
    await operate('pipe', 'orders', 'move', String(id), '--to', 'in_process');
    await publishEvents(stream);
    const { body } = await follow('');
    expect(idsOf({ body })).toEqual([`evt_${id}_1_0`, `evt_${id}_2_0`]);
    expect(JSON.stringify(body.results)).not.toMatch(/paciente|Luz|Mora|arn:|operator|by/i);
  });

  it('are refused behind a cursor that has missed some, and begin with the oldest that is kept', async () => {
    const first = await place();
    await publishEvents(stream);
    const begun = await follow('cursor=');
    await cancel(first);
    const second = await place();
    await publishEvents(stream);
    await table().deleteAll([feedEventKey(own.id, 2)]);
    expect(await behind(begun.body.next)).toMatchObject({
      status: 400,
      body: {
        cursor: [
          'Los eventos que siguen a este cursor ya no se conservan; empiece con uno vacío y compare sus órdenes.',
        ],
      },
    });
    expect(idsOf(await follow('cursor='))).toEqual([`evt_${second}_1_0`]);
    await table().deleteAll([feedEventKey(own.id, 3)]);
    expect((await behind(begun.body.next)).status).toBe(400);
  });

  it('are of the caller whatever position a cursor says, which is no fault of the service', async () => {
    await place();
    await publishEvents(stream);
    const { client, key } = await server.addClient('Curioso');
    await server.addUser(client, 'insurance_employee', 'curiosa@example.mx');
    const other = { key, token: await server.login('curiosa@example.mx', key) };
    const { searchParams } = new URL((await follow('', other)).body.next);
    const [listName] = JSON.parse(Buffer.from(searchParams.get('cursor') ?? '', 'base64url').toString());
    const answers = await Promise.all(
      [0, 1, 0.5, 1e300, 'x', null].map((last) => {
        const cursor = Buffer.from(JSON.stringify([listName, last])).toString('base64url');
        return follow(`cursor=${cursor}`, other);
      }),
    );
    expect(answers.map(({ status, body }) => [status, body.results])).toEqual(answers.map(() => [200, []]));
  });

  it('are of the client alone, and not for patients or doctors', async () => {
    await place();
    await publishEvents(stream);
    const { client, key } = await server.addClient('Ajeno');
    await server.addUser(client, 'insurance_employee', 'ajena@example.mx');
    const begun = await follow('');
    const other = { key, token: await server.login('ajena@example.mx', key) };
    expect((await follow('', other)).body.results).toEqual([]);
    const taken = new URL(begun.body.next).searchParams.toString();
    expect(await follow(taken, other)).toMatchObject({ status: 400, body: { cursor: [expect.any(String)] } });
    for (const email of ['paciente@demo.example', 'doctora@demo.example']) {
      const refused = await follow('', { token: await server.login(email) });
      expect(refused).toMatchObject({ status: 404, body: { detail: 'No encontrado.', code: 'not_found' } });
    }
    expect((await follow('', { key: own.key })).status).toBe(401);
  });
});
