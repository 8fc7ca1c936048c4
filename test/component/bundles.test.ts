import { argon2Sync, randomBytes } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { jobs } from '../../infra/cloud/functions/jobs.ts';
import { functionName } from '../../infra/function-name.ts';
import { routes } from '../../shared/api/routes.ts';
import { ids, table } from '../../shared/deps.ts';
import { sourceAttemptsKey } from '../../shared/store/keys.ts';
import { createUser } from '../../shared/store/people/users.ts';
import type { AwsCall } from '../support/faults/aws-call.ts';
import { sendHttp } from '../support/http/http.ts';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';
import type { Faults } from '../support/rights/rights-proxy.ts';
import { type DeployedStack, openDeployedStack } from '../support/servers/deployed-stack.ts';

/*
 * The functions as the stack deploys them: the bundles themselves, in bare processes, each with the environment and the
 * rights that the template gives to its function and no others. What a role lacks fails here as it would on AWS.
 */

let server: DeployedStack;
let token: string;

beforeAll(async () => {
  server = await openDeployedStack();
  token = await server.login('aseguradora@demo.example');
  // 16 bundles and a template: 8 s of two cores that do nothing else.
}, 180_000);
afterAll(() => server.close());

const ORDERS = '/api/orders/resources/';
const PRESCRIPTION = { document: PDF, issue_date: '2020-02-29' };

async function place(body: object, headers: Record<string, string> = {}) {
  const answer = await server.request('POST', ORDERS, { token, body, headers });
  expect(answer).toMatchObject({ status: 201 });
  return answer;
}
/** How often a function was let in for an action, on records of a kind if one is given. */
async function callsOf(name: string, action: string, kind = ''): Promise<number> {
  const { allowed } = (await server.deployed(name)).gatekeeper;
  const isMeant = ({ leadingKeys = [] }: AwsCall) => leadingKeys.length === 0 || leadingKeys[0]?.startsWith(kind);
  return allowed.filter((call) => call.action === action && isMeant(call)).length;
}

/** Opens the document of an answer, as whoever got it may for five minutes: by the rights of the function that made the link. */
async function openDocumentOf(order: { prescriptions: { document: string }[] }): Promise<void> {
  const { origin, pathname, search } = new URL(order.prescriptions[0]?.document ?? '');
  expect((await sendHttp(origin, pathname + search, { method: 'GET' })).status).toBe(200);
}

/** What befalls the later calls of a function. */
const befall = async (name: string, faults?: Faults) => (await server.deployed(name)).gatekeeper.set(faults);

const isOf = ({ action, resource }: AwsCall, wanted: string, part: string) =>
  action === wanted && resource.includes(part);

describe('the catalog', () => {
  it.each([
    '/api/products/?search=paracetamol&limit=1',
    '/api/products/1/',
    '/api/categories/',
    '/api/pharmaceutical-companies/',
    '/api/diseases/',
  ])('answers %s', async (path) => {
    expect((await server.request('GET', path)).status).toBe(200);
  });

  it('prices a basket', async () => {
    const body = { details: [{ product: 1, quantity: 2 }], zipcode: '06700' };
    const answer = await server.request('POST', '/api/orders/calculate/', { body });
    expect(answer).toMatchObject({ status: 201, body: { subtotal: '57.00' } });
  });
});

