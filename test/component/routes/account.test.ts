import { afterEach, describe, expect, it } from 'vitest';
import { mailPasswords } from '../../../shared/access/mail-passwords.ts';
import { createPasswordLink } from '../../../shared/access/new-password.ts';
import type { Order } from '../../../shared/api/orders/orders.ts';
import { mail, table } from '../../../shared/deps.ts';
import { removePerson } from '../../../shared/erasure/erase-patient.ts';
import { setUserState, type UserRecord } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { listErrorPaths, sendHttp } from '../../support/http/http.ts';
import { ADDRESS, INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';
import { useDemoTokens, useServer } from '../../support/servers/test-server.ts';

// Users' own accounts: a mailed link sets a forgotten password once, a profile is shown and changed, and all that is stored of a
// user can be exported.

const PASSWORD = 'otra-farmacia-2026';
const at = (time: string) => new Date(`2026-11-21T${time}Z`);
const NOON = at('18:00:00.000');

const server = useServer({ invoices: true });
const tokens = useDemoTokens(server);
afterEach(() => setClock());

const request = (email: string, call: object = {}) =>
  server.request('POST', '/api/password/', { body: { email }, ...call });
const sendMails = (now = NOON) => mailPasswords({ table: table(), mail, now });
const queued = () => table().all({ pk: 'PASSWORDS#REQUESTED' });

/** Returns the texts of the mails that SES got for an address. */
const mailsTo = (address: string): string[] =>
  server.ses.sent
    .filter((form) => form.get('Destinations.member.1') === address)
    .map((form) => Buffer.from(form.get('RawMessage.Data') ?? '', 'base64').toString());

describe('a link for a new password', () => {
  it('is mailed to a known address, which the answer does not tell', async () => {
    setClock(NOON);
    for (const email of [' PACIENTE@demo.example ', 'nadie@demo.example'])
      expect(await request(email)).toMatchObject({ status: 202, body: {} });
    expect(JSON.stringify(await queued())).not.toContain('demo.example');
    expect(server.ses.sent).toHaveLength(0);

    expect(await sendMails()).toBe(1);
    const [mailed = '', ...others] = mailsTo('paciente@demo.example');
    expect(others).toEqual([]);
    const parts = mailed.match(/^Content-Type: text\/(plain|html)/gm);
    expect(parts).toEqual(['Content-Type: text/plain', 'Content-Type: text/html']);
    const text = mailed.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    expect(text).toMatch(/^http:\/\/localhost:4000\/password\?token=\d+\.[\w-]{43}\r$/m);
    expect([await queued(), await sendMails()]).toEqual([[], 0]);
  });

  it('is mailed three times an hour, to an address whose case does not matter', async () => {
    const spellings = ['doctora@demo.example', 'DOCTORA@demo.example', 'Doctora@demo.example', 'doctora@demo.example'];
    for (const [second, email] of spellings.entries()) {
      setClock(at(`18:00:0${second}.000`));
      expect((await request(email)).status).toBe(202);
    }
    await sendMails();
    expect(mailsTo('doctora@demo.example')).toHaveLength(3);
    for (const time of ['18:59:59.999', '19:00:00.000']) {
      setClock(at(time));
      await request('doctora@demo.example');
    }
    expect(await sendMails(at('19:00:00.000'))).toBe(1);
  });

  it('is mailed later where SES is down, for half an hour', async () => {
    await server.addUser(server.client, 'patient', 'tarde@demo.example');
    setClock(NOON);
    await request('tarde@demo.example');
    server.ses.scenario = 'down';
    expect([await sendMails(), (await queued()).length]).toEqual([0, 1]);
    server.ses.scenario = 'well';
    expect(await sendMails(at('18:30:00.001'))).toBe(0);
    expect([mailsTo('tarde@demo.example'), await queued()]).toEqual([[], []]);
  });

  it('is not mailed to a disabled or an erased user', async () => {
    const gone = await server.addUser(server.client, 'patient', 'borrada@demo.example');
    const disabled = await server.addUser(server.client, 'doctor', 'cerrada@demo.example');
    setClock(NOON);
    await request(gone.email);
    await request(disabled.email);
    await removePerson(table(), gone);
    await setUserState(table(), disabled, { state: 'disabled', now: NOON });
    expect([await sendMails(), await queued()]).toEqual([0, []]);
  });

  it('is refused for a client without a page, whether the address is known or not', async () => {
    const { client, key } = await server.addClient('Sin página');
    const answer = await request('nadie@demo.example', { key });
    expect([client.passwordUrl, answer.status, answer.body.code]).toEqual([null, 409, 'password_url_missing']);
  });
});

let users = 0;
const addUser = () => server.addUser(server.client, 'patient', `clave-${users++}@demo.example`);
const link = (user: UserRecord, now = new Date()) => createPasswordLink(user, now, table());
const set = (token: string, password = PASSWORD, call: object = {}) =>
  server.request('PUT', '/api/password/', { body: { token, password }, ...call });

const REFUSED = { status: 400, body: { token: [expect.any(String)] } };

describe('a link', () => {
  it('sets a password once, and ends the tokens and the other links of its user', async () => {
    const user = await addUser();
    const access = await server.login(user.email);
    const [first, second] = [await link(user), await link(user)];
    const tooShort = await set(first, 'corta-de-11');
    expect([tooShort.status, Object.keys(tooShort.body)]).toEqual([400, ['password']]);
    expect(await set(first)).toMatchObject({ status: 204, body: '' });
    const login = { body: { email: user.email, password: PASSWORD } };
    expect((await server.request('POST', '/api/token/', login)).status).toBe(200);
    expect((await server.request('GET', '/api/me/', { token: access })).body.code).toBe('token_invalid');
    for (const token of [first, second]) expect(await set(token)).toMatchObject(REFUSED);
  });

  it('of two requests at once serves one', async () => {
    const token = await link(await addUser());
    const statuses = (await Promise.all([set(token), set(token, 'una-tercera-2026')])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 400]);
  });

  it('works for 30 minutes', async () => {
    const [user, other] = [await addUser(), await addUser()];
    setClock(at('18:29:59.999'));
    expect((await set(await link(user, NOON))).status).toBe(204);
    setClock(at('18:30:00.000'));
    expect(await set(await link(other, NOON))).toMatchObject(REFUSED);
  });

  it('is stored without its secret', async () => {
    const user = await addUser();
    const token = await link(user);
    const rows = await table().all({ pk: `LINK#${server.client.id}#${user.id}` });
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token.split('.')[1]);
  });

  it('is of its client and user alone, who is not disabled', async () => {
    const [user, other] = [await addUser(), await addUser()];
    const token = await link(user);
    const { key } = await server.addClient('Otra');
    expect(await set(token, PASSWORD, { key })).toMatchObject(REFUSED);
    const forged = [token.replace(String(user.id), String(other.id)), '', 'x', '1.short', `0.${'a'.repeat(43)}`];
    for (const one of forged) expect(await set(one)).toMatchObject(REFUSED);
    await setUserState(table(), user, { state: 'disabled', now: new Date() });
    expect(await set(token)).toMatchObject(REFUSED);
  });
});

