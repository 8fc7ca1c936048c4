import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { maintainStreamRecords, startDynamoDb } from '../../../infra/local/engines/dynamodb.ts';
import type { Calling } from '../../../infra/local/payments/payment-page.ts';
import { SandboxPayments } from '../../../infra/local/payments/sandbox/sandbox.ts';
import {
  createStores,
  createTable,
  DEMO_API_KEY,
  publishDemoCatalog,
  registerDemoClient,
} from '../../../infra/local/seed.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { freePorts } from '../../support/engines/ports.ts';
import { type HttpAnswer, sendHttp } from '../../support/http/http.ts';
import { loopback } from '../../support/http/loopback.ts';
import { INVOICING, PDF } from '../../support/orders/samples.ts';
import { inTime, newAttempt } from '../../support/payments/payment-suite.ts';
import { openTestGateway } from '../../support/servers/test-gateway.ts';
import { useServer } from '../../support/servers/test-server.ts';

// The local server: what it is seeded with, the triggers by which a developer moves its orders, its payment page, and the
// records of its streams.

const PATIENT = 'paciente@demo.example';
const server = useServer();

const pull = (trigger: string, body?: object, key = DEMO_API_KEY): Promise<HttpAnswer> =>
  sendHttp(server.url, `/sandbox/${trigger}`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Accept-Language': 'en' },
    body,
  });

const place = async (order: object = {}, more: Record<string, unknown> = {}): Promise<number> =>
  (await server.placeOrder(PATIENT, { details: [{ product: 1, quantity: 1 }], ...order }, more)).id;
const read = async (id: number) => (await server.asEmployee('GET', `/api/orders/${id}/`)).body;

const WITH_PRESCRIPTION = {
  details: [{ product: 4, quantity: 1 }],
  prescriptions: [{ document: PDF, issue_date: '2026-01-19' }],
};

describe('the seed', () => {
  it('is a client that is an insurance carrier, and its images, which a second seeding does not change', async () => {
    expect(server.client).toMatchObject({
      ...{ name: 'Farmacia Demo', origin: 'demo', paymentMethods: [1, 2, 3, 4, 5] },
      carrier: { name: 'Seguros Demo' },
    });
    const load = (key: string) =>
      fetch(new URL(`/images/${key}`, server.url), { headers: { Origin: 'http://localhost:5173' } });
    const image = await load('fdff9d103db6764c3de276113637e4af.png');
    expect([image.status, image.headers.get('content-type'), (await image.bytes()).length]).toEqual([
      200,
      'image/png',
      315,
    ]);
    expect((await load('fdff9d103db6764c3de276113637e4ae.png')).status).toBe(404);
    const keys = server.keys.list();
    await createStores('plain');
    await publishDemoCatalog();
    expect(await registerDemoClient(server.keys)).toMatchObject(server.client);
    expect(server.keys.list()).toEqual(keys);
  });
});

describe('a trigger of the sandbox', () => {
  it('approves, pays, ships and delivers an order', async () => {
    const id = await place(WITH_PRESCRIPTION);
    expect((await read(id)).order_status).toBe('pending_approval');
    const approved = { id, order_status: 'approved', payment_status: 'unpaid' };
    expect(await pull(`orders/${id}/approve`)).toMatchObject({ status: 200, body: approved });
    expect((await pull(`orders/${id}/pay`, { form: '03' })).body.payment_status).toBe('paid');
    const shipment = { carrier: 'Correos', tracking: 'RR123456789MX' };
    expect((await pull(`orders/${id}/ship`, shipment)).body.order_status).toBe('shipped');
    expect((await pull(`orders/${id}/deliver`)).body.order_status).toBe('delivered');
  });

  it('takes the invoicing sandbox down and up again', async () => {
    expect(await pull('sat/down')).toMatchObject({ status: 200, body: { sat: 'down' } });
    const id = await place({}, { invoicing: INVOICING });
    expect((await read(id)).cfdi).toBe('');
    const asked = () => server.asEmployee('PUT', `/api/orders/${id}/request-invoice/`, { invoicing: INVOICING });
    expect((await asked()).status).toBe(503);
    expect(await pull('sat/up')).toMatchObject({ status: 200, body: { sat: 'up' } });
    expect(await asked()).toMatchObject({ status: 200, body: { cfdi: expect.stringMatching(/^\w{10,}/) } });
  });

  it('needs the key of the client of the order, which a page of another site cannot send', async () => {
    const id = await place();
    const { key } = await server.addClient('Otra');
    expect(await pull(`orders/${id}/pay`, {}, key)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await pull(`orders/${id}/pay`, {}, 'no-such-key')).toMatchObject({ status: 403 });
    const bare = await sendHttp(server.url, `/sandbox/orders/${id}/pay`, { method: 'POST' });
    expect(bare).toMatchObject({ status: 403, body: { code: 'client_unknown' } });
    expect((await read(id)).payment_status).toBe('unpaid');
  });

  it.each(['orders/1/destroy', 'orders/x/pay', 'orders/999999/pay', 'sat/sideways'])(
    'does not exist as %s',
    async (trigger) => {
      expect((await pull(trigger)).status).toBe(404);
    },
  );

  it('names a field that it does not take', async () => {
    const id = await place();
    expect(await pull(`orders/${id}/pay`, { form: 'cash' })).toMatchObject({
      status: 400,
      body: { form: [expect.any(String)] },
    });
  });
});

let sandbox: SandboxPayments;
beforeAll(() => {
  sandbox = new SandboxPayments({ table: openTable(), pageUrl: '', now });
});

