import { beforeAll, expect, it } from 'vitest';
import { orderBody } from '../../support/orders/samples.ts';
import { type DemoTokens, useServer } from '../../support/servers/test-server.ts';

const server = useServer();
let tokens: DemoTokens;
beforeAll(async () => {
  tokens = await server.loginDemoUsers();
});

const change = (token: string, body: object) => server.request('PATCH', '/api/me/', { token, body });
const list = (search: string) =>
  server.request('GET', `/api/orders/?search=${search}`, { token: tokens.employee }).then(({ body }) => body.count);

it('changes the fields that are sent, and no order; empty texts remove', async () => {
  const order = { token: tokens.patient, body: orderBody('paciente@demo.example') };
  const placed = (await server.request('POST', '/api/orders/resources/', order)).body;
  const changes = { last_name: 'Zepeda', sex: 'F', birthdate: '1990-02-03', medical_condition: 'Asma', phone: '' };
  const { status, body } = await change(tokens.patient, { ...changes, email: 'otra@demo.example', role: 'doctor' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ ...changes, first_name: 'Ana', email: 'paciente@demo.example', country_code: null });
  expect(await server.request('GET', '/api/me/', { token: tokens.patient })).toMatchObject({ body });
  expect([await list('zepeda'), await list('paz')]).toEqual([0, 1]);
  const { patient } = (await server.request('GET', `/api/orders/${placed.id}/`, { token: tokens.patient })).body;
  expect(patient.user).toMatchObject({ last_name: 'Paz', sex: null });
  // The phone that was given up is free, and spelled alike.
  expect((await change(tokens.doctor, { phone: '+52 1 55 5501 0001' })).body.phone).toBe('+525555010001');
});

it('leaves out what is null or not sent', async () => {
  const before = (await server.request('GET', '/api/me/', { token: tokens.employee })).body;
  expect((await change(tokens.employee, { first_name: null })).body).toEqual(before);
});

it.each([
  [{ first_name: '' }, ['first_name']],
  [{ phone: '5555010009' }, ['phone']],
  [{ birthdate: '2999-01-01', phone: 'x' }, ['birthdate', 'phone']],
  [{ sex: 'X' }, ['sex']],
  // The doctor's.
  [{ phone: '+525555010001' }, ['phone']],
])('refuses %j', async (body, fields) => {
  const answer = await change(tokens.employee, body);
  expect([answer.status, Object.keys(answer.body).sort()]).toEqual([400, fields]);
});

it('needs a token', async () => {
  const { status, body } = await server.request('PATCH', '/api/me/', { body: {} });
  expect([status, body.code]).toEqual([401, 'not_authenticated']);
});
