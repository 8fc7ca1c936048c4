import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { countOrders } from '../../../shared/order/lists/counters.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

let server: TestServer;
let token: string;
beforeAll(async () => {
  // A token of this lifetime outlives an idempotency key.
  server = await openServer({ settings: { TOKEN_LIFETIME_SECONDS: '86400' } });
  token = await server.login('aseguradora@demo.example');
});
afterAll(() => server.close());
afterEach(() => setClock());

const place = (key: string | undefined, body: object, by = token) =>
  server.request('POST', '/api/orders/resources/', {
    token: by,
    body,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
const ordersCounted = () => countOrders(openTable(), { clientId: server.client.id, viewer: 'client' });

describe('an idempotency key', () => {
  it('returns the existing order for a repeated request', async () => {
    const body = orderBody('again@example.mx');
    const first = await place('0123456789', body);
    expect(first.status).toBe(201);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const before = await ordersCounted();
    const second = await place('0123456789', body);
    expect({ status: second.status, body: second.body }).toEqual({ status: 201, body: first.body });
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(await ordersCounted()).toBe(before);
  });

  it('returns the order in its current state', async () => {
    const body = orderBody('asitis@example.mx');
    const { body: order } = await place('key-as-it-is', body);
    await server.request('PATCH', `/api/orders/${order.id}/`, { token, body: { order_status: 'cancelled' } });
    expect((await place('key-as-it-is', body)).body).toMatchObject({ id: order.id, order_status: 'cancelled' });
  });

  it('compares bodies by content, not by spelling', async () => {
    const body = orderBody('spelling@example.mx');
    const first = await place('key-of-spelling', body);
    const { user, order } = body;
    const respelled = {
      unknown: 1,
      order: { ...order, coupon: undefined },
      user: { ...user, email: 'SPELLING@example.mx' },
    };
    expect((await place('key-of-spelling', respelled)).body.id).toBe(first.body.id);
  });

  it('with another body is 422, even if that body is invalid', async () => {
    await place('key-of-another', orderBody('another@example.mx'));
    for (const details of [[{ product: 1, quantity: 3 }], [{ product: 99_999, quantity: 1 }]]) {
      const { status, body } = await place('key-of-another', orderBody('another@example.mx', { details }));
      expect({ status, code: body.code }).toEqual({ status: 422, code: 'idempotency_key_reused' });
    }
  });

  it('is not used up by a refusal', async () => {
    const refused = await place('key-of-refusal', orderBody('refused@example.mx', { payment_method: 9 }));
    expect(refused.status).toBe(400);
    expect((await place('key-of-refusal', orderBody('refused@example.mx'))).status).toBe(201);
  });

  it('belongs to its user', async () => {
    const doctor = await server.login('doctora@demo.example');
    const body = orderBody('twousers@example.mx');
    const mine = await place('key-of-two-users', body);
    const theirs = await place('key-of-two-users', body, doctor);
    expect(theirs.status).toBe(201);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  it('is valid for 24 hours by the clock', async () => {
    const start = Date.parse('2026-11-23T15:00:00.000Z');
    setClock(new Date(start));
    const by = await server.login('aseguradora@demo.example');
    const first = await place('key-of-a-day', orderBody('day@example.mx'), by);
    setClock(new Date(start + 86_399_000));
    expect((await place('key-of-a-day', orderBody('day@example.mx'), by)).body.id).toBe(first.body.id);
    setClock(new Date(start + 86_400_000));
    const fresh = await server.login('aseguradora@demo.example');
    const next = await place('key-of-a-day', orderBody('day@example.mx'), fresh);
    expect(next.body).toMatchObject({ order_status: 'approved' });
    expect(next.body.id).not.toBe(first.body.id);
  });

  it.each(['x'.repeat(8), '~'.repeat(255)])('%j is accepted', async (key) => {
    expect((await place(key, orderBody('good@example.mx'))).status).toBe(201);
  });
});
