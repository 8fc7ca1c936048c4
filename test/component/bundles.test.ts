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
 * These tests run the functions as the stack deploys them: the bundles in bare processes, each with only the environment
 * and the rights that the template gives to its function. A call without its right fails here as it would on AWS.
 */

let server: DeployedStack;
let token: string;

beforeAll(async () => {
  server = await openDeployedStack();
  token = await server.login('aseguradora@demo.example');
  // Building 16 bundles and a template takes 8 s on two idle cores.
}, 180_000);
afterAll(() => server.close());

const ORDERS = '/api/orders/resources/';
const PRESCRIPTION = { document: PDF, issue_date: '2020-02-29' };

async function place(body: object, headers: Record<string, string> = {}) {
  const answer = await server.request('POST', ORDERS, { token, body, headers });
  expect(answer).toMatchObject({ status: 201 });
  return answer;
}
/** Counts the allowed calls of a function to an action, limited to a kind of records if one is given. */
async function countCalls(name: string, action: string, kind = ''): Promise<number> {
  const { allowed } = (await server.deployed(name)).gatekeeper;
  const isMeant = ({ leadingKeys = [] }: AwsCall) => leadingKeys.length === 0 || leadingKeys[0]?.startsWith(kind);
  return allowed.filter((call) => call.action === action && isMeant(call)).length;
}

/** Opens the document of an answer by its link, which has the rights of the function that made it. */
async function openDocument(order: { prescriptions: { document: string }[] }): Promise<void> {
  const { origin, pathname, search } = new URL(order.prescriptions[0]?.document ?? '');
  expect((await sendHttp(origin, pathname + search, { method: 'GET' })).status).toBe(200);
}

/** Sets the faults of the later AWS calls of a function, or none. */
const injectFaults = async (name: string, faults?: Faults) => (await server.deployed(name)).gatekeeper.set(faults);

const isCallTo = ({ action, resource }: AwsCall, wanted: string, part: string) =>
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
  it('accepts a password with an older hash, and hashes it anew', async () => {
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
    expect(await countCalls('token-issue', 'dynamodb:UpdateItem', 'USER#')).toBe(1);
  });

  it('refuses the eleventh wrong password, and logins from an address with too many attempts', async () => {
    const body = { email: 'nadie@demo.example', password: 'no es esta' };
    const statuses: (number | undefined)[] = [];
    for (let tries = 0; tries < 11; tries++) {
      statuses.push((await server.request('POST', '/api/token/', { body })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    await setLocalTries(100);
    const other = { ...body, email: 'otro@demo.example' };
    expect((await server.request('POST', '/api/token/', { body: other })).status).toBe(429);
    await setLocalTries(0);
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
    await openDocument(order);
    await openDocument((await server.request('GET', `/api/orders/${order.id}/`, { token })).body);
  });

  it('are placed for a patient with a new phone', async () => {
    const withPhone = (phone: string) => {
      const body = orderBody('tel@example.mx');
      return { ...body, user: { ...body.user, phone } };
    };
    await place(withPhone('+525555551111'));
    await place(withPhone('+525555552222'));
  });

  it('placed at the same time under one key are one order, with its own documents only', async () => {
    const body = orderBody('prisa@example.mx', { prescriptions: [PRESCRIPTION] });
    const answers = await Promise.all(Array.from({ length: 8 }, () => place(body, { 'Idempotency-Key': 'con-prisa' })));
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(await countCalls('orders-create', 's3:DeleteObject')).toBeGreaterThan(0);
  });

  it('with a coupon that has a limit are placed, and cancelled', async () => {
    const { body: order } = await place(orderBody('cupon@example.mx', { coupon: 'PRIMERAS1000' }));
    expect(order).toMatchObject({ coupon: { code: 'PRIMERAS1000' }, discount: '30.00' });
    const cancelled = await server.request('PATCH', `/api/orders/${order.id}/`, {
      token,
      body: { order_status: 'cancelled' },
    });
    expect(cancelled.status).toBe(200);
  });

  it('are listed by creation, by status, by name, by delivery date and on later pages', async () => {
    for (const query of [
      '?limit=1&page=2',
      '?order_status__in=approved',
      '?payment_status__in=unpaid',
      '?search=paz&ordering=expected_delivery_date',
      '?expected_delivery_date_after=2026-11-22',
    ]) {
      expect((await server.request('GET', `/api/orders/${query}`, { token })).status).toBe(200);
    }
  });

  it('get other products, and are cancelled', async () => {
    const { body: order } = await place(orderBody('cambio@example.mx', { prescriptions: [PRESCRIPTION] }));
    for (const body of [{ details: [{ product: 1, quantity: 3 }] }, { order_status: 'cancelled' }]) {
      const answer = await server.request('PATCH', `/api/orders/${order.id}/`, { token, body });
      expect(answer.status).toBe(200);
      await openDocument(answer.body);
    }
  });
});

describe('invoices', () => {
  it('of a doctor are counted beside the other reads', async () => {
    const doctor = await server.login('doctora@demo.example');
    const placeAs = (body: object) => server.request('POST', ORDERS, { token: doctor, body });
    expect((await placeAs(orderBody('contada@example.mx'))).status).toBe(201);
    const { status, body } = await placeAs(orderBody('contada@example.mx', {}, { invoicing: INVOICING }));
    expect(status).toBe(201);
    expect(body.cfdi).not.toBe('');
    const { body: later } = await placeAs(orderBody('contada@example.mx'));
    const path = `/api/orders/${later.id}/request-invoice/`;
    expect((await server.request('PATCH', path, { token: doctor, body: INVOICING })).status).toBe(200);
  });

  const invoiced = (email: string) => place(orderBody(email, {}, { invoicing: { ...INVOICING, email } }));
  const request = (method: string, id: number, body: object) =>
    server.request(method, `/api/orders/${id}/request-invoice/`, { token, body });

  /** Cancels the latest order at the moment when its invoice is issued. */
  const cancelMeanwhile: Faults = async (call) => {
    if (!isCallTo(call, 's3:PutObject', 'sandbox-invoices')) return undefined;
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
    await openDocument(answer.body);
  });

  it('are recorded when their order is cancelled at the same moment', async () => {
    await injectFaults('orders-create', cancelMeanwhile);
    expect((await invoiced('vuelta@example.mx')).body.order_status).toBe('cancelled');
    await injectFaults('orders-create');
    const { body: order } = await place(orderBody('media@example.mx'));
    await injectFaults('orders-request-invoice', cancelMeanwhile);
    const answer = await request('PATCH', order.id, INVOICING);
    expect(answer.body).toMatchObject({ order_status: 'cancelled' });
    await injectFaults('orders-request-invoice');
  });

  it('are mailed later when SES was down', async () => {
    await injectFaults('orders-create', ({ action }) => (action.startsWith('ses:') ? 'down' : undefined));
    await invoiced('correo@example.mx');
    await injectFaults('orders-create');
    await server.run('jobs-send-mail');
    // SES checks the right for the sender, in its sandbox for the recipient, and for the configuration set.
    expect(await countCalls('jobs-send-mail', 'ses:SendRawEmail')).toBe(3);
  });

  it.each(['down', 'lost reply'] as const)(
    'are settled later when the call to the provider met the fault %s',
    async (fault) => {
      await injectFaults('orders-create', (call) =>
        isCallTo(call, 's3:PutObject', 'sandbox-invoices') ? fault : undefined,
      );
      expect((await invoiced('duda@example.mx')).body.cfdi).toBe('');
      await injectFaults('orders-create');
      await server.run('jobs-settle-invoices');
    },
  );
});