type Heard = { readonly line: string; readonly orderId: number };

/** Opens the local gateway, with a server in place of the provider's route. */
async function openPages(calling: Calling = 'at once') {
  const heard: Heard[] = [];
  const route = await loopback(async (request, response) => {
    const call = { body: await buffer(request), signature: String(request.headers['stripe-signature']) };
    const said = await sandbox.readCall(call);
    heard.push({ line: `${request.method} ${request.url}`, orderId: said?.orderId ?? 0 });
    response.end();
  });
  const gateway = await openTestGateway({ paymentCalls: calling });
  onTestFinished(async () => {
    await gateway.close();
    await route.close();
  });
  const visit = (method: string, id: string, body?: string, more: Record<string, string> = {}) => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    // The provider's call goes to the host that the page was asked from.
    const headers = { Host: new URL(route.url).host, ...(body && form), ...more };
    return sendHttp(gateway.url, `/sandbox-payments/${id}`, { method, headers, body });
  };
  return { heard, visit, reports: gateway.reports };
}

const request = async () => {
  const term = { createdAt: now().toISOString(), expiresAt: '2099-01-01T00:00:00.000Z' };
  const attempt = newAttempt('card', term);
  return { orderId: attempt.orderId, id: (await sandbox.request(attempt, inTime())).id };
};
const statusOf = async (id: string) => (await sandbox.look(id, inTime())).state.status;

// `browser/local-pages` has what it shows.
describe('the page of a payment on the local server', () => {
  it.each([
    ['paid', 'paid'],
    ['rejected', 'failed'],
    ['expired', 'expired'],
  ])('does what the outcome %s says, and calls as the provider', async (outcome, status) => {
    const { visit, heard } = await openPages();
    const { id, orderId } = await request();
    const posted = await visit('POST', id, `outcome=${outcome}`);
    expect([posted.status, posted.headers.location]).toEqual([303, `/sandbox-payments/${id}`]);
    expect(await statusOf(id)).toBe(status);
    expect(heard).toEqual([{ line: 'POST /v2/api/payments/stripe/', orderId }]);
  });

  it('leaves a payment as it is after another outcome, a page of another site, or another payment', async () => {
    const { visit, heard } = await openPages();
    const { id } = await request();
    expect((await visit('POST', id, 'outcome=given')).status).toBe(400);
    expect((await visit('POST', id)).status).toBe(400);
    expect((await visit('POST', id, 'outcome=paid', { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await visit('POST', 'sandbox-1-999', 'outcome=paid')).status).toBe(404);
    expect((await visit('GET', '')).status).toBe(404);
    expect(heard).toEqual([]);
    expect(await statusOf(id)).toBe('open');
  });

  it('calls twice, or late and after the next, when it is asked to', async () => {
    const twice = await openPages('twice');
    const first = await request();
    await twice.visit('POST', first.id, 'outcome=paid');
    expect(twice.heard.map(({ orderId }) => orderId)).toEqual([first.orderId, first.orderId]);

    const late = await openPages('late');
    const [second, third] = [await request(), await request()];
    await late.visit('POST', second.id, 'outcome=paid');
    expect(late.heard).toEqual([]);
    await late.visit('POST', third.id, 'outcome=rejected');
    expect(late.heard.map(({ orderId }) => orderId)).toEqual([third.orderId, second.orderId]);
  });

  it('keeps the outcome when the call cannot be made', async () => {
    const { visit, reports } = await openPages();
    const { id } = await request();
    const closed = await loopback(() => undefined);
    await closed.close();
    expect((await visit('POST', id, 'outcome=paid', { Host: new URL(closed.url).host })).status).toBe(303);
    expect(await statusOf(id)).toBe('paid');
    expect(reports).toEqual([expect.stringContaining('call failed')]);
  });
});

// The statement with which Dynoxide 1.2.1 numbers a new record.
const NEXT_NUMBER =
  'SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = ?';

it('the records of a stream are found by their number, and those of yesterday go but for the last', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'records-'));
  const { DYNAMODB_PORT } = await freePorts();
  const engine = await startDynamoDb(directory, Number(DYNAMODB_PORT));
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', engine.url);
  const client = new DynamoDBClient();
  const database = new DatabaseSync(join(directory, 'dynoxide.db'));
  const put = (sk: string) =>
    client.send(new PutItemCommand({ TableName: 'streamed', Item: { pk: { S: 'ORDER#1' }, sk: { S: sk } } }));
  const numbers = () =>
    database
      .prepare('SELECT sequence_number FROM _stream_records ORDER BY id')
      .all()
      .map((row) => row.sequence_number);
  try {
    await createTable('streamed', 'streamed');
    for (const sk of ['a', 'b', 'c']) await put(sk);
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${NEXT_NUMBER}`).all('streamed');
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH _stream_records USING COVERING INDEX _stream_records_by_number (table_name=?)',
    ]);
    expect(numbers()).toEqual(['1', '2', '3']);
    const hours = (count: number) => new Date(Date.now() + count * 3_600_000);
    maintainStreamRecords(join(directory, 'dynoxide.db'), hours(23));
    expect(numbers()).toEqual(['1', '2', '3']);
    maintainStreamRecords(join(directory, 'dynoxide.db'), hours(25));
    expect(numbers()).toEqual(['3']);
    await put('d');
    expect(numbers()).toEqual(['3', '4']);
  } finally {
    database.close();
    client.destroy();
    await engine.stop();
    await rm(directory, { recursive: true });
  }
});
