import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueAccessToken, type Subject } from '../../shared/access/token.ts';
import type { TokenKeys } from '../../shared/access/token-keys.ts';
import { routes } from '../../shared/api/routes.ts';
import { tokenKeys } from '../../shared/deps.ts';
import type { Call } from '../support/http/call.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { INVOICING, orderBody } from '../support/orders/samples.ts';
import { prove } from '../support/proofs/proof.ts';
import { openTestServer, type TestServer } from '../support/servers/test-server.ts';

const LIFETIME_SECONDS = 900;
const MISSING_ORDER = 99_999_999;

const STRANGERS = [
  'other patient',
  'other doctor',
  'patient of other client',
  'doctor of other client',
  'other client',
] as const;
type Stranger = (typeof STRANGERS)[number];
type RouteCase = {
  /** A request about an order that succeeds for its owner. */
  readonly ask: (order: number) => { readonly path: string; readonly body?: object };
  /** True if the request succeeds only once for an order, so that each owner needs a new one. */
  readonly isOnce?: true;
  /** Expects the answer to a user who may not see the order. */
  readonly givesAwayNothing: (name: string, who: Stranger) => Promise<void>;
};

// The keys are route names; the first test fails if a route is missing here.
const CASES: Readonly<Record<string, RouteCase>> = {
  'POST /api/orders/resources/': {
    ask: () => ({ path: '/api/orders/resources/', body: orderBody('paciente@demo.example') }),
    givesAwayNothing: (name, who) => expectPeopleHidden[who](name),
  },
  'GET /api/orders/': { ask: () => ({ path: '/api/orders/' }), givesAwayNothing: expectNotListed },
  'GET /api/orders/{id}/': { ask: (order) => ({ path: `/api/orders/${order}/` }), givesAwayNothing: expectMissing },
  'PATCH /api/orders/{id}/': {
    ask: (order) => ({ path: `/api/orders/${order}/`, body: { details: [{ product: 1, quantity: 1 }] } }),
    givesAwayNothing: expectMissing,
  },
  'PATCH /api/orders/{id}/request-invoice/': {
    ask: (order) => ({ path: `/api/orders/${order}/request-invoice/`, body: INVOICING }),
    isOnce: true,
    givesAwayNothing: expectMissing,
  },
  'PUT /api/orders/{id}/request-invoice/': {
    ask: (order) => ({ path: `/api/orders/${order}/request-invoice/`, body: { invoicing: INVOICING } }),
    isOnce: true,
    givesAwayNothing: expectMissing,
  },
};

const protectedRoutes = routes.filter(({ authentication }) => authentication === 'user');
const named = protectedRoutes.map(({ method, path }) => ({ name: `${method} ${path}`, method }));

type Somebody = { readonly token: string; readonly key?: string };
let server: TestServer;
let keys: TokenKeys;
let patient: Subject;
let otherKey: string;
let owners: Record<'patient' | 'doctor' | 'employee', Somebody>;
let strangers: Record<Stranger, Somebody>;
let orderId: number;
/** The id of a patient for whom no stranger places an order. */
let unrelatedPatient: number;

const signToken = (subject: Subject, by = keys, now = new Date()) =>
  issueAccessToken(subject, { keys: by, lifetimeSeconds: LIFETIME_SECONDS, now });

beforeAll(async () => {
  server = await openTestServer();
  keys = await tokenKeys();
  const other = await server.addClient('Ajena');
  otherKey = other.key;
  await server.addUser(server.client, 'patient', 'otra@example.mx');
  await server.addUser(server.client, 'doctor', 'otro@example.mx');
  await server.addUser(other.client, 'insurance_employee', 'ajena@example.mx');
  await server.addUser(other.client, 'patient', 'ajeno@example.mx');
  await server.addUser(other.client, 'doctor', 'doctor.ajeno@example.mx');
  owners = {
    patient: { token: await server.login('paciente@demo.example') },
    doctor: { token: await server.login('doctora@demo.example') },
    employee: { token: await server.login('aseguradora@demo.example') },
  };
  strangers = {
    'other patient': { token: await server.login('otra@example.mx') },
    'other doctor': { token: await server.login('otro@example.mx') },
    'patient of other client': { token: await server.login('ajeno@example.mx', otherKey), key: otherKey },
    'doctor of other client': { token: await server.login('doctor.ajeno@example.mx', otherKey), key: otherKey },
    'other client': { token: await server.login('ajena@example.mx', otherKey), key: otherKey },
  };
  const placed = await placeForAll();
  orderId = placed.body.id;
  const unrelated = await server.request('POST', '/api/orders/resources/', {
    ...owners.employee,
    body: orderBody('aparte@example.mx'),
  });
  unrelatedPatient = unrelated.body.patient.id;
  patient = { client: server.client.id, user: { id: placed.body.patient.id, role: 'patient', credentialsVersion: 0 } };
});
afterAll(() => server.close());

/** Places an order that every owner sees. */
const placeForAll = () =>
  server.request('POST', '/api/orders/resources/', { ...owners.doctor, body: orderBody('paciente@demo.example') });

function send(method: string, name: string, call: Call, order = orderId): Promise<HttpAnswer> {
  const { path, body } = (CASES[name] as RouteCase).ask(order);
  return server.request(method, path, body ? { ...call, body } : call);
}