const PATIENT = 'paciente@demo.example';
/** The orders of the patient, the latest first. */
const orders: Order[] = [];

const see = async (token: string) => (await server.request('GET', '/api/me/', { token })).body;
const alter = (token: string, body: object) => server.request('PATCH', '/api/me/', { token, body });
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
    const { status, body } = await alter(tokens.patient, { ...changes, email: 'otra@demo.example', role: 'doctor' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...changes, sex: before.sex, first_name: before.first_name, email: PATIENT });
    expect([body.country_code, body.national_number]).toEqual([null, null]);
    expect(await see(tokens.patient)).toEqual(body);
    const count = async (search: string) =>
      (await server.request('GET', `/api/orders/?search=${search}`, { token: tokens.employee })).body.count;
    expect([await count('zepeda'), await count('paz')]).toEqual([0, 3]);
    // The phone that was given up is free, and spelled alike.
    expect((await alter(tokens.doctor, { phone: '+52 1 55 5501 0001' })).body.phone).toBe('+525555010001');
  });

  it.each([
    [{ first_name: '' }, ['first_name']],
    [{ birthdate: '2999-01-01', phone: 'x' }, ['phone', 'birthdate']],
    // The doctor's.
    [{ phone: '+525555010001' }, ['phone']],
  ])('is refused as %j', async (body, paths) => {
    const answer = await alter(tokens.employee, body);
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
