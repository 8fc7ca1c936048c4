import { beforeAll, describe, expect, it, vi } from 'vitest';
import { toOrderItem } from '../../../shared/order/order-item.ts';
import { getOrderOfAnyClient } from '../../../shared/order/orders.ts';
import { openTable } from '../../../shared/store/table.ts';
import { captureOutput } from '../../support/operators/output.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const server = useServer({ settings: { POWERTOOLS_LOG_LEVEL: 'ERROR' } });
let tokens: Record<'patient' | 'otherPatient' | 'doctor' | 'otherDoctor' | 'employee', string>;
let ofPatient: number;
let ofDoctor: number;

beforeAll(async () => {
  await server.addUser(server.client, 'patient', 'otra@example.mx');
  await server.addUser(server.client, 'doctor', 'otro@example.mx');
  tokens = {
    ...(await server.loginDemoUsers()),
    otherPatient: await server.login('otra@example.mx'),
    otherDoctor: await server.login('otro@example.mx'),
  };
  const place = async (email: string, token: string) => {
    const answer = await server.request('POST', '/api/orders/resources/', { token, body: orderBody(email) });
    return answer.body.id as number;
  };
  ofPatient = await place('paciente@demo.example', tokens.patient);
  ofDoctor = await place('paciente@demo.example', tokens.doctor);
});

const see = (id: number | string, token: string) => server.request('GET', `/api/orders/${id}/`, { token });
const NOT_FOUND = { detail: 'No encontrado.', code: 'not_found' };

describe('an order is seen', () => {
  it('by its patient, even when another user placed it', async () => {
    for (const id of [ofPatient, ofDoctor]) expect((await see(id, tokens.patient)).status).toBe(200);
  });

  it('by the doctor who placed it, and by no other', async () => {
    expect((await see(ofDoctor, tokens.doctor)).status).toBe(200);
    expect((await see(ofPatient, tokens.doctor)).body).toEqual(NOT_FOUND);
    expect((await see(ofDoctor, tokens.otherDoctor)).body).toEqual(NOT_FOUND);
  });

  it('by every insurance employee of the client', async () => {
    for (const id of [ofPatient, ofDoctor]) expect((await see(id, tokens.employee)).status).toBe(200);
  });

  it('by no other patient and no user of another client, who get a 404', async () => {
    const other = await server.addClient('Ajena');
    await server.addUser(other.client, 'insurance_employee', 'ajena@example.mx');
    const token = await server.login('ajena@example.mx', other.key);
    const foreign = await server.request('GET', `/api/orders/${ofPatient}/`, { token, key: other.key });
    const missing = await server.request('GET', '/api/orders/99999999/', { token, key: other.key });
    expect({ status: foreign.status, body: foreign.body }).toEqual({ status: 404, body: NOT_FOUND });
    expect(missing.body).toEqual(foreign.body);
    expect((await see(ofPatient, tokens.otherPatient)).body).toEqual(NOT_FOUND);
  });

  it('with the cookie as with the header', async () => {
    const headers = { Cookie: `__Host-access=${tokens.patient}` };
    expect((await server.request('GET', `/api/orders/${ofPatient}/`, { headers })).status).toBe(200);
  });

  it('and is never cached', async () => {
    expect((await see(ofPatient, tokens.patient)).headers['cache-control']).toBe('no-store');
  });
});

describe('a stored order that does not parse', () => {
  it('is an internal error, logged once with its bad fields and without their values', async () => {
    const id = (
      await server.request('POST', '/api/orders/resources/', {
        token: tokens.patient,
        body: orderBody('paciente@demo.example'),
      })
    ).body.id as number;
    const table = openTable();
    const order = await getOrderOfAnyClient(table, id);
    if (!order) throw new Error('no order');
    const item = { ...toOrderItem(order), comments: 7, patient: { ...order.patient, lastName: ['Plantado'] } };
    await table.transact([{ Put: { Item: item } }]);
    const logged = captureOutput();
    const { status, body } = await see(id, tokens.patient);
    vi.restoreAllMocks();
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal_error' });
    const lines = logged.filter((line) => line.includes('InvalidItem'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"code":"order: patient.lastName, comments"');
    expect(logged.join('')).not.toContain('Plantado');
  });
});
