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
      'orders-show',
      { id: 99 },
      404,
      { code: 'not_found', es: 'No hay ninguna orden 99.', en: 'There is no order 99.' },
    ],
    [
      'orders-list',
      { client: 99 },
      404,
      { code: 'not_found', es: 'No hay ningún cliente 99.', en: 'There is no client 99.' },
    ],
    [
      'orders-move',
      { id: 1, to: 'approved' },
      409,
      {
        code: 'move_not_allowed',
        es: 'La orden 1 no tiene una receta verificada y vigente para: 1 × producto 4.',
        en: 'Order 1 has no verified prescription that is still valid for: 1 × product 4.',
      },
    ],
    [
      'orders-move',
      { id: 1, to: 'shipped' },
      409,
      {
        code: 'move_not_allowed',
        es: 'La orden 1 no puede pasar de «Por aprobar» a «Enviada»; puede pasar a: «Cotizada», «Aprobada», «Cancelada».',
        en: 'Order 1 cannot go from pending_approval to shipped; allowed: quoted, approved, cancelled.',
      },
    ],
    [
      'orders-verify-prescription',
      { id: 2 },
      404,
      {
        code: 'not_found',
        es: 'La orden 2 no tiene esa receta.',
        en: 'Order 2 has no such prescription.',
      },
    ],
    [
      'orders-pay',
      { id: 2, status: 'unpaid' },
      409,
      {
        code: 'move_not_allowed',
        es: 'El pago de la orden 2 no puede pasar de «Sin pagar» a «Sin pagar»; puede pasar a: «A crédito», «Pagada», «Pago en curso», «Pago por confirmar».',
        en: 'The payment of order 2 cannot go from unpaid to unpaid; allowed: credit, paid, in_process, processing.',
      },
    ],
    [
      'orders-refund',
      { id: 2, amount: '5.00', form: '03' },
      409,
      {
        code: 'move_not_allowed',
        es: 'El pago de la orden 2 está en «Sin pagar»: solo se devuelve lo que se pagó.',
        en: 'Order 2 is unpaid: only what was paid is refunded.',
      },
    ],
    [
      'invoices-credit',
      { orderId: 2, amount: '5.00' },
      409,
      {
        code: 'move_not_allowed',
        es: 'La orden 2 no tiene ninguna factura vigente.',
        en: 'Order 2 has no valid invoice.',
      },
    ],
    [
      'invoices-replace',
      { orderId: 2 },
      409,
      {
        code: 'move_not_allowed',
        es: 'La orden 2 no tiene ninguna factura vigente.',
        en: 'Order 2 has no valid invoice.',
      },
    ],
    [
      'invoices-issue',
      { orderId: 2 },
      409,
      {
        code: 'move_not_allowed',
        es: 'No hay nada que emitir de la orden 2: nadie pidió su factura, así que no tiene receptor.',
        en: 'Order 2 has nothing to be issued: nobody has asked for its invoice, so that it has no receiver.',
      },
    ],
    [
      'catalog-search',
      { text: 'zinc', version: '0123456789abcdef' },
      404,
      {
        code: 'not_found',
        es: 'No hay ninguna versión 0123456789abcdef: `catalog versions` las lista.',
        en: 'There is no version 0123456789abcdef: `catalog versions` lists them.',
      },
    ],
  ])('%s %o tells the reason in both languages', async (name, input, status, reason) => {
    expect(await run(name, input)).toMatchObject({ status, body: reason });
  });

  it('says in both languages that the document of a prescription is gone', async () => {
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
        es: 'El documento ya no está en el almacén: pida otra copia, o que se restaure su versión anterior en S3.',
        en: 'The document is no longer in the store: ask for another copy, or have its former version restored in S3.',
      },
    });
    expect((await ask(orders.waiting)).status).toBe(200);
  });

  it('changes nothing, and one that is allowed does', async () => {
    const { status, body } = await run('orders-move', { id: orders.approved, to: 'in_process', version: 1 });
    expect([status, body.document.order_status]).toEqual([200, 'in_process']);
    expect((await run('orders-verify-prescription', { id: orders.waiting, version: 1 })).status).toBe(200);
  });

  it('tells how much of an order was paid and is left to go back', async () => {
    await forceOrder(orders.approved, {
      paymentStatus: 'paid',
      refunds: [{ cents: 2_000, form: '03', at: '2026-11-20T18:00:00.000Z' }],
    });
    const { body } = await run('orders-refund', { id: orders.approved, amount: '500.00', form: '03' });
    expect([body.es, body.en]).toEqual([
      'De la orden 2 quedan 87.50 pesos por devolver.',
      'Order 2 has 87.50 left to refund.',
    ]);
    expect(body.errors).toEqual([
      {
        path: ['amount'],
        code: 'move_not_allowed',
        es: 'De la orden 2 quedan 87.50 pesos por devolver.',
        en: 'Order 2 has 87.50 left to refund.',
      },
    ]);
  });
});
