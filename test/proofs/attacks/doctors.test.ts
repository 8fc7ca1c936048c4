import { describe, expect, inject, it } from 'vitest';
import { issueAccessToken } from '../../../shared/access/authenticate.ts';
import { table, tokenKeys } from '../../../shared/deps.ts';
import type { Role } from '../../../shared/people/rules/roles.ts';
import { userById } from '../../../shared/people/users.ts';
import { type HttpAnswer, sendHttp } from '../../support/http/http.ts';
import { ADDRESS, INVOICING, orderBody } from '../../support/orders/samples.ts';
import { prove, tries } from '../../support/proofs/proof.ts';
import { useDemoTokens, useServer } from '../../support/servers/test-server.ts';

const server = useServer();
const tokens = useDemoTokens(server);

const send = (token: string, method: string, path: string, body?: object) =>
  server.request(method, `/api/orders/${path}`, { token, ...(body && { body }) });
async function place(token: string, body: object): Promise<HttpAnswer['body']> {
  const answer = await send(token, 'POST', 'resources/', body);
  expect([answer.status, JSON.stringify(answer.body).slice(0, 300)]).toEqual([201, expect.any(String)]);
  return answer.body;
}

/** Everything that a doctor can send of a patient; each text tells that it came from the doctor. */
const planted = (number: number) => ({
  phone: `+52551900${String(number).padStart(4, '0')}`,
  second_last_name: 'Plantado',
  sex: 'F',
  birthdate: '1971-03-19',
  medical_condition: 'Plantada',
});
const shipping = { ...ADDRESS, street: 'Calle Plantada' };
const mailbox = (number: number) => `plantado-${number}@doctora.example`;
const doctorsBody = (email: string, number: number) => {
  const body = orderBody(email, { shipping }, { invoicing: { ...INVOICING, email: mailbox(number) } });
  return { ...body, user: { ...body.user, first_name: 'Plantada', ...planted(number) } };
};

/** Returns what of the doctor's data a person's order shows. */
function plantedIn(shown: HttpAnswer['body'], number: number): string[] {
  const { sex, birthdate } = shown.patient.user;
  const text = JSON.stringify(shown).toLowerCase();
  return [
    ...['plantad', planted(number).phone].filter((one) => text.includes(one)),
    ...(sex === null ? [] : ['sex']),
    ...(birthdate === null ? [] : ['birthdate']),
  ];
}

async function receivedAt(address: string): Promise<number> {
  const { emails } = (
    await sendHttp(inject('serverEnvironment').AWS_ENDPOINT_URL_SES ?? '', '/store', { method: 'GET' })
  ).body;
  return emails.filter(({ destination }: { destination: { to: string[] } }) => destination.to.includes(address)).length;
}

type Known = { readonly email: string; readonly token: string };
async function register(role: Role, email: string): Promise<Known> {
  await server.addUser(server.client, role, email);
  return { email, token: await server.login(email) };
}
const newPatient = (number: number) => register('patient', `known-${number}@example.mx`);
// Each number has a doctor of its own, because a doctor may place only so many orders.
const newDoctor = async (number: number) => (await register('doctor', `doctor-${number}@example.mx`)).token;

/** Returns a token of a patient whom an order registered, as after an operator gave them a password. */
async function loginRegistered({ id }: { readonly id: number }): Promise<string> {
  const user = await userById(table(), server.client.id, id);
  if (!user) throw new Error(`no user ${id}`);
  return issueAccessToken(
    { client: server.client.id, user },
    { keys: await tokenKeys(), lifetimeSeconds: 900, now: new Date() },
  );
}

/** The orders of the patient and of an employee for them, none of which sends what a doctor could have planted. */
async function laterOrders({ email, token }: Known): Promise<HttpAnswer['body'][]> {
  const receiver = { ...INVOICING, email: undefined };
  return [
    await place(token, orderBody(email, {}, { invoicing: receiver })),
    await place(token, orderBody(email, { shipping: undefined })),
    await place(tokens.employee, orderBody(email, { shipping: undefined })),
  ];
}

const PATIENTS = tries(1, 40);