/** Returns an answer as text, without its date and request id, which always differ. */
function toComparableText({ status, headers: { date: _, 'x-request-id': __, ...headers }, body }: HttpAnswer): string {
  return JSON.stringify({ status, headers, body });
}

async function expectMissing(name: string, who: Stranger): Promise<void> {
  const [method = ''] = name.split(' ');
  const answer = await send(method, name, strangers[who]);
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 404,
    body: { detail: 'No encontrado.', code: 'not_found' },
  });
  expect(toComparableText(answer)).toBe(toComparableText(await send(method, name, strangers[who], MISSING_ORDER)));
}

async function expectNotListed(name: string, who: Stranger): Promise<void> {
  const { status, body } = await send('GET', name, strangers[who]);
  expect(status).toBe(200);
  expect(body.results.map(({ id }: { id: number }) => id)).not.toContain(orderId);
  const ofPatient = (id: number) => server.request('GET', `/api/orders/?patient=${id}`, strangers[who]);
  const theirs = await ofPatient(unrelatedPatient);
  expect(theirs.body).toEqual({ count: 0, next: null, previous: null, results: [] });
  expect(toComparableText(theirs)).toBe(toComparableText(await ofPatient(MISSING_ORDER)));
}

/** Expects what placing an order for another person reveals about that person. */
const expectPeopleHidden: Record<Stranger, (name: string) => Promise<void>> = {
  'other patient': (name) => expectEmailRefused(name, 'other patient'),
  'patient of other client': (name) => expectEmailRefused(name, 'patient of other client'),
  async 'other doctor'(name) {
    const { status, body } = await send('POST', name, strangers['other doctor']);
    expect({ status, phone: body.patient.user.phone }).toEqual({ status: 201, phone: null });
  },
  'other client': (name) => expectOtherPerson(name, 'other client'),
  'doctor of other client': (name) => expectOtherPerson(name, 'doctor of other client'),
};

async function expectEmailRefused(name: string, who: Stranger): Promise<void> {
  const known = await send('POST', name, strangers[who]);
  expect({ status: known.status, faults: Object.keys(known.body.user) }).toEqual({ status: 400, faults: ['email'] });
  const call = { ...strangers[who], body: orderBody('nobody-knows-me@example.mx') };
  expect(toComparableText(known)).toBe(toComparableText(await server.request('POST', '/api/orders/resources/', call)));
}

/** Expects that the e-mail belongs to another, unknown person at the other client. */
async function expectOtherPerson(name: string, who: Stranger): Promise<void> {
  const { status, body } = await send('POST', name, strangers[who]);
  expect({ status, phone: body.patient.user.phone || '' }).toEqual({ status: 201, phone: '' });
  expect(body.patient.id).not.toBe(patient.user.id);
  expect((await server.request('GET', `/api/orders/${body.id}/`, owners.employee)).status).toBe(404);
}

it('every route that needs a user has a case here', () => {
  expect(named.map(({ name }) => name).sort()).toEqual(Object.keys(CASES).sort());
});

describe.each(named)('$name', ({ name, method }) => {
  it.each(['patient', 'doctor', 'employee'] as const)('answers the %s who owns the order', async (owner) => {
    const order = CASES[name]?.isOnce ? (await placeForAll()).body.id : orderId;
    const { status } = await send(method, name, owners[owner], order);
    expect(status).toBe(name === 'POST /api/orders/resources/' ? 201 : 200);
  });

  const headers = (value: string) => ({ headers: { Authorization: value } });

  // `test/proofs/access.test.ts` covers forged tokens.
  it.each<[string, () => Promise<Call>, string]>([
    ['no token', async () => ({}), 'not_authenticated'],
    ['an empty header', async () => headers(''), 'token_invalid'],
    ['another scheme', async () => headers(`Basic ${await signToken(patient)}`), 'token_invalid'],
    ['two tokens', async () => headers(`Bearer ${await signToken(patient)} x`), 'token_invalid'],
    [
      'an expired token',
      async () => ({ token: await signToken(patient, keys, new Date(Date.now() - (LIFETIME_SECONDS + 6) * 1_000)) }),
      'token_expired',
    ],
    ["another client's key", async () => ({ token: await signToken(patient), key: otherKey }), 'token_invalid'],
    [
      'a token that names another client',
      async () => ({ token: await signToken({ ...patient, client: server.client.id + 1 }) }),
      'token_invalid',
    ],
  ])('refuses %s', async (_, callOf, code) => {
    const { status, body } = await send(method, name, await callOf());
    expect({ status, body }).toEqual({ status: 401, body: { detail: expect.any(String), code } });
  });

  it.each(STRANGERS)('reveals nothing to the %s', async (who) => {
    await (CASES[name] as RouteCase).givesAwayNothing(name, who);
    prove({ check: 'Access: orders of other users', tries: 1, lost: 0 });
  });

  it('refuses a user who no longer exists', async () => {
    const nobody = {
      token: await signToken({ ...patient, user: { id: 999_999, role: 'patient', credentialsVersion: 0 } }),
    };
    const { status, body } = await send(method, name, nobody);
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'token_invalid' });
  });
});
