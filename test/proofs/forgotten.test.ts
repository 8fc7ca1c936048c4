import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Order } from '../../shared/api/orders/orders.ts';
import { ids, table } from '../../shared/deps.ts';
import { createUser } from '../../shared/people/users.ts';
import type { Faults } from '../support/faults/fault-proxy.ts';
import { getStoredOrder } from '../support/orders/forced-order.ts';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';
import { ordersOf, storedDocuments } from '../support/servers/crash-server.ts';
import { useServer } from '../support/servers/test-server.ts';

/*
 * A transaction succeeds but its reply is lost, and DynamoDB has forgotten its token when it is sent again. So DynamoDB
 * treats it as a new transaction, whose conditions fail on the data of the first one.
 */

const server = useServer({ faults: true });
let token: string;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
});
afterEach(() => server.faults.set());

const place = (body: object, headers: Record<string, string> = {}) =>
  server.request('POST', '/api/orders/resources/', { token, body, headers });
const change = (id: number, body: object) => server.request('PATCH', `/api/orders/${id}/`, { token, body });
const countOrdersInTable = async () => (await ordersOf(server.client.id, 'client')).ids.length;

async function placeOrder(email: string): Promise<Order> {
  const { status, body } = await place(orderBody(email));
  expect(status).toBe(201);
  return body;
}

/** Lets the first sending of every transaction succeed and be forgotten. */
function forgetFirstSendings(): Faults {
  const known = new Set<string>();
  return ({ operation, token: sent }) => {
    if (operation !== 'TransactWriteItems' || sent === undefined || known.has(sent)) return undefined;
    known.add(sent);
    return 'forgotten';
  };
}

describe('a transaction that succeeds and is forgotten', () => {
  it('makes one order for a known patient without a key', async () => {
    await placeOrder('conocida@example.mx');
    const before = await countOrdersInTable();
    server.faults.set(forgetFirstSendings());
    const { status } = await place(orderBody('conocida@example.mx'));
    expect({ status, ...server.faults.faults() }).toEqual({ status: 201, forgotten: 1 });
    server.faults.set();
    expect(await countOrdersInTable()).toBe(before + 1);
  });

  it('makes one order for a new patient with a key, and keeps its documents', async () => {
    const before = await countOrdersInTable();
    server.faults.set(forgetFirstSendings());
    const prescriptions = [{ document: PDF, issue_date: '2020-02-29' }];
    const body = orderBody('nueva@example.mx', { prescriptions });
    const answer = await place(body, { 'Idempotency-Key': 'key-forgotten' });
    server.faults.set();
    expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect(await countOrdersInTable()).toBe(before + 1);
    const order = await getStoredOrder(answer.body.id);
    expect(await storedDocuments()).toEqual(order.prescriptions.map(({ documentKey }) => documentKey));
    expect((await place(body, { 'Idempotency-Key': 'key-forgotten' })).body.id).toBe(answer.body.id);
  });

  it.each([
    ['other products', { details: [{ product: 1, quantity: 5 }] }],
    ['a cancellation', { order_status: 'cancelled' }],
  ])('brings an order %s once, and says so', async (_, body) => {
    const { id } = await placeOrder('cambiada@example.mx');
    server.faults.set(forgetFirstSendings());
    const answer = await change(id, body);
    server.faults.set();
    expect(answer.status).toBe(200);
    expect((await getStoredOrder(id)).version).toBe(2);
  });

  it('requests one invoice and mails it once', async () => {
    const { id } = await placeOrder('facturada@example.mx');
    server.faults.set(forgetFirstSendings());
    const answer = await server.request('PATCH', `/api/orders/${id}/request-invoice/`, { token, body: INVOICING });
    // Three transactions store the request, the issued invoice and the sent mail.
    expect({ status: answer.status, ...server.faults.faults() }).toEqual({ status: 200, forgotten: 3 });
    server.faults.set();
    const order = await getStoredOrder(id);
    expect([order.cfdi, order.invoice?.mail, order.version]).toEqual([answer.body.cfdi, 'sent', 4]);
  });

  it('registers a user without reporting the e-mail as taken', async () => {
    server.faults.set(forgetFirstSendings());
    const person = { role: 'doctor', firstName: 'Ana', lastName: 'Sol', secondLastName: null, phone: '' } as const;
    const asked = { ...person, clientId: server.client.id, email: 'registrada@demo.example', passwordHash: null };
    expect(await createUser(table(), ids(), asked, new Date())).toMatchObject({ email: 'registrada@demo.example' });
    expect(server.faults.faults()).toEqual({ forgotten: 1 });
    server.faults.set();
    await expect(createUser(table(), ids(), asked, new Date())).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
