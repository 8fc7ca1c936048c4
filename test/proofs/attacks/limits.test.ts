import { beforeEach, describe, expect, it } from 'vitest';
import { addGatewayKey, createClient } from '../../../shared/access/clients.ts';
import { ids, table } from '../../../shared/deps.ts';
import { ROLES, type Role } from '../../../shared/people/rules/roles.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';
import { listStoredDocuments } from '../../support/orders/stored-orders.ts';
import { prove, tries } from '../../support/proofs/proof.ts';
import { useServer } from '../../support/servers/test-server.ts';

/* `component/store/orders` counts; here a patient and a doctor meet the limits over HTTP, in every way that passes them. */

const ORDERS = tries(5, 60);
const INVOICES = tries(2, 10);
const START = new Date('2026-11-10T18:00:00.000Z');
const HOUR = 3_600;
const DAY = 24 * HOUR;

// A full run uses the limits of the settings, which are the defaults.
const settings = { USER_ORDERS_PER_HOUR: String(ORDERS), USER_INVOICES_PER_DAY: String(INVOICES) };
const server = useServer({ settings: { ...settings, TOKEN_LIFETIME_SECONDS: '86400' } });
/** Sets the clock to some seconds after the start. */
const at = (seconds: number) => setClock(new Date(START.getTime() + seconds * 1_000));
beforeEach(() => at(0));

type Sender = { readonly email: string; readonly token: string };
let people = 0;
async function addUser(role: Role): Promise<Sender> {
  const email = `usuaria-${people++}@demo.example`;
  await server.addUser(server.client, role, email);
  return { email, token: await server.login(email) };
}

const send = (token: string, body: object, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
  server.request('POST', '/api/orders/resources/', { token, body, headers });
const outcome = ({ status, body, headers }: HttpAnswer) => [status, body.code, headers['retry-after']];
const countOf = async (token: string): Promise<number> =>
  (await server.request('GET', '/api/orders/', { token })).body.count;

describe.each(['patient', 'doctor'] as const)('a %s', (role) => {
  /** Places an order that this user may place: a patient for itself, a doctor for somebody. */
  const place = ({ email, token }: Sender, more: Record<string, unknown> = {}, headers = {}) =>
    send(token, orderBody(role === 'patient' ? email : `de-${email}`, {}, more), headers);

  it('places as many orders in an hour as one user may, and above the limit learns and stores nothing', async () => {
    const user = await addUser(role);
    const key = { 'Idempotency-Key': `limite-${user.email}` };
    const { body: first } = await place(user, {}, key);
    for (let each = 1; each < ORDERS; each++) {
      at(each * 10);
      expect((await place(user)).status).toBe(201);
    }
    at(HOUR - 1);
    const prescriptions = [{ document: PDF, issue_date: '2020-02-29' }];
    const others = ['aseguradora@demo.example', 'nadie@demo.example', user.email];
    const before = await listStoredDocuments();
    const answers = [
      ...(await Promise.all(others.map((email) => send(user.token, orderBody(email, { prescriptions }))))),
      await place(user, { invoicing: INVOICING }),
      await place(user, {}, { 'Idempotency-Key': `otra-${user.email}` }),
    ];
    expect(answers.map(outcome)).toEqual(answers.map(() => [429, 'too_many_orders', '1']));
    expect([await countOf(user.token), await listStoredDocuments()]).toEqual([ORDERS, before]);
    const again = await place(user, {}, key);
    expect([again.status, again.body.id, again.headers['idempotent-replayed']]).toEqual([201, first.id, 'true']);
    at(HOUR);
    expect((await place(user)).status).toBe(201);
    expect(outcome(await place(user))).toEqual([429, 'too_many_orders', '10']);
    prove({ check: `attack 6: a ${role} places more orders than one may`, tries: answers.length + 1 });
  });

  it('asks for as many invoices in a day as one user may, in any way', async () => {
    const user = await addUser(role);
    const orders: number[] = [];
    for (let each = 0; each < INVOICES + 2; each++) {
      at(each * 120);
      orders.push((await place(user)).body.id);
    }
    const ask = (method: string, order: number | undefined, body: object) =>
      server.request(method, `/api/orders/${order}/request-invoice/`, { token: user.token, body });
    // The provider refuses this zip code; asking again for the same order is no other invoice.
    expect((await ask('PATCH', orders[0], { ...INVOICING, zipcode: '00000' })).status).toBe(400);
    for (const order of orders.slice(0, INVOICES)) expect((await ask('PATCH', order, INVOICING)).status).toBe(200);
    const before = await countOf(user.token);
    const answers = [
      await ask('PATCH', orders[INVOICES], INVOICING),
      await ask('PUT', orders[INVOICES], { invoicing: INVOICING }),
      await place(user, { invoicing: INVOICING }),
    ];
    expect(answers.map(outcome)).toEqual(answers.map(() => [429, 'too_many_invoices', String(DAY)]));
    expect(await countOf(user.token)).toBe(before);
    // An order that has its invoice is refused for that, not for the limit.
    expect((await ask('PATCH', orders[0], INVOICING)).body.code).toBe('order_invoiced');
    at((INVOICES + 1) * 120 + DAY);
    const token = await server.login(user.email);
    const path = `/api/orders/${orders[INVOICES]}/request-invoice/`;
    expect((await server.request('PATCH', path, { token, body: INVOICING })).status).toBe(200);
    prove({ check: `attack 6: a ${role} asks for more invoices than one may`, tries: answers.length });
  });
});

describe('a payment method on credit', () => {
  const ON_CREDIT = 2;
  const REFUSED = { order: { payment_method: ['Payment method 2 is credit, which is for employees of the client.'] } };

  it.each([undefined, 'everyone'] as const)(
    'is for employees, and for everyone where the client says so: %s',
    async (credit) => {
      const { id, value: key } = server.keys.create({ name: `Crédito ${credit}`, enabled: true });
      const terms = { name: `Crédito ${credit}`, origin: 'credit', paymentMethods: [1, ON_CREDIT], carrierName: null };
      const client = await createClient(table(), ids(), { ...terms, ...(credit && { credit }) }, new Date());
      await addGatewayKey(table(), client.id, id);
      for (const role of ROLES) {
        await server.addUser(client, role, `${role}@credit.example`);
        const token = await server.login(`${role}@credit.example`, key);
        const body = orderBody('patient@credit.example', { payment_method: ON_CREDIT });
        const headers = { 'Accept-Language': 'en' };
        const answer = await server.request('POST', '/api/orders/resources/', { token, key, body, headers });
        if (credit || role === 'insurance_employee')
          expect([answer.status, answer.body.payment_status]).toEqual([201, 'credit']);
        else expect([answer.status, answer.body]).toEqual([400, REFUSED]);
      }
      prove({ check: 'attack 4: a patient or a doctor buys on credit', tries: ROLES.length });
    },
  );
});
