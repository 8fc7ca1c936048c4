import { beforeAll, describe, expect, it } from 'vitest';
import { createStores, DEMO_API_KEY, publishDemoCatalog, registerDemoClient } from '../../../infra/local/seed.ts';
import { payments } from '../../../shared/deps.ts';
import { type HttpAnswer, sendHttp } from '../../support/http/http.ts';
import { INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

// The demonstration server: what it is seeded with, and the triggers by which a developer moves its orders.

const PATIENT = 'paciente@demo.example';
const server = useServer();
let token: string;
beforeAll(async () => {
  token = (await server.loginDemoUsers()).employee;
});

const pull = (trigger: string, body?: object, key = DEMO_API_KEY): Promise<HttpAnswer> =>
  sendHttp(server.url, `/sandbox/${trigger}`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Accept-Language': 'en' },
    body,
  });

async function place(more: object = {}, body: object = {}): Promise<number> {
  const answer = await server.request('POST', '/api/orders/resources/', {
    token,
    body: { ...orderBody(PATIENT, { details: [{ product: 1, quantity: 1 }], ...more }), ...body },
  });
  expect(answer.status).toBe(201);
  return answer.body.id;
}
const read = async (id: number) => (await server.request('GET', `/api/orders/${id}/`, { token })).body;

const WITH_PRESCRIPTION = {
  details: [{ product: 4, quantity: 1 }],
  prescriptions: [{ document: PDF, issue_date: '2026-01-19' }],
};

describe('the seed', () => {
  it('is a client that is an insurance carrier, and its images, which a second seeding does not change', async () => {
    expect(server.client).toMatchObject({
      ...{ name: 'Farmacia Demo', origin: 'demo', paymentMethods: [1, 2, 3, 4, 5] },
      carrier: { name: 'Seguros Demo' },
    });
    const load = (key: string) =>
      fetch(new URL(`/images/${key}`, server.url), { headers: { Origin: 'http://localhost:5173' } });
    const image = await load('fdff9d103db6764c3de276113637e4af.png');
    expect([image.status, image.headers.get('content-type'), (await image.bytes()).length]).toEqual([
      200,
      'image/png',
      315,
    ]);
    expect((await load('fdff9d103db6764c3de276113637e4ae.png')).status).toBe(404);
    const keys = server.keys.list();
    await createStores('plain');
    await publishDemoCatalog();
    expect(await registerDemoClient(server.keys)).toEqual(server.client);
    expect(server.keys.list()).toEqual(keys);
  });
});

describe('a trigger of the sandbox', () => {
  it('approves, pays, ships and delivers an order', async () => {
    const id = await place(WITH_PRESCRIPTION);
    expect((await read(id)).order_status).toBe('pending_approval');
    const approved = { id, order_status: 'approved', payment_status: 'unpaid' };
    expect(await pull(`orders/${id}/approve`)).toMatchObject({ status: 200, body: approved });
    expect((await pull(`orders/${id}/pay`, { form: '03' })).body.payment_status).toBe('paid');
    const shipment = { carrier: 'Correos', tracking: 'RR123456789MX' };
    expect((await pull(`orders/${id}/ship`, shipment)).body.order_status).toBe('shipped');
    expect((await pull(`orders/${id}/deliver`)).body.order_status).toBe('delivered');
  });

  it('pays an order that is collected once nobody can pay it online any more', async () => {
    const id = await place({ payment_method: 3 });
    expect((await read(id)).payment_references).toHaveLength(1);
    expect(await pull(`orders/${id}/pay`)).toMatchObject({ status: 200, body: { payment_status: 'paid' } });
    expect((await read(id)).payment_references).toEqual([]);
    const { state } = await payments().look(`sandbox-${id}-1`, AbortSignal.timeout(5_000));
    expect(state).toEqual({ status: 'cancelled' });
  });

  it('rejects a prescription, after which the order cannot be approved', async () => {
    const id = await place(WITH_PRESCRIPTION);
    expect(await pull(`orders/${id}/reject`, { reason: 'Sin firma' })).toMatchObject({
      status: 200,
      body: { order_status: 'pending_approval' },
    });
    const refused = await pull(`orders/${id}/approve`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'move_not_allowed' } });
    expect((await read(id)).order_status).toBe('pending_approval');
  });

  it('takes the invoicing sandbox down and up again', async () => {
    expect(await pull('sat/down')).toMatchObject({ status: 200, body: { sat: 'down' } });
    const id = await place({}, { invoicing: INVOICING });
    expect((await read(id)).cfdi).toBe('');
    const asked = () =>
      server.request('PUT', `/api/orders/${id}/request-invoice/`, { token, body: { invoicing: INVOICING } });
    expect((await asked()).status).toBe(503);
    expect(await pull('sat/up')).toMatchObject({ status: 200, body: { sat: 'up' } });
    expect(await asked()).toMatchObject({ status: 200, body: { cfdi: expect.stringMatching(/^\w{10,}/) } });
  });

  it('needs the key of the client of the order, which a page of another site cannot send', async () => {
    const id = await place();
    const { key } = await server.addClient('Otra');
    expect(await pull(`orders/${id}/pay`, {}, key)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await pull(`orders/${id}/pay`, {}, 'no-such-key')).toMatchObject({ status: 403 });
    const bare = await sendHttp(server.url, `/sandbox/orders/${id}/pay`, { method: 'POST' });
    expect(bare).toMatchObject({ status: 403, body: { code: 'client_unknown' } });
    expect((await read(id)).payment_status).toBe('unpaid');
  });

  it.each(['orders/1/destroy', 'orders/x/pay', 'orders/999999/pay', 'sat/sideways'])(
    'does not exist as %s',
    async (trigger) => {
      expect((await pull(trigger)).status).toBe(404);
    },
  );

  it('names a field that it does not take', async () => {
    const id = await place();
    expect(await pull(`orders/${id}/pay`, { form: 'cash' })).toMatchObject({
      status: 400,
      body: { form: [expect.any(String)] },
    });
  });
});
