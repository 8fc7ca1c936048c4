import { beforeAll, expect, it } from 'vitest';
import { DEMO_API_KEY } from '../../../infra/local/seed.ts';
import { sendHttp } from '../../support/http/http.ts';
import { folioOf, INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';
import { useDemoTokens, useServer } from '../../support/servers/test-server.ts';

const PATIENT = 'paciente@demo.example';
const server = useServer();
const tokens = useDemoTokens(server);
/** An invoiced order with a prescription, which is paid and shipped. */
let id: number;
beforeAll(async () => {
  id = (await place({ invoicing: INVOICING })).body.id;
  await pull('approve');
  await pull('pay', { form: '04' });
  await pull('ship', { carrier: 'Correos', tracking: 'RR123456789MX' });
});

const WITH_PRESCRIPTION = {
  details: [{ product: 4, quantity: 2 }],
  prescriptions: [{ document: PDF, issue_date: '2026-01-19' }],
  comments: 'Tocar el timbre azul',
};
const place = (more: object = {}, query = '', token = tokens.employee) =>
  server.request('POST', `/api/orders/resources/${query}`, {
    token,
    body: { ...orderBody(PATIENT, WITH_PRESCRIPTION), ...more },
  });

async function pull(trigger: string, body?: object, of = id): Promise<void> {
  const headers = { 'X-API-Key': DEMO_API_KEY };
  const answer = await sendHttp(server.url, `/sandbox/orders/${of}/${trigger}`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
}

const see = (include: string, token = tokens.employee, of = id) =>
  server.request('GET', `/api/orders/${of}/${include && `?include=${include}`}`, { token });
const list = (include: string) =>
  server.asEmployee('GET', `/api/orders/?folio=${folioOf(id)}${include && `&include=${include}`}`);
const cancel = (of: number, include: string) =>
  server.asEmployee('PATCH', `/api/orders/${of}/?include=${include}`, { order_status: 'cancelled' });

it('an order and a listed one have exactly the fields of the interface without the parts, and offer no others', async () => {
  const { body } = await see('');
  const [listed] = (await list('')).body.results;
  for (const field of ['shipments', 'reviews', 'refunds', 'invoices', 'comments', 'payments', 'lines']) {
    expect(body).not.toHaveProperty(field);
    expect(listed).not.toHaveProperty(field);
  }
  expect(listed).not.toHaveProperty('folio');
  expect(Object.keys((await see('comments')).body)).toEqual([...Object.keys(body), 'comments']);
  for (const include of ['lines', 'wallet', 'shipments;reviews']) {
    expect(await see(include)).toMatchObject({ status: 400, body: { include: [expect.any(String)] } });
  }
  expect((await list('reviews')).status).toBe(400);
});

it('an order and a listed one have the parts that were asked for', async () => {
  const { body } = await see('shipments,reviews,refunds,comments');
  const shipment = { carrier: 'Correos', tracking_number: 'RR123456789MX', shipped_at: body.shipping_date };
  const tracking_url = 'https://correos.example/seguimiento?guia=RR123456789MX';
  expect(body).toMatchObject({
    shipments: [{ ...shipment, tracking_url }],
    reviews: [{ prescription: body.prescriptions[0].id, status: 'verified', reason: null }],
    refunds: [],
    comments: 'Tocar el timbre azul',
  });
  expect((await list('lines,shipments,comments')).body.results[0]).toMatchObject({
    folio: folioOf(id),
    lines: [{ product: 4, name: 'Ibuprofeno 800 mg', presentation: expect.any(String), quantity: 2 }],
    shipments: [shipment],
    comments: 'Tocar el timbre azul',
  });
});

it('an order has its tax documents, with links that download them by kind and folio', async () => {
  const { body } = await see('invoices');
  const [invoice, ...others] = body.invoices;
  expect(others).toEqual([]);
  expect(invoice).toMatchObject({ kind: 'invoice', status: 'issued', uuid: expect.stringMatching(/^[0-9A-F-]{36}$/i) });
  const xml = await fetch(invoice.xml);
  expect(await xml.text()).toContain(`<cfdi:Receptor Rfc="PALA800101AB1"`);
  expect(xml.headers.get('content-disposition')).toContain(`factura-RX-${String(invoice.folio).slice(3)}.xml`);
  expect(Buffer.from(await (await fetch(invoice.pdf)).arrayBuffer()).toString('latin1')).toMatch(/^%PDF-/);
});

it('an order is answered with its parts when it is created and cancelled, and says why a prescription was rejected', async () => {
  const created = await place({}, '?include=comments,reviews');
  const reviews = [{ status: 'waiting', reason: null, reviewed_at: null }];
  expect(created).toMatchObject({ status: 201, body: { comments: 'Tocar el timbre azul', reviews } });
  const own = created.body.id;
  await pull('reject', { reason: 'Sin firma' }, own);
  const rejected = { status: 'rejected', reason: 'Sin firma', reviewed_at: expect.any(String) };
  expect((await see('reviews', tokens.patient, own)).body.reviews).toMatchObject([rejected]);
  expect(await cancel(own, 'shipments')).toMatchObject({ status: 200, body: { shipments: [] } });
});

it('a doctor sees nothing that leads to an address or a receiver they did not send', async () => {
  const { body } = await server.request('POST', '/api/orders/resources/', {
    token: tokens.doctor,
    body: orderBody(PATIENT, { details: [{ product: 1, quantity: 1 }], shipping: undefined }),
  });
  expect(body.shipping).toBeNull();
  await pull('ship', { tracking: 'RR123456789MX' }, body.id);
  await server.asEmployee('PUT', `/api/orders/${body.id}/request-invoice/`, { invoicing: INVOICING });
  const asDoctor = await see('shipments,invoices', tokens.doctor, body.id);
  expect(asDoctor).toMatchObject({ status: 200, body: { shipments: [], invoices: [] } });
  const asEmployee = await see('shipments,invoices', tokens.employee, body.id);
  expect([asEmployee.body.shipments.length, asEmployee.body.invoices.length]).toEqual([1, 1]);
});

it('an order that is cancelled after its payment has the refund that is due', async () => {
  const order = (await place({ order: orderBody(PATIENT).order })).body;
  await pull('pay', { form: '04' }, order.id);
  const due = { amount: order.total, form: null, refunded_at: null, status: 'due' };
  expect([order.total, (await cancel(order.id, 'refunds')).body.refunds]).toEqual(['136.00', [due]]);
});
