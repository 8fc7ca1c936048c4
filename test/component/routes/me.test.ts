import { describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/api/orders/orders.ts';
import { listErrorPaths, sendHttp } from '../../support/http/http.ts';
import { ADDRESS, INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';
import { useDemoTokens, useServer } from '../../support/servers/test-server.ts';

// A user about themselves: the profile with its records, its changes, and the export of all that is stored.

const PATIENT = 'paciente@demo.example';
const server = useServer();
const tokens = useDemoTokens(server);
/** The orders of the patient, the latest first. */
const orders: Order[] = [];
const see = async (token: string) => (await server.request('GET', '/api/me/', { token })).body;
const change = (token: string, body: object) => server.request('PATCH', '/api/me/', { token, body });
const exported = (token: string, path = '/api/me/export/') => server.request('GET', path, { token });

async function place(
  token: string,
  more: object,
  order: Record<string, unknown> = {},
  email = PATIENT,
): Promise<Order> {
  const body = { ...orderBody(email, order), ...more };
  const answer = await server.request('POST', '/api/orders/resources/', { token, body });
  expect(answer.status).toBe(201);
  if (email === PATIENT) orders.unshift(answer.body);
  return answer.body;
}

describe('a profile', () => {
  it('has the addresses and tax data that are kept of a patient, the default first and then the latest', async () => {
    const empty = await see(tokens.patient);
    expect(empty).toMatchObject({ default_shipping: null, shipping_records: [], invoicing_records: [] });
    const user = { email: PATIENT, first_name: 'Lucía', last_name: 'Ramírez', medical_condition: 'Asma', sex: 'F' };
    const first = await place(tokens.patient, { user, invoicing: INVOICING });
    const second = await place(tokens.employee, { invoicing: { ...INVOICING, cfdi_use: 'S01' } });
    const other = { shipping: { ...ADDRESS, street: 'Otra' } };
    const third = await place(tokens.patient, { invoicing: { ...INVOICING, email: 'otra@demo.example' } }, other);

    const body = await see(tokens.patient);
    expect(body).toMatchObject({
      ...third.patient.user,
      patient: String(body.id),
      medical_condition: 'Asma',
      sex: 'F',
    });
    expect([body.default_shipping, body.default_invoicing]).toEqual([first.shipping?.id, first.invoicing?.id]);
    expect(body.shipping_records).toEqual([first.shipping]);
    expect(body.invoicing_records).toEqual([first.invoicing, third.invoicing, second.invoicing]);
  });

  it('has nothing of the patients of a doctor', async () => {
    await place(tokens.doctor, {}, {}, 'de.doctora@example.mx');
    const body = await see(tokens.doctor);
    expect(body).toMatchObject({ email: 'doctora@demo.example', doctor: String(body.id), patient: null });
    expect([body.default_shipping, body.shipping_records, body.invoicing_records]).toEqual([null, [], []]);
    expect((await exported(tokens.doctor)).body).toMatchObject({ addresses: [], orders: [], next: null });
  });
});

describe('a change of a profile', () => {
  it('is of the fields that are sent, and of no order; empty texts remove, and nulls leave', async () => {
    const before = await see(tokens.patient);
    const changes = { last_name: 'Zepeda', birthdate: '1990-02-03', medical_condition: '', phone: '', sex: null };
    const { status, body } = await change(tokens.patient, { ...changes, email: 'otra@demo.example', role: 'doctor' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...changes, sex: before.sex, first_name: before.first_name, email: PATIENT });
    expect([body.country_code, body.national_number]).toEqual([null, null]);
    expect(await see(tokens.patient)).toEqual(body);
    const count = async (search: string) =>
      (await server.request('GET', `/api/orders/?search=${search}`, { token: tokens.employee })).body.count;
    expect([await count('zepeda'), await count('paz')]).toEqual([0, 3]);
    // The phone that was given up is free, and spelled alike.
    expect((await change(tokens.doctor, { phone: '+52 1 55 5501 0001' })).body.phone).toBe('+525555010001');
  });

  it.each([
    [{ first_name: '' }, ['first_name']],
    [{ birthdate: '2999-01-01', phone: 'x' }, ['phone', 'birthdate']],
    // The doctor's.
    [{ phone: '+525555010001' }, ['phone']],
  ])('is refused as %j', async (body, paths) => {
    const answer = await change(tokens.employee, body);
    expect([answer.status, listErrorPaths(answer.body)]).toEqual([400, paths]);
  });
});

it('the export has the profile, records and orders of a patient, 50 at a time, with their parts and files', async () => {
  for (let count = orders.length + 1; count <= 50; count++)
    await place(tokens.employee, {}, { store: 1, shipping: undefined });
  const prescriptions = [{ document: PDF, issue_date: '2020-02-29' }];
  await place(tokens.patient, { invoicing: INVOICING }, { prescriptions, comments: 'Sin prisa' });

  const { status, headers, body } = await exported(tokens.patient);
  expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  expect(Object.keys(body).sort()).toEqual(['addresses', 'invoicing', 'next', 'orders', 'profile']);
  expect(body.profile).toMatchObject({ email: PATIENT, patient: String(body.profile.id) });
  expect([body.addresses.length, body.invoicing.length]).toEqual([1, 4]);
  const [last] = body.orders;
  expect(last).toMatchObject({ comments: 'Sin prisa', payments: [], refunds: [], shipments: [], invoices: [{}] });
  const { origin, pathname, search } = new URL(last.prescriptions[0].document);
  expect((await sendHttp(origin, pathname + search, { method: 'GET' })).status).toBe(200);

  const rest = await exported(tokens.patient, body.next.slice(server.url.length));
  const ids = [...body.orders, ...rest.body.orders].map(({ id }: Order) => id);
  expect([ids, body.orders.length, rest.body.next]).toEqual([orders.map(({ id }) => id), 50, null]);
  // A cursor is of its user.
  expect((await exported(tokens.doctor, body.next.slice(server.url.length))).status).toBe(400);
});
