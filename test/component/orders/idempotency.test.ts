import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const server = useServer();
let token: string;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
});
afterEach(() => setClock());

const place = (key: string, body: object, by = token) =>
  server.request('POST', '/api/orders/resources/', { token: by, body, headers: { 'idempotency-key': key } });

// Concurrent requests with one key are in `proofs/races`.
describe('an idempotency key', () => {
  it('returns the existing order for a repeated request, as it is now, however its body is spelled', async () => {
    const body = orderBody('again@example.mx');
    const first = await place('0123456789', body);
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
    const second = await place('0123456789', body);
    expect([second.status, second.headers['idempotent-replayed'], second.body]).toEqual([201, 'true', first.body]);
    await server.request('PATCH', `/api/orders/${first.body.id}/`, { token, body: { order_status: 'cancelled' } });
    const { user, order } = body;
    const respelled = {
      unknown: 1,
      order: { ...order, coupon: undefined },
      user: { ...user, email: 'AGAIN@example.mx' },
    };
    const third = await place('0123456789', respelled);
    expect(third.body).toMatchObject({ id: first.body.id, order_status: 'cancelled' });
  });

  it('with another body is 422, even if that body is invalid', async () => {
    await place('key-of-another', orderBody('another@example.mx'));
    for (const details of [[{ product: 1, quantity: 3 }], [{ product: 99_999, quantity: 1 }]]) {
      const { status, body } = await place('key-of-another', orderBody('another@example.mx', { details }));
      expect({ status, code: body.code }).toEqual({ status: 422, code: 'idempotency_key_reused' });
    }
  });

  it('is not used up by a refusal, and belongs to its user', async () => {
    const key = '~'.repeat(255);
    const body = orderBody('twousers@example.mx');
    expect((await place(key, orderBody('twousers@example.mx', { payment_method: 9 }))).status).toBe(400);
    const mine = await place(key, body);
    const theirs = await place(key, body, await server.login('doctora@demo.example'));
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  it('is valid for 24 hours by the clock', async () => {
    const start = Date.parse('2026-11-23T15:00:00.000Z');
    setClock(new Date(start));
    const send = async () =>
      place('x'.repeat(8), orderBody('day@example.mx'), await server.login('aseguradora@demo.example'));
    const { id } = (await send()).body;
    setClock(new Date(start + 86_399_000));
    expect((await send()).body.id).toBe(id);
    setClock(new Date(start + 86_400_000));
    const next = await send();
    expect([next.status, next.body.id > id]).toEqual([201, true]);
  });
});
