import { beforeAll, describe, expect, it } from 'vitest';
import { operate } from '../../support/operators/operator.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const server = useServer();
let tokens: Record<'patient' | 'otherPatient' | 'employee', string>;
let id: number;

beforeAll(async () => {
  await server.addUser(server.client, 'patient', 'otra@example.mx');
  tokens = {
    patient: await server.login('paciente@demo.example'),
    otherPatient: await server.login('otra@example.mx'),
    employee: await server.login('aseguradora@demo.example'),
  };
  const body = orderBody('paciente@demo.example');
  id = (await server.request('POST', '/api/orders/resources/', { token: tokens.patient, body })).body.id;
  await operate('pipe', 'orders', 'move', String(id), '--to', 'in_process');
  await operate('pipe', 'orders', 'move', String(id), '--to', 'ready');
});

const see = (query: string, token = tokens.patient) =>
  server.request('GET', `/api/orders/${id}/events/?${query}`, { token });

describe('the events of an order', () => {
  it('are its history, the oldest first, with the statuses right after each', async () => {
    const { status, body } = await see('');
    expect({ status, ...body }).toMatchObject({ status: 200, count: 3, next: null, previous: null });
    const told = body.results.map((event: { id: string; type: string; order: { order_status: string } }) => {
      return [event.id, event.type, event.order.order_status];
    });
    expect(told).toEqual([
      [`evt_${id}_1_0`, 'order.created', 'approved'],
      [`evt_${id}_2_0`, 'order.moved', 'in_process'],
      [`evt_${id}_3_0`, 'order.moved', 'ready'],
    ]);
  });

  it('come in pages, and by cursor', async () => {
    const second = await see('limit=2&page=2');
    expect(second.body).toMatchObject({ count: 3, next: null, results: [{ id: `evt_${id}_3_0` }] });
    expect((await see('limit=2&page=3')).status).toBe(404);
    const begun = await see('cursor=&limit=1');
    expect(begun.body.results).toMatchObject([{ id: `evt_${id}_1_0` }]);
    const { body } = await see(`limit=2&cursor=${new URL(begun.body.next).searchParams.get('cursor')}`);
    expect(body).toMatchObject({ next: null, results: [{ id: `evt_${id}_2_0` }, { id: `evt_${id}_3_0` }] });
    expect((await see('cursor=none')).status).toBe(400);
  });

  it('can be those of some types', async () => {
    expect((await see('type=order.moved')).body).toMatchObject({ count: 2 });
    expect((await see('type=moved')).body).toEqual({ type: [expect.any(String)] });
  });

  it('keep the tracking number from a doctor who did not send the address', async () => {
    const doctor = await server.login('doctora@demo.example');
    const { order, ...rest } = orderBody('paciente@demo.example');
    const { shipping: _, ...addressless } = order;
    const placed = await server.request('POST', '/api/orders/resources/', {
      token: doctor,
      body: { ...rest, order: addressless },
    });
    expect(placed.status).toBe(201);
    const order_id = String(placed.body.id);
    for (const to of ['in_process', 'ready']) await operate('pipe', 'orders', 'move', order_id, '--to', to);
    await operate('pipe', 'orders', 'move', order_id, '--to', 'shipped', '--carrier', 'Correos', '--tracking', 'RR1');
    const shipments = async (token: string) => {
      const { body } = await server.request('GET', `/api/orders/${order_id}/events/`, { token });
      return body.results.map(({ shipment }: { shipment: unknown }) => shipment);
    };
    expect(await shipments(tokens.employee)).toEqual([
      null,
      null,
      null,
      { carrier: 'Correos', tracking_number: 'RR1' },
    ]);
    expect(await shipments(doctor)).toEqual([null, null, null, null]);
  });

  it('are for those who see the order', async () => {
    expect((await see('', tokens.employee)).body.count).toBe(3);
    expect(await see('', tokens.otherPatient)).toMatchObject({
      status: 404,
      body: { detail: 'No encontrado.', code: 'not_found' },
    });
    expect((await server.request('GET', `/api/orders/${id}/events/`, {})).status).toBe(401);
  });
});
