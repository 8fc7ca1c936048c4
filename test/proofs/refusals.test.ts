import { beforeAll, describe, expect, it } from 'vitest';
import { openStream } from '../../infra/local/table-stream.ts';
import { routes } from '../../shared/api/routes.ts';
import { table } from '../../shared/deps.ts';
import { setUserState } from '../../shared/people/users.ts';
import type { Call, HttpAnswer } from '../support/http/http.ts';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';
import { countStoredOrders } from '../support/orders/stored-orders.ts';
import { prove } from '../support/proofs/proof.ts';
import { useServer } from '../support/servers/test-server.ts';
import { publishEvents } from '../support/webhooks/feed.ts';

const MISSING_ORDER = 99_999_999;

const EMAILS = {
  'other patient': 'otra@example.mx',
  'other doctor': 'otro@example.mx',
  'patient of other client': 'ajeno@example.mx',
  'doctor of other client': 'doctor.ajeno@example.mx',
  'other client': 'ajena@example.mx',
} as const;
type Stranger = keyof typeof EMAILS;
const STRANGERS = Object.keys(EMAILS) as Stranger[];
const OWNERS = ['patient', 'doctor', 'employee'] as const;
type Owner = (typeof OWNERS)[number];
type RouteCase = {
  /** The body of a request about an order that succeeds for its owner. */
  readonly body?: object;
  /** The order of the request; `new` if it succeeds only once, so that each owner needs another one. */
  readonly of?: 'placed' | 'new' | 'waiting' | 'collected';
  /** The owners for whom the route exists; all of them unless it says so. */
  readonly isFor?: readonly Owner[];
  /** Expects the answer to a user who may not see the order: that of a missing one unless it says so. */
  readonly givesAwayNothing?: (name: string, who: Stranger) => Promise<void>;
};

// The keys are route names; the first test fails if a route is missing here.
const CASES: Readonly<Record<string, RouteCase>> = {
  'POST /api/orders/resources/': {
    body: orderBody('paciente@demo.example'),
    givesAwayNothing: (name, who) => expectPeopleHidden[who](name),
  },
  'GET /api/orders/': { givesAwayNothing: expectNotListed },
  'GET /api/orders/{id}/': {},
  'PATCH /api/orders/{id}/': { body: { details: [{ product: 1, quantity: 1 }] } },
  'POST /api/orders/{id}/prescriptions/': {
    body: { prescriptions: [{ document: PDF, issue_date: '2026-01-02' }] },
    of: 'waiting',
  },
  'POST /api/orders/{id}/payment/': { of: 'collected' },
  'PATCH /api/orders/{id}/request-invoice/': { body: INVOICING, of: 'new' },
  'PUT /api/orders/{id}/request-invoice/': { body: { invoicing: INVOICING }, of: 'new' },
  'GET /api/orders/{id}/events/': {},
  'GET /api/events/': { isFor: ['employee'], givesAwayNothing: expectNotTold },
  'GET /api/payment-methods/': { givesAwayNothing: expectNobodyElse },
  'GET /api/me/': { givesAwayNothing: expectNobodyElse },
  'PATCH /api/me/': { body: { medical_condition: 'Asma' }, givesAwayNothing: expectNobodyElse },
  'GET /api/me/export/': { givesAwayNothing: expectNobodyElse },
};

const protectedRoutes = routes.filter(({ authentication }) => authentication === 'user');
const named = protectedRoutes.map(({ method, path }) => ({ name: `${method} ${path}`, method }));

type Somebody = { readonly token: string; readonly key?: string };
const server = useServer({ table: 'streamed' });
let patientId: number;
let otherKey: string;
let owners: Record<Owner, Somebody>;
let strangers: Record<Stranger, Somebody>;
/** A user who was disabled, and whose token is younger than that. */
let revoked: Somebody;
let orders: Record<'placed' | 'waiting' | 'collected', number>;
/** The id of a patient for whom no stranger places an order. */
let unrelatedPatient: number;

beforeAll(async () => {
  const other = await server.addClient('Ajena');
  otherKey = other.key;
  await server.addUser(server.client, 'patient', EMAILS['other patient']);
  await server.addUser(server.client, 'doctor', EMAILS['other doctor']);
  await server.addUser(other.client, 'insurance_employee', EMAILS['other client']);
  await server.addUser(other.client, 'patient', EMAILS['patient of other client']);
  await server.addUser(other.client, 'doctor', EMAILS['doctor of other client']);
  owners = {
    patient: { token: await server.login('paciente@demo.example') },
    doctor: { token: await server.login('doctora@demo.example') },
    employee: { token: await server.login('aseguradora@demo.example') },
  };
  strangers = {
    'other patient': { token: await server.login(EMAILS['other patient']) },
    'other doctor': { token: await server.login(EMAILS['other doctor']) },
    'patient of other client': await logInElsewhere('patient of other client'),
    'doctor of other client': await logInElsewhere('doctor of other client'),
    'other client': await logInElsewhere('other client'),
  };
  const former = await server.addUser(server.client, 'insurance_employee', 'revocada@example.mx');
  revoked = { token: await server.login(former.email) };
  await setUserState(table(), former, { state: 'disabled', now: new Date() });
  const placed = await placeForAll();
  orders = {
    placed: placed.body.id,
    waiting: (await placeForAll({ details: [{ product: 4, quantity: 1 }] })).body.id,
    collected: (await placeForAll({ payment_method: 4 })).body.id,
  };
  const unrelated = await server.request('POST', '/api/orders/resources/', {
    ...owners.employee,
    body: orderBody('aparte@example.mx'),
  });
  unrelatedPatient = unrelated.body.patient.id;
  await publishEvents(openStream());
  patientId = placed.body.patient.id;
});