describe('logging in', () => {
  it('takes a password that was hashed less well before, and hashes it anew', async () => {
    const nonce = randomBytes(16);
    const tag = argon2Sync('argon2id', {
      message: 'una clave vieja',
      nonce,
      memory: 8_192,
      passes: 1,
      parallelism: 1,
      tagLength: 32,
    });
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    const passwordHash = `$argon2id$v=19$m=8192,t=1,p=1$${text(nonce)}$${text(tag)}`;
    const person = { role: 'doctor', firstName: 'Ana', lastName: 'Sol', secondLastName: null, phone: '' } as const;
    const user = { ...person, clientId: server.client.id, email: 'vieja@demo.example', passwordHash };
    await createUser(table(), ids(), user, new Date());
    const body = { email: user.email, password: 'una clave vieja' };
    expect((await server.request('POST', '/api/token/', { body })).status).toBe(200);
    expect(await callsOf('token-issue', 'dynamodb:UpdateItem', 'USER#')).toBe(1);
  });

  it('refuses the eleventh wrong password, and what comes from too busy an address', async () => {
    const body = { email: 'nadie@demo.example', password: 'no es esta' };
    const statuses: (number | undefined)[] = [];
    for (let tries = 0; tries < 11; tries++) {
      statuses.push((await server.request('POST', '/api/token/', { body })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    await setTriesFromHere(100);
    const other = { ...body, email: 'otro@demo.example' };
    expect((await server.request('POST', '/api/token/', { body: other })).status).toBe(429);
    await setTriesFromHere(0);
  });
});

describe('orders', () => {
  it('are placed with documents, and again under their key, and their documents can be opened', async () => {
    const body = orderBody('luz@example.mx', { prescriptions: [PRESCRIPTION] });
    const key = { 'Idempotency-Key': 'una-sola-vez' };
    const { body: order } = await place(body, key);
    const again = await place(body, key);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body.id).toBe(order.id);
    await openDocumentOf(order);
    await openDocumentOf((await server.request('GET', `/api/orders/${order.id}/`, { token })).body);
  });

  it('are placed for somebody with another phone than before', async () => {
    const withPhone = (phone: string) => {
      const body = orderBody('tel@example.mx');
      return { ...body, user: { ...body.user, phone } };
    };
    await place(withPhone('+525555551111'));
    await place(withPhone('+525555552222'));
  });

  it('that were placed at the same time under one key are one, with its own documents only', async () => {
    const body = orderBody('prisa@example.mx', { prescriptions: [PRESCRIPTION] });
    const answers = await Promise.all(Array.from({ length: 8 }, () => place(body, { 'Idempotency-Key': 'con-prisa' })));
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(await callsOf('orders-create', 's3:DeleteObject')).toBeGreaterThan(0);
  });

  it('are listed by creation, by status, by name and deep inside', async () => {
    for (const query of [
      '?limit=1&page=2',
      '?order_status__in=approved',
      '?payment_status__in=unpaid',
      '?search=paz&ordering=expected_delivery_date',
    ]) {
      expect((await server.request('GET', `/api/orders/${query}`, { token })).status).toBe(200);
    }
  });

  it('get other products, and are cancelled', async () => {
    const { body: order } = await place(orderBody('cambio@example.mx', { prescriptions: [PRESCRIPTION] }));
    for (const body of [{ details: [{ product: 1, quantity: 3 }] }, { order_status: 'cancelled' }]) {
      const answer = await server.request('PATCH', `/api/orders/${order.id}/`, { token, body });
      expect(answer.status).toBe(200);
      await openDocumentOf(answer.body);
    }
  });
});

describe('invoices', () => {
  const invoiced = (email: string) => place(orderBody(email, {}, { invoicing: INVOICING }));
  const request = (method: string, id: number, body: object) =>
    server.request(method, `/api/orders/${id}/request-invoice/`, { token, body });

  /** Cancels the latest order at the moment at which its invoice is made. */
  const cancelMeanwhile: Faults = async (call) => {
    if (!isOf(call, 's3:PutObject', 'sandbox-invoices')) return undefined;
    const { body } = await server.request('GET', '/api/orders/?limit=1', { token });
    const path = `/api/orders/${body.results[0].id}/`;
    await server.request('PATCH', path, { token, body: { order_status: 'cancelled' } });
    return undefined;
  };

  it('are issued and mailed with the order, and cancelled with it', async () => {
    const { body: order } = await invoiced('factura@example.mx');
    expect(order.cfdi).not.toBe('');
    const body = { order_status: 'cancelled' };
    expect((await server.request('PATCH', `/api/orders/${order.id}/`, { token, body })).status).toBe(200);
    await server.run('jobs-settle-invoices');
  });

  it.each([
    ['PATCH', INVOICING],
    ['PUT', { invoicing: INVOICING }],
  ])('are issued later by %s', async (method, body) => {
    const prescribed = orderBody(`${method}@example.mx`.toLowerCase(), { prescriptions: [PRESCRIPTION] });
    const { body: order } = await place(prescribed);
    const answer = await request(method, order.id, body);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body.cfdi).not.toBe('');
    await openDocumentOf(answer.body);
  });

  it('are recorded though their order is cancelled at that moment', async () => {
    await befall('orders-create', cancelMeanwhile);
    expect((await invoiced('vuelta@example.mx')).body.order_status).toBe('cancelled');
    await befall('orders-create');
    const { body: order } = await place(orderBody('media@example.mx'));
    await befall('orders-request-invoice', cancelMeanwhile);
    const answer = await request('PATCH', order.id, INVOICING);
    expect(answer.body).toMatchObject({ order_status: 'cancelled' });
    await befall('orders-request-invoice');
  });

  it('are mailed later when SES was down', async () => {
    await befall('orders-create', ({ action }) => (action.startsWith('ses:') ? 'down' : undefined));
    await invoiced('correo@example.mx');
    await befall('orders-create');
    await server.run('jobs-send-mail');
    // Of the address, and of the rules for its mail.
    expect(await callsOf('jobs-send-mail', 'ses:SendRawEmail')).toBe(2);
  });

  it.each(['down', 'lost reply'] as const)('are settled later when the provider was met by %s', async (fault) => {
    await befall('orders-create', (call) => (isOf(call, 's3:PutObject', 'sandbox-invoices') ? fault : undefined));
    expect((await invoiced('duda@example.mx')).body.cfdi).toBe('');
    await befall('orders-create');
    await server.run('jobs-settle-invoices');
  });
});

describe('jobs', () => {
  it('sweep what stands in no order', async () => {
    await befall('orders-create', ({ action }) => (action === 'dynamodb:PutItem' ? 'down' : undefined));
    const body = orderBody('sobra@example.mx', { prescriptions: [PRESCRIPTION] });
    expect((await server.request('POST', ORDERS, { token, body })).status).toBe(503);
    await befall('orders-create');
    await ageDocuments();
    await server.run('jobs-sweep-documents');
    expect(await callsOf('jobs-sweep-documents', 's3:DeleteObjectVersion')).toBe(1);
  });

  it('tell of a catalog that is not published by saying nothing of its age', async () => {
    await befall('jobs-watch-catalog', (call) => (isOf(call, 's3:GetObject', 'current.json') ? 'missing' : undefined));
    await server.run('jobs-watch-catalog');
    await befall('jobs-watch-catalog');
    const { log } = (await server.deployed('jobs-watch-catalog')).process;
    expect(log.map((line) => JSON.parse(line).message)).toEqual(['no catalog is published']);
  });

  it.each(jobs.flatMap(({ handler, metrics }) => metrics.map((metric) => [functionName(handler), metric] as const)))(
    '%s reports %s, which has an alarm',
    async (job, metric) => {
      await server.run(job);
      const { log } = (await server.deployed(job)).process;
      const said = log.map((line) => JSON.parse(line)).filter((line) => metric in line);
      expect(said.at(-1)).toMatchObject({ message: 'metrics', [metric]: expect.any(Number) });
    },
  );
});

describe('all of them', () => {
  it('were called', async () => {
    const names = new Set([...routes, ...jobs].map(({ handler }) => functionName(handler)));
    for (const name of names) expect((await server.deployed(name)).gatekeeper.allowed.length).toBeGreaterThan(0);
  });

  it('did all that they may do', async () => {
    expect(await server.unused()).toEqual([]);
  });

  it('asked for nothing that they may not do', async () => {
    expect(await server.refused()).toEqual([]);
  });
});

/** How often somebody on this machine has tried to log in within a minute. */
async function setTriesFromHere(tries: number): Promise<void> {
  await table().update({
    Key: sourceAttemptsKey('127.0.0.1'),
    UpdateExpression: 'SET tries = :tries, windowEndsAt = :end',
    ExpressionAttributeValues: { ':tries': tries, ':end': Date.now() + 60_000 },
  });
}

/** Documents become older than the sweep looks at: the local S3 goes by the times of its files. */
async function ageDocuments(): Promise<void> {
  const local = dirname(inject('serverEnvironment').CATALOG_DIR ?? '');
  const folder = join(local, 's3', process.env.DOCUMENTS_BUCKET ?? '', 'prescriptions');
  const dayAgo = new Date(Date.now() - 24 * 60 * 60_000);
  for (const file of await readdir(folder)) await utimes(join(folder, file), dayAgo, dayAgo);
}
