import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueAccessToken, type Subject } from '../../shared/access/token.ts';
import { parseTokenKeys, type TokenKeys } from '../../shared/access/token-keys.ts';
import { routes } from '../../shared/api/routes.ts';
import { tokenKeys } from '../../shared/runtime/deps.ts';
import type { Call } from '../support/call.ts';
import { type House, openHouse } from '../support/house.ts';
import type { HttpAnswer } from '../support/http.ts';
import { INVOICING, orderBody } from '../support/samples.ts';

const LIFETIME_SECONDS = 900;
const MISSING_ORDER = 99_999_999;

type Stranger = 'other patient' | 'other doctor' | 'other client';
type RouteCase = {
  /** Of an order, as its owner could ask for it with success. */
  readonly ask: (order: number) => { readonly path: string; readonly body?: object };
  /** It goes well once for an order, so that each of its owners needs another one. */
  readonly isOnce?: true;
  /** What somebody gets who may not see the order. */
  readonly givesAwayNothing: (name: string, who: Stranger) => Promise<void>;
};

// By the route table's own names: a route that is not here fails the first test.
const CASES: Readonly<Record<string, RouteCase>> = {
  'POST /api/orders/resources/': {
    ask: () => ({ path: '/api/orders/resources/', body: orderBody('paciente@demo.example') }),
    givesAwayNothing: (name, who) => ofPeople[who](name),
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
let house: House;
let keys: TokenKeys;
let patient: Subject;
let otherKey: string;
let owners: Record<'patient' | 'doctor' | 'employee', Somebody>;
let strangers: Record<Stranger, Somebody>;
let orderId: number;
/** Somebody for whom no stranger ever orders. */
let unrelatedPatient: number;

const signed = (subject: Subject, by = keys, now = new Date()) =>
  issueAccessToken(subject, { keys: by, lifetimeSeconds: LIFETIME_SECONDS, now });

beforeAll(async () => {
  house = await openHouse();
  keys = await tokenKeys();
  const other = await house.addClient('Ajena');
  otherKey = other.key;
  await house.addUser(house.client, 'patient', 'otra@example.mx');
  await house.addUser(house.client, 'doctor', 'otro@example.mx');
  await house.addUser(other.client, 'insurance_employee', 'ajena@example.mx');
  owners = {
    patient: { token: await house.login('paciente@demo.example') },
    doctor: { token: await house.login('doctora@demo.example') },
    employee: { token: await house.login('aseguradora@demo.example') },
  };
  strangers = {
    'other patient': { token: await house.login('otra@example.mx') },
    'other doctor': { token: await house.login('otro@example.mx') },
    'other client': { token: await house.login('ajena@example.mx', otherKey), key: otherKey },
  };
  const placed = await placeForAll();
  orderId = placed.body.id;
  const unrelated = await house.request('POST', '/api/orders/resources/', {
    ...owners.employee,
    body: orderBody('aparte@example.mx'),
  });
  unrelatedPatient = unrelated.body.patient.id;
  patient = { client: house.client.id, user: { id: placed.body.patient.id, role: 'patient' } };
});
afterAll(() => house.close());

/** An order that each of the owners sees. */
const placeForAll = () =>
  house.request('POST', '/api/orders/resources/', { ...owners.doctor, body: orderBody('paciente@demo.example') });

function send(method: string, name: string, call: Call, order = orderId): Promise<HttpAnswer> {
  const { path, body } = (CASES[name] as RouteCase).ask(order);
  return house.request(method, path, body ? { ...call, body } : call);
}

/** All that a caller can tell an answer by; each has a time and a number of its own. */
function told({ status, headers: { date: _, 'x-request-id': __, ...headers }, body }: HttpAnswer): string {
  return JSON.stringify({ status, headers, body });
}

async function expectMissing(name: string, who: Stranger): Promise<void> {
  const [method = ''] = name.split(' ');
  const answer = await send(method, name, strangers[who]);
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 404,
    body: { detail: 'No encontrado.', code: 'not_found' },
  });
  expect(told(answer)).toBe(told(await send(method, name, strangers[who], MISSING_ORDER)));
}

async function expectNotListed(name: string, who: Stranger): Promise<void> {
  const { status, body } = await send('GET', name, strangers[who]);
  expect(status).toBe(200);
  expect(body.results.map(({ id }: { id: number }) => id)).not.toContain(orderId);
  const ofPatient = (id: number) => house.request('GET', `/api/orders/?patient=${id}`, strangers[who]);
  const theirs = await ofPatient(unrelatedPatient);
  expect(theirs.body).toEqual({ count: 0, next: null, previous: null, results: [] });
  expect(told(theirs)).toBe(told(await ofPatient(MISSING_ORDER)));
}