const logInElsewhere = async (who: Stranger): Promise<Somebody> => ({
  token: await server.login(EMAILS[who], otherKey),
  key: otherKey,
});

/** Places an order that every owner sees. */
const placeForAll = (order: Parameters<typeof orderBody>[1] = {}) =>
  server.request('POST', '/api/orders/resources/', {
    ...owners.doctor,
    body: orderBody('paciente@demo.example', order),
  });
const orderOf = (name: string): number => {
  const { of = 'placed' } = CASES[name] ?? {};
  return orders[of === 'new' ? 'placed' : of];
};

function send(method: string, name: string, call: Call, order = orderOf(name)): Promise<HttpAnswer> {
  const path = name.replace(/^\w+ /, '').replace('{id}', String(order));
  const { body } = CASES[name] ?? {};
  return server.request(method, path, body ? { ...call, body } : call);
}

/** Returns an answer as text, without its date and request id, which always differ. */
function toComparableText({
  status,
  headers: { date: _, 'x-request-id': __, 'server-timing': ___, ...headers },
  body,
}: HttpAnswer): string {
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
  expect(body.results.map(({ id }: { id: number }) => id)).not.toContain(orders.placed);
  const ofPatient = (id: number) => server.request('GET', `/api/orders/?patient=${id}`, strangers[who]);
  const theirs = await ofPatient(unrelatedPatient);
  expect(theirs.body).toEqual({ count: 0, next: null, previous: null, results: [] });
  expect(toComparableText(theirs)).toBe(toComparableText(await ofPatient(MISSING_ORDER)));
}

/** Expects that the feed of events does not exist, or, for an employee, that it tells nothing of another client. */
async function expectNotTold(name: string, who: Stranger): Promise<void> {
  const own = await send('GET', name, owners.employee);
  expect(own.body.results.map(({ order }: { order: { id: number } }) => order.id)).toContain(orders.placed);
  const { status, body } = await send('GET', name, strangers[who]);
  if (who === 'other client') expect([status, body.results]).toEqual([200, []]);
  else expect([status, body]).toEqual([404, { detail: 'No encontrado.', code: 'not_found' }]);
}

/** Expects an answer about nobody but the caller. */
async function expectNobodyElse(name: string, who: Stranger): Promise<void> {
  const { status, body } = await send('GET', name, strangers[who]);
  expect(status).toBe(200);
  const emails = JSON.stringify(body).match(/[\w.]+@[\w.]+/g) ?? [];
  expect(emails.filter((email) => email !== EMAILS[who])).toEqual([]);
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
  expect(body.patient.id).not.toBe(patientId);
  expect((await server.request('GET', `/api/orders/${body.id}/`, owners.employee)).status).toBe(404);
}

it('every route that needs a user has a case here', () => {
  expect(named.map(({ name }) => name).sort()).toEqual(Object.keys(CASES).sort());
});

describe.each(named)('$name', ({ name, method }) => {
  it('is refused to a user who was disabled since, and does nothing', async () => {
    const before = await countStoredOrders();
    expect(await send(method, name, revoked)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
    expect(await countStoredOrders()).toBe(before);
    prove({ check: 'attack 9: a token of somebody disabled is used', tries: 1 });
  });

  const { of = 'placed', isFor = OWNERS, givesAwayNothing = expectMissing } = CASES[name] ?? {};

  it.each(isFor)('answers the %s who owns the order', async (owner) => {
    const order = of === 'new' ? (await placeForAll()).body.id : orderOf(name);
    const { status } = await send(method, name, owners[owner], order);
    // The reference of a collected order still works.
    expect(status).toBe(method === 'POST' && of !== 'collected' ? 201 : 200);
  });

  it.each(OWNERS.filter((owner) => !isFor.includes(owner)))('does not exist for the %s', async (owner) => {
    expect(await send(method, name, owners[owner])).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it.each(STRANGERS)('reveals nothing to the %s', async (who) => {
    await givesAwayNothing(name, who);
    prove({ check: 'Access: orders of other users', tries: 1 });
  });
});
