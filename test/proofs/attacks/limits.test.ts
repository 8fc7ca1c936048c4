import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { manyAtOnce } from '../../support/load/many-at-once.ts';
import { INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';
import { listStoredDocuments } from '../../support/orders/stored-documents.ts';
import { prove, tries } from '../../support/proofs/proof.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

const ORDERS = tries(5, 60);
const INVOICES = tries(2, 10);
const START = new Date('2026-11-10T18:00:00.000Z');
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let server: TestServer;
let clock = START.getTime();
/** Advances the clock. */
function pass(seconds: number): void {
  clock += seconds * 1_000;
  setClock(new Date(clock));
}

beforeAll(async () => {
  // A full run uses the limits of the settings, which are the defaults.
  const environment = { USER_ORDERS_PER_HOUR: String(ORDERS), USER_INVOICES_PER_DAY: String(INVOICES) };
  server = await openServer({
    settings: { ...environment, TOKEN_LIFETIME_SECONDS: '86400' },
  });
  setClock(START);
});
afterEach(() => {
  clock = START.getTime();
  setClock(START);
});
afterAll(async () => {
  setClock();
  await server.close();
});

type Sender = { readonly email: string; readonly token: string };
let people = 0;
async function addUser(role: 'patient' | 'doctor'): Promise<Sender> {
  const email = `usuaria-${people++}@demo.example`;
  await server.addUser(server.client, role, email);
  return { email, token: await server.login(email) };
}

const place = (token: string, body: object, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
  server.request('POST', '/api/orders/resources/', { token, body, headers });
/** The body of an order that a user may place: a patient for itself, a doctor for somebody. */
const bodyOf = (role: string, { email }: Sender, more: object = {}) =>
  orderBody(role === 'patient' ? email : `de-${email}`, {}, { ...more });
const outcome = ({ status, body, headers }: HttpAnswer) => [status, body.code, headers['retry-after']];
/** Returns what the reads of a request cost: `round trips 2, read units 5`. */
const costOf = ({ headers }: HttpAnswer) =>
  /round trips \d+, read units [\d.]+/.exec(String(headers['server-timing']))?.[0];
const countOf = async (token: string): Promise<number> =>
  (await server.request('GET', '/api/orders/', { token })).body.count;

describe.each(['patient', 'doctor'] as const)('a %s', (role) => {
  it('places as many orders in an hour as one user may, and is told when the next is possible', async () => {
    const user = await addUser(role);
    for (let each = 0; each < ORDERS; each++) {
      expect((await place(user.token, bodyOf(role, user))).status).toBe(201);
      pass(10);
    }
    const left = String(HOUR - ORDERS * 10);
    let accepted = 0;
    const more = tries(5, 200);
    for (let each = 0; each < more; each++) {
      const answer = await place(user.token, bodyOf(role, user));
      if (answer.status < 400) accepted += 1;
      else expect(outcome(answer)).toEqual([429, 'too_many_orders', left]);
    }
    pass(HOUR - ORDERS * 10 - 1);
    expect(outcome(await place(user.token, bodyOf(role, user)))).toEqual([429, 'too_many_orders', '1']);
    pass(1);
    expect((await place(user.token, bodyOf(role, user))).status).toBe(201);
    expect(outcome(await place(user.token, bodyOf(role, user)))).toEqual([429, 'too_many_orders', '10']);
    prove({ check: `attack 6: a ${role} places more orders than one may`, tries: more + 2, lost: accepted });
  });

  it('asks for as many invoices in a day as one user may, in any way', async () => {
    const user = await addUser(role);
    const orders: number[] = [];
    for (let each = 0; each < INVOICES + 2; each++) {
      orders.push((await place(user.token, bodyOf(role, user))).body.id);
      pass(2 * MINUTE);
    }
    const ask = (method: string, order: number | undefined, body: object) =>
      server.request(method, `/api/orders/${order}/request-invoice/`, { token: user.token, body });
    const patch = (order: number | undefined) => ask('PATCH', order, INVOICING);
    // The provider refuses this zip code; asking again for the same order is no other invoice.
    expect((await ask('PATCH', orders[0], { ...INVOICING, zipcode: '00000' })).status).toBe(400);
    for (const order of orders.slice(0, INVOICES)) {
      expect((await patch(order)).status).toBe(200);
      pass(2 * MINUTE);
    }
    const left = String(DAY - INVOICES * 2 * MINUTE);
    const before = await countOf(user.token);
    const answers = [
      await patch(orders[INVOICES]),
      await ask('PUT', orders[INVOICES], { invoicing: INVOICING }),
      await place(user.token, bodyOf(role, user, { invoicing: INVOICING })),
    ];
    for (const answer of answers) expect(outcome(answer)).toEqual([429, 'too_many_invoices', left]);
    expect(await countOf(user.token)).toBe(before);
    expect((await server.request('GET', `/api/orders/${orders[INVOICES]}/`, { token: user.token })).body.cfdi).toBe('');
    // An order that has its invoice is refused for that, not for the limit.
    expect(outcome(await patch(orders[0]))[1]).toBe('order_invoiced');
    pass(DAY - INVOICES * 2 * MINUTE);
    const token = await server.login(user.email);
    const path = `/api/orders/${orders[INVOICES]}/request-invoice/`;
    expect((await server.request('PATCH', path, { token, body: INVOICING })).status).toBe(200);
    prove({
      check: `attack 6: a ${role} asks for more invoices than one may`,
      tries: answers.length,
      lost: answers.filter(({ status }) => status < 400).length,
    });
  });

  it('above the limit learns nothing about anybody, and stores nothing', async () => {
    const user = await addUser(role);
    for (let each = 0; each < ORDERS; each++) await place(user.token, bodyOf(role, user));
    const prescriptions = [{ document: PDF, issue_date: '2020-02-29' }];
    const bodies = ['aseguradora@demo.example', 'nadie@demo.example', user.email].map((email) =>
      orderBody(email, { prescriptions }),
    );
    const before = await listStoredDocuments();
    const answers = await Promise.all(bodies.map((body) => place(user.token, body)));
    expect(answers.map(({ body }) => body.code)).toEqual(bodies.map(() => 'too_many_orders'));
    expect(await countOf(user.token)).toBe(ORDERS);
    expect(await listStoredDocuments()).toEqual(before);
  });

  it('above the limit costs no more with an invoice than without', async () => {
    const user = await addUser(role);
    for (let each = 0; each < ORDERS; each++) await place(user.token, bodyOf(role, user));
    // A function reads its copies of clients and keys anew from time to time, in one request of several.
    const cheapest = async (more: object): Promise<HttpAnswer> => {
      const answers: HttpAnswer[] = [];
      for (let each = 0; each < 3; each++) answers.push(await place(user.token, bodyOf(role, user, more)));
      return answers.toSorted((a, b) => String(costOf(a)).localeCompare(String(costOf(b))))[0] as HttpAnswer;
    };
    const [plain, invoiced] = [await cheapest({}), await cheapest({ invoicing: INVOICING })];
    expect([plain.body.code, invoiced.body.code]).toEqual(['too_many_orders', 'too_many_orders']);
    const dearer = [plain, invoiced].filter((answer) => costOf(answer) !== costOf(plain) || !costOf(answer));
    prove({
      check: `attack 6: a ${role} above the limit makes refusals read all their orders`,
      tries: 1,
      lost: dearer.length,
      figure: costOf(invoiced) ?? '',
    });
  });

  it('gets the order of an idempotency key again, at the limit too', async () => {
    const user = await addUser(role);
    const headers = { 'Idempotency-Key': `limite-${user.email}` };
    const first = await place(user.token, bodyOf(role, user), headers);
    for (let each = 1; each < ORDERS; each++) await place(user.token, bodyOf(role, user));
    const again = await place(user.token, bodyOf(role, user), headers);
    expect([again.status, again.body.id, again.headers['idempotent-replayed']]).toEqual([201, first.body.id, 'true']);
    const other = { 'Idempotency-Key': `otra-${user.email}` };
    expect((await place(user.token, bodyOf(role, user), other)).body.code).toBe('too_many_orders');
  });

  it('passes the limit at the same moment by no more than what is under way', async () => {
    const user = await addUser(role);
    const atOnce = 8;
    const sent = 3 * ORDERS;
    let placed = 0;
    await manyAtOnce(sent, atOnce, async () => {
      const { status } = await place(user.token, bodyOf(role, user));
      if (status === 201) placed += 1;
    });
    expect(placed).toBeGreaterThanOrEqual(ORDERS);
    prove({
      check: 'attack 6: orders at the same moment, above those under way',
      tries: sent,
      lost: Math.max(0, placed - (ORDERS + atOnce - 1)),
      figure: `${placed} of ${ORDERS} placed`,
    });
  });
});
