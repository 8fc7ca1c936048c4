import { beforeAll, expect, it } from 'vitest';
import { sendHttp } from '../../support/http/http.ts';
import { INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';
import { type DemoTokens, useServer } from '../../support/servers/test-server.ts';

const PATIENT = 'paciente@demo.example';
const server = useServer();
let tokens: DemoTokens;
const ids: number[] = [];

const place = async (token: string, body: object) => {
  const { body: order } = await server.request('POST', '/api/orders/resources/', { token, body });
  ids.unshift(order.id);
};
beforeAll(async () => {
  tokens = await server.loginDemoUsers();
  for (let count = 1; count <= 50; count++)
    await place(tokens.employee, orderBody(PATIENT, { store: 1, shipping: null }));
  const prescription = { document: PDF, issue_date: '2020-02-29' };
  await place(
    tokens.patient,
    orderBody(PATIENT, { prescriptions: [prescription], comments: 'Sin prisa' }, { invoicing: INVOICING }),
  );
});

const read = (token: string, path = '/api/me/export/') => server.request('GET', path, { token });

it('has the profile, records and orders of a patient, 50 at a time, with their parts and files', async () => {
  const { status, headers, body } = await read(tokens.patient);
  expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  expect(Object.keys(body).sort()).toEqual(['addresses', 'invoicing', 'next', 'orders', 'profile']);
  expect(body.profile).toMatchObject({ email: PATIENT, patient: String(body.profile.id) });
  expect([body.addresses.length, body.invoicing.length]).toEqual([1, 1]);
  const [last] = body.orders;
  expect(last).toMatchObject({ comments: 'Sin prisa', payments: [], refunds: [], shipments: [], invoices: [{}] });
  const { origin, pathname, search } = new URL(last.prescriptions[0].document);
  expect((await sendHttp(origin, pathname + search, { method: 'GET' })).status).toBe(200);

  const rest = await read(tokens.patient, body.next.slice(server.url.length));
  expect([...body.orders, ...rest.body.orders].map(({ id }: { id: number }) => id)).toEqual(ids);
  expect([body.orders.length, rest.body.next]).toEqual([50, null]);
  // A cursor is of its user.
  expect((await read(tokens.doctor, body.next.slice(server.url.length))).status).toBe(400);
});

it('has no orders of somebody who is no patient', async () => {
  await place(tokens.doctor, orderBody('de.doctora@example.mx'));
  expect((await read(tokens.doctor)).body).toMatchObject({ addresses: [], invoicing: [], orders: [], next: null });
});
