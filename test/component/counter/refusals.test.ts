import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDocuments } from '../../../infra/ops/context.ts';
import type { Counter } from '../../../infra/ops/counter/server/server.ts';
import { openTestCounter } from '../../support/counter/counter-world.ts';
import { forceOrder, placeOrder, storedOrder } from '../../support/counter/placed-orders.ts';
import { drawnPdf } from '../../support/counter/prescription-files.ts';
import { sendHttp } from '../../support/http/http.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

let server: TestServer;
let counter: Counter;
/** One that waits for the verification of its prescription 1, one that is approved and needs none, and one without its document. */
const orders = { waiting: 1, approved: 2, gone: 3 };
beforeAll(async () => {
  server = await openTestServer();
  counter = await openTestCounter();
  orders.waiting = await placeOrder(server, [drawnPdf()]);
  orders.approved = await placeOrder(server);
  orders.gone = await placeOrder(server, [drawnPdf()]);
});
afterAll(async () => {
  await counter.close();
  await server.close();
});

const run = (name: string, body: object) =>
  sendHttp(new URL(counter.address).origin, `/commands/${name}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${counter.token}` },
    body,
  });

describe('a command that is refused', () => {
  it.each([
    [
      'orders-move',
      { id: 1, to: 'approved' },
      409,
      {
        code: 'move_not_allowed',
        text: 'La orden 1 no tiene una receta verificada y vigente para: 1 × producto 4.',
      },
    ],
    [
      'orders-move',
      { id: 1, to: 'shipped' },
      409,
      {
        code: 'move_not_allowed',
        text: 'La orden 1 no puede pasar de «Por aprobar» a «Enviada»; puede pasar a: «Cotizada», «Aprobada», «Cancelada».',
      },
    ],
    [
      'orders-refund',
      { id: 2, amount: '5.00', form: '03' },
      409,
      {
        code: 'move_not_allowed',
        text: 'El pago de la orden 2 está en «Sin pagar»: solo se devuelve lo que se pagó.',
      },
    ],
    [
      'invoices-issue',
      { orderId: 2 },
      409,
      {
        code: 'move_not_allowed',
        text: 'No hay nada que emitir de la orden 2: nadie pidió su factura, así que no tiene receptor.',
      },
    ],
  ])('%s %o tells the reason', async (name, input, status, reason) => {
    expect(await run(name, input)).toMatchObject({ status, body: reason });
  });

  it('says that the document of a prescription is gone', async () => {
    const { prescriptions } = await storedOrder(orders.gone);
    await openDocuments().remove(prescriptions.map(({ documentKey }) => documentKey));
    const headers = { Authorization: `Bearer ${counter.token}` };
    const ask = async (order: number) => {
      const [prescription] = (await storedOrder(order)).prescriptions;
      const path = `/documents/${order}/${prescription?.id}`;
      return sendHttp(new URL(counter.address).origin, path, { method: 'GET', headers });
    };
    expect(await ask(orders.gone)).toMatchObject({
      status: 404,
      body: {
        code: 'document_missing',
        text: 'El documento ya no está en el almacén: pida otra copia, o que se restaure su versión anterior en S3.',
      },
    });
    expect((await ask(orders.waiting)).status).toBe(200);
  });

  it('tells how much of an order was paid and is left to go back', async () => {
    await forceOrder(orders.approved, {
      paymentStatus: 'paid',
      refunds: [{ cents: 2_000, form: '03', at: '2026-11-20T18:00:00.000Z' }],
    });
    const { body } = await run('orders-refund', { id: orders.approved, amount: '500.00', form: '03' });
    expect(body.text).toBe('De la orden 2 quedan 87.50 pesos por devolver.');
    expect(body.errors).toEqual([
      {
        path: ['amount'],
        code: 'move_not_allowed',
        text: 'De la orden 2 quedan 87.50 pesos por devolver.',
      },
    ]);
  });
});
