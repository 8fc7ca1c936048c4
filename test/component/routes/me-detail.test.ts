import { beforeAll, describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/api/orders/orders.ts';
import { ADDRESS, INVOICING, orderBody } from '../../support/orders/samples.ts';
import { type DemoTokens, useServer } from '../../support/servers/test-server.ts';

const PATH = '/api/me/';
const PATIENT = 'paciente@demo.example';
const server = useServer();
let tokens: DemoTokens;
beforeAll(async () => {
  tokens = await server.loginDemoUsers();
});

const see = (token: string) => server.request('GET', PATH, { token });

async function place(token: string, more: object, order: Record<string, unknown> = {}): Promise<Order> {
  const body = { ...orderBody(PATIENT, order), ...more };
  const answer = await server.request('POST', '/api/orders/resources/', { token, body });
  expect(answer.status).toBe(201);
  return answer.body;
}

describe('a profile', () => {
  it('has everything of an employee, who has no records', async () => {
    const { status, headers, body } = await see(tokens.employee);
    expect([status, headers['cache-control'], headers.etag]).toEqual([200, 'no-store', undefined]);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body).toEqual({
      id: body.id,
      email: 'aseguradora@demo.example',
      first_name: 'Tomás',
      last_name: 'Vega',
      second_last_name: 'Luna',
      phone: '+525555010003',
      country_code: '52',
      national_number: '5555010003',
      sex: null,
      birthdate: null,
      medical_condition: '',
      date_joined: time,
      created_at: time,
      updated_at: time,
      deleted_at: null,
      patient: null,
      doctor: null,
      insurance_employee: String(body.id),
      created_by: null,
      groups: [],
      default_shipping: null,
      default_invoicing: null,
      shipping_records: [],
      invoicing_records: [],
    });
  });

  it('has the address and the tax data that are kept of a patient, the default one and then the latest first', async () => {
    const empty = (await see(tokens.patient)).body;
    expect(empty).toMatchObject({ default_shipping: null, default_invoicing: null });
    expect([empty.shipping_records, empty.invoicing_records]).toEqual([[], []]);
    const user = { email: PATIENT, first_name: 'Lucía', last_name: 'Ramírez', medical_condition: 'Asma', sex: 'F' };
    const first = await place(tokens.patient, { user, invoicing: INVOICING });
    const second = await place(tokens.employee, { invoicing: { ...INVOICING, cfdi_use: 'S01' } });
    const third = await place(
      tokens.patient,
      { invoicing: { ...INVOICING, email: 'otra@demo.example' } },
      { shipping: { ...ADDRESS, street: 'Otra' } },
    );

    const { body } = await see(tokens.patient);
    expect(body).toMatchObject({ patient: String(body.id), medical_condition: 'Asma', sex: 'F' });
    expect(body).toMatchObject(third.patient.user);
    expect([body.default_shipping, body.default_invoicing]).toEqual([first.shipping?.id, first.invoicing?.id]);
    expect(body.shipping_records).toEqual([first.shipping]);
    expect(body.invoicing_records).toEqual([first.invoicing, third.invoicing, second.invoicing]);
  });

  it('has record ids by which an invoice is requested', async () => {
    const order = await place(tokens.patient, {});
    const { body } = await see(tokens.patient);
    const request = { token: tokens.patient, body: { invoicing: body.default_invoicing } };
    const answer = await server.request('PUT', `/api/orders/${order.id}/request-invoice/`, request);
    expect([answer.status, answer.body.invoicing]).toEqual([200, body.invoicing_records[0]]);
  });

  it('has nothing of the patients of a doctor', async () => {
    await place(tokens.doctor, {});
    const { status, body } = await see(tokens.doctor);
    expect(status).toBe(200);
    expect(body).toMatchObject({ email: 'doctora@demo.example', doctor: String(body.id), patient: null });
    expect([body.default_shipping, body.shipping_records, body.invoicing_records]).toEqual([null, [], []]);
  });
});