describe('a doctor who orders for a known patient', () => {
  it('leaves nothing in the orders that others place, and takes no phone from anybody', async () => {
    let asked = 0;
    const found: string[] = [];
    for (let number = 0; number < PATIENTS; number++) {
      const patient = await newPatient(number);
      const { email, token } = patient;
      await place(await newDoctor(number), doctorsBody(email, number));
      // The phone that the doctor sent is free for its owner.
      const owner = orderBody(`owner-${number}@example.mx`);
      const owned = { ...owner, user: { ...owner.user, phone: planted(number).phone } };
      if ((await send(tokens.employee, 'POST', 'resources/', owned)).status !== 201) found.push('phone');
      // An order without a destination would go to an address that the doctor planted.
      const astray = await send(token, 'POST', 'resources/', orderBody(email, { shipping: undefined }));
      if (astray.status !== 400) found.push('default address');
      const orders = await laterOrders(patient);
      asked += 1 + orders.length;
      for (const order of orders) found.push(...plantedIn(order, number));
      if (new Set(orders.map((order) => order.patient.default_invoicing)).size > 1) found.push('default invoicing');
      if ((await receivedAt(email)) !== 1) found.push('no mail to the patient');
      if ((await receivedAt(mailbox(number))) !== 1) found.push('mail to the doctor');
    }
    expect(found).toEqual([]);
    prove({ check: "attack 3: a doctor plants data in a patient's later orders", tries: asked, lost: found.length });
  });

  it('names no tax data by id, not even their own, and cannot try one id after the other', async () => {
    const patient = await newPatient(250);
    const doctor = await newDoctor(250);
    const own = await place(patient.token, orderBody(patient.email, {}, { invoicing: INVOICING }));
    const order = await place(doctor, orderBody(patient.email));
    const sent = await place(doctor, orderBody(patient.email, {}, { invoicing: INVOICING }));
    const ask = (invoicing: number) => send(doctor, 'PUT', `${order.id}/request-invoice/`, { invoicing });
    const ids = [own.invoicing.id, sent.invoicing.id, ...Array.from({ length: 8 }, (_, index) => 1 + index)];
    const refused: HttpAnswer[] = [];
    for (const id of ids) refused.push(await ask(id));
    for (const [index, { status, body }] of refused.entries()) {
      const text = `El paciente no tiene los datos de facturación ${ids[index]}.`;
      expect([status, body]).toEqual([400, { invoicing: [text] }]);
    }
    expect((await ask(own.invoicing.id)).body.code).toBe('too_many_attempts');
    // Tax data of a doctor's order is no record that others could name.
    const later = await place(patient.token, orderBody(patient.email));
    for (const token of [patient.token, tokens.employee]) {
      const path = `${later.id}/request-invoice/`;
      expect((await send(token, 'PUT', path, { invoicing: sent.invoicing.id })).status).toBe(400);
    }
    const answer = await send(patient.token, 'PUT', `${later.id}/request-invoice/`, { invoicing: own.invoicing.id });
    expect([answer.status, answer.body.invoicing.id]).toEqual([200, own.invoicing.id]);
    const lost = refused.filter(({ status }) => status < 400).length;
    prove({ check: 'attack 3: a doctor invoices to stored tax data by its id', tries: refused.length, lost });
  });

  it('confirms nothing of the patient by a filter, a search or an order of the list', async () => {
    const phone = '+525519009999';
    const email = 'confirmable@example.mx';
    const known = orderBody(email);
    const person = { ...known.user, first_name: 'Oculta', last_name: 'Secreta', second_last_name: 'Callada', phone };
    await place(tokens.employee, { ...known, user: person });
    const doctor = await newDoctor(350);
    const plain = await place(doctor, { ...known, user: { email, first_name: 'Ana', last_name: 'Prueba' } });
    const told = await place(doctor, { ...known, user: { email, first_name: 'Ana', last_name: 'Prueba', phone } });
    // A phone of nobody is shown as that of the patient is.
    const free = '+525519008888';
    const guess = await place(doctor, {
      ...known,
      user: { email, first_name: 'Ana', last_name: 'Prueba', phone: free },
    });
    const list = async (query: Record<string, string>) => {
      const { body } = await send(doctor, 'GET', `?${new URLSearchParams(query)}`);
      expect(body.count).toBe(body.results.length);
      return body.results.map(({ id }: { id: number }) => id);
    };
    expect(await list({ phone })).toEqual([told.id]);
    expect(await list({ phone: free })).toEqual([guess.id]);
    expect(await list({ phone, email, ordering: 'expected_delivery_date' })).toEqual([told.id]);
    expect(await list({ phone, folio: plain.folio })).toEqual([]);
    expect(await list({ phone: '+525519007777' })).toEqual([]);
    for (const search of ['oculta', 'secreta', 'callada', 'ana callada']) expect(await list({ search })).toEqual([]);
    expect(await list({ search: 'ana prueba' })).toEqual([guess.id, told.id, plain.id]);
    expect(plain.patient.user).toMatchObject({ phone: null, country_code: null, national_number: null });
    expect(JSON.stringify([plain, told, guess])).not.toMatch(/Oculta|Secreta|Callada/);
  });
});

describe('a doctor whose order registers a patient', () => {
  it("is replaced by the patient's own first order, and sets no default", async () => {
    const found: string[] = [];
    let asked = 0;
    for (let number = 400; number < 400 + PATIENTS; number++) {
      const email = `registered-${number}@example.mx`;
      const registered = await place(await newDoctor(number), doctorsBody(email, number));
      const stored = (await send(tokens.employee, 'GET', `${registered.id}/`)).body.patient;
      expect(stored.user).toMatchObject({ first_name: 'Plantada', ...planted(number) });
      expect([stored.default_shipping, stored.default_invoicing]).toEqual([null, null]);
      const token = await loginRegistered(registered.patient);
      const own = await place(token, orderBody(email));
      const later = await place(tokens.employee, orderBody(email, { shipping: undefined }));
      asked += 3;
      found.push(...plantedIn(own, number), ...plantedIn(later, number));
    }
    expect(found).toEqual([]);
    prove({ check: 'attack 3: a doctor registers a patient to plant data', tries: asked, lost: found.length });
  });

  it("keeps what an employee sent, and frees the doctor's phone", async () => {
    const email = 'confirmed@example.mx';
    const registered = await place(await newDoctor(500), doctorsBody(email, 500));
    const body = orderBody(email);
    const confirmed = { birthdate: '1971-03-19', medical_condition: 'Asma' };
    const between = await place(tokens.employee, { ...body, user: { ...body.user, ...confirmed } });
    expect(between.patient.user).toMatchObject({ ...planted(500), ...confirmed });
    const own = await place(await loginRegistered(registered.patient), body);
    const unknown = { phone: '', second_last_name: null, sex: null };
    expect(own.patient.user).toMatchObject({ ...unknown, ...confirmed });
    const other = orderBody('owner-500@example.mx');
    await place(tokens.employee, { ...other, user: { ...other.user, phone: planted(500).phone } });
    const later = await place(tokens.employee, body);
    expect(later.patient.user).toMatchObject({ ...unknown, ...confirmed });
  });
});