/** What placing an order for somebody tells of them. */
const ofPeople: Record<Stranger, (name: string) => Promise<void>> = {
  async 'other patient'(name) {
    const known = await send('POST', name, strangers['other patient']);
    expect({ status: known.status, faults: Object.keys(known.body.user) }).toEqual({ status: 400, faults: ['email'] });
    const call = { ...strangers['other patient'], body: orderBody('nobody-knows-me@example.mx') };
    expect(told(known)).toBe(told(await house.request('POST', '/api/orders/resources/', call)));
  },
  async 'other doctor'(name) {
    const { status, body } = await send('POST', name, strangers['other doctor']);
    expect({ status, phone: body.patient.user.phone }).toEqual({ status: 201, phone: null });
  },
  async 'other client'(name) {
    // The e-mail is another person's there, of whom nothing is known here.
    const { status, body } = await send('POST', name, strangers['other client']);
    expect({ status, phone: body.patient.user.phone }).toEqual({ status: 201, phone: '' });
    expect(body.patient.id).not.toBe(patient.user.id);
    expect((await house.request('GET', `/api/orders/${body.id}/`, owners.employee)).status).toBe(404);
  },
};

it('every route that needs a user has its refusals here', () => {
  expect(named.map(({ name }) => name).sort()).toEqual(Object.keys(CASES).sort());
});

describe.each(named)('$name', ({ name, method }) => {
  it.each(['patient', 'doctor', 'employee'] as const)('answers the %s whose order it is', async (owner) => {
    const order = CASES[name]?.isOnce ? (await placeForAll()).body.id : orderId;
    const { status } = await send(method, name, owners[owner], order);
    expect(status).toBe(name === 'POST /api/orders/resources/' ? 201 : 200);
  });

  const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = async (alg: string, signature: (token: string) => string) => {
    const good = await signed(patient);
    const header = base64url({ alg, typ: 'at+jwt', kid: keys.current.kid });
    return [header, good.split('.')[1], signature(good)].join('.');
  };
  const otherSecret = parseTokenKeys(
    `{"current":{"kid":"local","secret":"${Buffer.alloc(32, 7).toString('base64url')}"}}`,
  );
  const headers = (value: string) => ({ headers: { Authorization: value } });

  it.each<[string, () => Promise<Call>, string]>([
    ['no token', async () => ({}), 'not_authenticated'],
    ['an empty header', async () => headers(''), 'token_invalid'],
    ['a word as token', async () => ({ token: 'token' }), 'token_invalid'],
    ['three words as token', async () => ({ token: 'a.b.c' }), 'token_invalid'],
    ['another scheme', async () => headers(`Basic ${await signed(patient)}`), 'token_invalid'],
    ['two tokens', async () => headers(`Bearer ${await signed(patient)} x`), 'token_invalid'],
    ['a cut token', async () => ({ token: (await signed(patient)).slice(0, -1) }), 'token_invalid'],
    [
      'an expired token',
      async () => ({ token: await signed(patient, keys, new Date(Date.now() - (LIFETIME_SECONDS + 6) * 1_000)) }),
      'token_expired',
    ],
    ['a token of another secret', async () => ({ token: await signed(patient, otherSecret) }), 'token_invalid'],
    ['alg none without a signature', async () => ({ token: await unsigned('none', () => '') }), 'token_invalid'],
    [
      'alg none with a signature',
      async () => ({ token: await unsigned('none', (good) => good.split('.')[2] ?? '') }),
      'token_invalid',
    ],
    ['alg NoNe', async () => ({ token: await unsigned('NoNe', () => 'A'.repeat(43)) }), 'token_invalid'],
    ["another client's key", async () => ({ token: await signed(patient), key: otherKey }), 'token_invalid'],
    [
      'a token that names another client',
      async () => ({ token: await signed({ ...patient, client: house.client.id + 1 }) }),
      'token_invalid',
    ],
  ])('refuses %s', async (_, callOf, code) => {
    const { status, body } = await send(method, name, await callOf());
    expect({ status, body }).toEqual({ status: 401, body: { detail: expect.any(String), code } });
  });

  it.each(['other patient', 'other doctor', 'other client'] as const)('gives nothing away to the %s', (who) =>
    (CASES[name] as RouteCase).givesAwayNothing(name, who),
  );

  it('has nothing for a user who is no longer there', async () => {
    const nobody = { token: await signed({ ...patient, user: { id: 999_999, role: 'patient' } }) };
    const { status, body } = await send(method, name, nobody);
    if (method !== 'GET') expect({ status, code: body.code }).toEqual({ status: 401, code: 'token_invalid' });
    else if (status === 200) expect(body.count).toBe(0);
    else expect(status).toBe(404);
  });
});