describe('jobs', () => {
  it('remove documents that belong to no order', async () => {
    await injectFaults('orders-create', ({ action }) => (action === 'dynamodb:PutItem' ? 'down' : undefined));
    const body = orderBody('sobra@example.mx', { prescriptions: [PRESCRIPTION] });
    expect((await server.request('POST', ORDERS, { token, body })).status).toBe(503);
    await injectFaults('orders-create');
    await ageDocuments();
    await server.run('jobs-sweep-documents');
    expect(await countCalls('jobs-sweep-documents', 's3:DeleteObjectVersion')).toBe(1);
  });

  it('report no age when no catalog is published', async () => {
    await injectFaults('jobs-watch-catalog', (call) =>
      isCallTo(call, 's3:GetObject', 'current.json') ? 'missing' : undefined,
    );
    await server.run('jobs-watch-catalog');
    await injectFaults('jobs-watch-catalog');
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

describe('all functions', () => {
  it('were called', async () => {
    const names = new Set([...routes, ...jobs].map(({ handler }) => functionName(handler)));
    for (const name of names) expect((await server.deployed(name)).gatekeeper.allowed.length).toBeGreaterThan(0);
  });

  it('used all their rights', async () => {
    expect(await server.unused()).toEqual([]);
  });

  it('were refused no call for a missing right', async () => {
    expect(await server.refused()).toEqual([]);
  });
});

/** Sets the number of logins from this machine within the last minute. */
async function setLocalTries(tries: number): Promise<void> {
  await table().update({
    Key: sourceAttemptsKey('127.0.0.1'),
    UpdateExpression: 'SET tries = :tries, windowEndsAt = :end',
    ExpressionAttributeValues: { ':tries': tries, ':end': Date.now() + 60_000 },
  });
}

/** Makes the documents a day old, so that the sweep sees them: the local S3 uses the times of its files. */
async function ageDocuments(): Promise<void> {
  const local = dirname(inject('serverEnvironment').CATALOG_DIR ?? '');
  const folder = join(local, 's3', process.env.DOCUMENTS_BUCKET ?? '', 'prescriptions');
  const dayAgo = new Date(Date.now() - 24 * 60 * 60_000);
  for (const file of await readdir(folder)) await utimes(join(folder, file), dayAgo, dayAgo);
}
