import { readdirSync, readFileSync } from 'node:fs';
import { readdir, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { JOB_HANDLERS } from '../../infra/jobs.ts';
import { openStream } from '../../infra/local/table-stream.ts';
import { functionName } from '../../infra/stack-names.ts';
import { createPasswordLink } from '../../shared/access/new-password.ts';
import { routes } from '../../shared/api/routes.ts';
import { updateShortages } from '../../shared/catalog/shortages.ts';
import { catalogBucket, ids, table } from '../../shared/deps.ts';
import { toErasureDay, withoutPatient } from '../../shared/erasure/erase-order.ts';
import { readFeed } from '../../shared/events/feed.ts';
import { listUnpublished } from '../../shared/events/publish-events.ts';
import { listDeliveries, replaceQueue } from '../../shared/events/webhooks/deliveries.ts';
import { changeEndpoint, createEndpoint } from '../../shared/events/webhooks/endpoints.ts';
import { createSecret } from '../../shared/events/webhooks/send.ts';
import { replaceOrderWrites } from '../../shared/order/order-writes.ts';
import { nextVersion } from '../../shared/order/orders.ts';
import { movePayment } from '../../shared/payments/move-payment.ts';
import { refundOrder } from '../../shared/payments/refund-order.ts';
import { createUser } from '../../shared/people/users.ts';
import type { MetricName } from '../../shared/runtime/metrics.ts';
import { setStock } from '../../shared/stock/keep-stock.ts';
import { readLevels } from '../../shared/stock/stock.ts';
import { refusedByBusKey, sourceAttemptsKey } from '../../shared/store/keys.ts';
import type { AwsCall } from '../support/faults/aws-call.ts';
import type { Faults } from '../support/faults/fault-proxy.ts';
import { sendHttp } from '../support/http/http.ts';
import { BY_JOB, getStoredOrder } from '../support/orders/forced-order.ts';
import { INVOICING, orderBody, PDF, PNG } from '../support/orders/samples.ts';
import { bundleOnce } from '../support/servers/bundles.ts';
import { type DeployedStack, openDeployedStack } from '../support/servers/deployed-stack.ts';
import { publishEvents } from '../support/webhooks/feed.ts';

/*
 * These tests run the functions as the stack deploys them: the bundles in bare processes, each with only the environment
 * and the rights that the template gives to its function. A call without its right fails here as it would on AWS.
 */

let server: DeployedStack;
let token: string;

beforeAll(async () => {
  server = await openDeployedStack();
  token = await server.login('aseguradora@demo.example');
  await updateShortages(catalogBucket(), (before) => ({ ...before, tracked: [135] }));
  await setStock([{ store: 1, product: 135, quantity: 9 }], { operator: 'ana', now: new Date() }, table());
  // The first file of a run waits for all bundles: 20 s of work.
}, 600_000);
afterAll(() => server.close());

const ORDERS = '/api/orders/resources/';
const PRESCRIPTION = { document: PDF, issue_date: '2020-02-29' };

async function place(body: object, headers: Record<string, string> = {}) {
  const answer = await server.request('POST', ORDERS, { token, body, headers });
  expect(answer).toMatchObject({ status: 201 });
  return answer;
}
/** Returns a time in the local month before this one. */
function lastMonth(): Date {
  const time = new Date();
  time.setUTCDate(1);
  time.setUTCDate(-10);
  return time;
}

/** Counts the allowed calls of a function to an action, limited to a kind of records if one is given. */
async function countCalls(name: string, action: string, kind = ''): Promise<number> {
  const { allowed } = (await server.deployed(name)).gatekeeper;
  const isMeant = ({ leadingKeys = [] }: AwsCall) => leadingKeys.length === 0 || leadingKeys[0]?.startsWith(kind);
  return allowed.filter((call) => call.action === action && isMeant(call)).length;
}

/** Opens the document of an answer by its link, which has the rights of the function that made it. */
const openDocument = (order: { prescriptions: { document: string }[] }): Promise<void> =>
  openLink(order.prescriptions[0]?.document ?? '');

async function openLink(link: string): Promise<void> {
  const { origin, pathname, search } = new URL(link);
  expect((await sendHttp(origin, pathname + search, { method: 'GET' })).status).toBe(200);
}

/** Does something while the AWS calls of a function meet faults. */
async function whileFaulty<Result>(name: string, faults: Faults, work: () => Promise<Result>): Promise<Result> {
  const { gatekeeper } = await server.deployed(name);
  gatekeeper.set(faults);
  return work().finally(() => gatekeeper.set());
}

/** Returns faults of the calls to an action, or to those whose resource has this part. */
const faultOf =
  (fault: 'failure' | 'lost reply' | 'missing', wanted: string, part = ''): Faults =>
  ({ actions }) =>
    actions.some(({ action, resource }) => action.startsWith(wanted) && resource.includes(part)) ? fault : undefined;

const cancel = (id: number) =>
  server.request('PATCH', `/api/orders/${id}/`, { token, body: { order_status: 'cancelled' } });

describe('the catalog', () => {
  it.each([
    '/api/products/?search=paracetamol&limit=1',
    '/api/products/1/',
    '/api/categories/',
    '/api/pharmaceutical-companies/',
    '/api/diseases/',
    '/api/stores/',
    '/api/products/16/substitutes/',
    '/api/products/135/availability/',
    '/api/payment-methods/',
    '/api/me/',
  ])('answers %s', async (path) => {
    expect((await server.request('GET', path, { token })).status).toBe(200);
  });

  it('prices a basket', async () => {
    const body = { details: [{ product: 1, quantity: 2 }], zipcode: '06700' };
    const answer = await server.request('POST', '/api/orders/calculate/', { body });
    expect(answer).toMatchObject({ status: 201, body: { subtotal: '57.00' } });
  });
});

describe('logging in', () => {
  it('accepts a password with an older hash, and hashes it anew', async () => {
    // Of less memory than today's.
    const passwordHash =
      '$argon2id$v=19$m=8192,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$NQJifIzDj5aBZIsWTA7dpIkWpzCRoccKOH70CuM5MRE';
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

describe('accounts', () => {
  it('are changed, exported, and get a password by a mailed link', async () => {
    const email = 'cuenta@demo.example';
    const user = await server.addUser(server.client, 'patient', email);
    await place(orderBody(email, { prescriptions: [PRESCRIPTION] }, { invoicing: INVOICING }));
    await server.run('jobs-run-due-tasks');
    const own = await server.login(email);
    const changes = { last_name: 'Otra', phone: '+525512340001' };
    for (const body of [changes, changes])
      expect(await server.request('PATCH', '/api/me/', { token: own, body })).toMatchObject({ body: changes });
    expect((await server.request('PATCH', '/api/me/', { token: own, body: { phone: '' } })).status).toBe(200);
    const exported = await server.request('GET', '/api/me/export/', { token: own });
    await openDocument(exported.body.orders[0]);
    await openLink(exported.body.orders[0].invoices[0].xml);
    expect((await server.request('POST', '/api/password/', { body: { email } })).status).toBe(202);
    await server.run('jobs-deliver-webhooks');
    expect(await table().all({ pk: 'PASSWORDS#REQUESTED' })).toEqual([]);
    expect(await table().all({ pk: `LINK#${server.client.id}#${user.id}` })).toHaveLength(1);
    const body = { token: await createPasswordLink(user, new Date(), table()), password: 'otra-farmacia-2026' };
    expect((await server.request('PUT', '/api/password/', { body })).status).toBe(204);
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

  it('take the stock of a tracked product, and free it', async () => {
    const levels: unknown[] = [];
    const note = async () => levels.push((await readLevels(table(), 1, [135])).get(135)?.available);
    const details = (quantity: number) => [{ product: 135, quantity }];
    const body = orderBody('existencias@example.mx', { details: details(2), shipping: undefined, store: 1 });
    const { body: order } = await place(body);
    await note();
    await server.request('PATCH', `/api/orders/${order.id}/`, { token, body: { details: details(5) } });
    await note();
    expect((await cancel(order.id)).status).toBe(200);
    await note();
    expect(levels).toEqual([7, 4, 9]);
  });

  it('show their tax documents by links, if they are asked to', async () => {
    const asked = {
      token,
      headers: { 'Idempotency-Key': 'con-factura' },
      body: orderBody('enlaces@example.mx', {}, { invoicing: INVOICING }),
    };
    const placed = () => server.request('POST', `${ORDERS}?include=invoices`, asked);
    const { id } = (await placed()).body;
    await server.run('jobs-run-due-tasks');
    const path = `/api/orders/${id}/?include=invoices`;
    await openLink((await placed()).body.invoices[0].xml);
    await openLink((await server.request('GET', path, { token })).body.invoices[0].pdf);
    const cancelled = await server.request('PATCH', path, { token, body: { order_status: 'cancelled' } });
    await openLink(cancelled.body.invoices[0].pdf);
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

  it('are placed at a held price', async () => {
    const details = [{ product: 1, quantity: 2 }];
    const quoted = await server.request('POST', '/api/orders/calculate/', {
      body: { details, zipcode: '06700', hold: true },
    });
    expect(quoted).toMatchObject({ status: 201, body: { errors: {} } });
    const hold = quoted.body.hold.token;
    const { body: order } = await place(orderBody('apartado@example.mx', { details, hold, expected_total: '136.00' }));
    expect(order.total).toBe(quoted.body.total);
    // A quote asks AWS for the key that seals its hold, and for nothing else but the catalog.
    const { allowed } = (await server.deployed('orders-calculate')).gatekeeper;
    const actions = new Set(allowed.map(({ action }) => action));
    expect([...actions].sort()).toEqual(['s3:GetObject', 'secretsmanager:GetSecretValue']);
  });

  it('get a prescription that was forgotten, once for requests at the same time', async () => {
    const { body: order } = await place(orderBody('olvido@example.mx', { details: [{ product: 4, quantity: 1 }] }));
    const call = { token, body: { prescriptions: [PRESCRIPTION] }, headers: { 'Idempotency-Key': 'olvidada' } };
    const send = () => server.request('POST', `/api/orders/${order.id}/prescriptions/`, call);
    const answers = await Promise.all(Array.from({ length: 8 }, send));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    await openDocument(answers[0]?.body);
    expect(await countCalls('orders-add-prescriptions', 's3:DeleteObject')).toBeGreaterThan(0);
    const more = { token, body: { prescriptions: [{ ...PRESCRIPTION, document: PNG }] } };
    expect((await server.request('POST', `/api/orders/${order.id}/prescriptions/`, more)).status).toBe(201);
  });

  it('with a coupon that has a limit are placed, get other products, and are cancelled', async () => {
    const asked = { coupon: 'PRIMERAS1000', prescriptions: [PRESCRIPTION] };
    const { body: order } = await place(orderBody('cupon@example.mx', asked));
    expect(order).toMatchObject({ coupon: { code: 'PRIMERAS1000' }, discount: '30.00' });
    for (const body of [{ details: [{ product: 1, quantity: 3 }] }, { order_status: 'cancelled' }]) {
      const answer = await server.request('PATCH', `/api/orders/${order.id}/`, { token, body });
      expect(answer.status).toBe(200);
      await openDocument(answer.body);
    }
  });

  it('are listed by creation, by status, by name, by delivery date, by folio, by e-mail and phone, and on later pages', async () => {
    for (const query of [
      '?limit=1&page=2',
      '?order_status__in=approved',
      '?payment_status__in=unpaid',
      '?search=paz&ordering=expected_delivery_date',
      '?expected_delivery_date_after=2026-11-22',
      '?folio=RX-00000001',
      '?email=luz@example.mx&phone=%2B525555551111',
    ]) {
      expect((await server.request('GET', `/api/orders/${query}`, { token })).status).toBe(200);
    }
  });

  it('are not paid online without a payment provider', async () => {
    const { body: order } = await place(orderBody('efectivo@example.mx'));
    const answer = await server.request('POST', `/api/orders/${order.id}/payment/`, { token });
    expect(answer).toMatchObject({ status: 409, body: { code: 'not_payable' } });
  });

  it('list their events', async () => {
    const { body: order } = await place(orderBody('sucesos@example.mx'));
    await cancel(order.id);
    const { body } = await server.request('GET', `/api/orders/${order.id}/events/?cursor=&limit=1`, { token });
    expect(body).toMatchObject({ count: 2, next: expect.stringContaining('cursor=') });
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

  it('to tax data by a wrong id are refused, and after ten of them for being tried', async () => {
    const doctor = await server.login('doctora@demo.example');
    const { body } = await server.request('POST', ORDERS, { token: doctor, body: orderBody('de-adivina@example.mx') });
    const path = `/api/orders/${body.id}/request-invoice/`;
    const ask = async (invoicing: number) =>
      (await server.request('PUT', path, { token: doctor, body: { invoicing } })).status;
    await setLocalTries(100);
    expect(await ask(1)).toBe(429);
    await setLocalTries(0);
    const statuses: (number | undefined)[] = [];
    for (let tries = 0; tries < 11; tries++) statuses.push(await ask(1 + tries));
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
  });

  const invoiced = (email: string) => place(orderBody(email, {}, { invoicing: { ...INVOICING, email } }));
  const request = (method: string, id: number, body: object) =>
    server.request(method, `/api/orders/${id}/request-invoice/`, { token, body });

  const pay = (id: number, paidAt = new Date()) =>
    movePayment({ id, to: 'paid', form: '03', operator: 'ana', now: paidAt }, { table: table() });

  const deliver = async (id: number) => {
    const before = await getStoredOrder(id);
    const after = nextVersion(before, { ...before, orderStatus: 'delivered', receivingDate: before.updatedAt });
    await table().transact(replaceOrderWrites(before, after, BY_JOB));
  };

  /** Does something to the latest order at the moment when its invoice is issued. */
  const meanwhile =
    (act: (id: number) => Promise<unknown>): Faults =>
    async ({ actions: [call] }) => {
      if (call?.action !== 's3:PutObject' || !call.resource.includes('sandbox-invoices')) return undefined;
      const { body } = await server.request('GET', '/api/orders/?limit=1', { token });
      await act(body.results[0].id);
      return undefined;
    };

  it('are issued for orders that are paid before, meanwhile, and while they are settled', async () => {
    const { body: before } = await place(orderBody('pagada@example.mx'));
    await pay(before.id);
    expect((await request('PATCH', before.id, INVOICING)).status).toBe(200);
    const paid = await whileFaulty('orders-create', meanwhile(pay), () => invoiced('mientras@example.mx'));
    expect(paid.body.cfdi).not.toBe('');
    const unread = faultOf('failure', 's3:GetObject', 'sandbox-invoices');
    const { body: later } = await whileFaulty('orders-create', unread, () => invoiced('despues@example.mx'));
    await pay(later.id);
    await server.run('jobs-run-due-tasks');
    expect((await getStoredOrder(later.id)).cfdi).not.toBe('');
  });

  it('are not needed for a paid order that is cancelled; the others are in the global invoice of their month, with credit notes', async () => {
    const { body: cancelled } = await place(orderBody('devuelta@example.mx'));
    await pay(cancelled.id);
    expect((await cancel(cancelled.id)).status).toBe(200);
    // No zip code of Mexico begins with 17, so that its own invoice is refused.
    const receiver = { ...INVOICING, zipcode: '17000' };
    const { body: sold } = await place(orderBody('global@example.mx', {}, { invoicing: receiver }));
    await pay(sold.id, lastMonth());
    const { body: delivered } = await place(orderBody('entregada@example.mx'));
    await pay(delivered.id, lastMonth());
    await deliver(delivered.id);
    await server.run('jobs-issue-globals');
    expect((await getStoredOrder(sold.id)).global).toMatchObject({ part: 1 });
    await refundOrder({ id: sold.id, amountCents: 1_000, form: '03', operator: 'ana', now: new Date() }, table());
    await server.run('jobs-run-due-tasks');
    expect((await getStoredOrder(sold.id)).documents).toMatchObject([
      { kind: 'credit', status: 'issued', amountCents: 1_000 },
    ]);
  });

  it('are issued and mailed with the order, and cancelled with it', async () => {
    const { body: order } = await invoiced('factura@example.mx');
    expect(order.cfdi).not.toBe('');
    expect((await cancel(order.id)).status).toBe(200);
    await server.run('jobs-run-due-tasks');
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
    const created = await whileFaulty('orders-create', meanwhile(cancel), () => invoiced('vuelta@example.mx'));
    expect(created.body.order_status).toBe('cancelled');
    const { body: order } = await place(orderBody('media@example.mx'));
    const ask = () => request('PATCH', order.id, INVOICING);
    const requested = await whileFaulty('orders-request-invoice', meanwhile(cancel), ask);
    expect(requested.body).toMatchObject({ order_status: 'cancelled' });
  });

  it('are mailed later when SES was down', async () => {
    await whileFaulty('orders-create', faultOf('failure', 'ses:'), () => invoiced('correo@example.mx'));
    // Its files cannot be read, so that the job copies them.
    const uncopied = faultOf('failure', 's3:PutObject', '/invoices/');
    await whileFaulty('orders-create', uncopied, () => invoiced('copia@example.mx'));
    const before = await countCalls('jobs-run-due-tasks', 'ses:SendRawEmail');
    await server.run('jobs-run-due-tasks');
    // SES checks the right for the sender, in its sandbox for the recipient, and for the configuration set.
    expect((await countCalls('jobs-run-due-tasks', 'ses:SendRawEmail')) - before).toBe(2 * 3);
  });

  it('change the queue with what their orders wait for', async () => {
    const receiver = { ...INVOICING, zipcode: '17000' };
    const { body: refused } = await place(orderBody('rechazada@example.mx', {}, { invoicing: receiver }));
    expect((await request('PATCH', refused.id, INVOICING)).status).toBe(200);
    const credit = orderBody('credito@example.mx', { payment_method: 2 }, { invoicing: INVOICING });
    await pay((await place(credit)).body.id);
    await server.run('jobs-run-due-tasks');
    await whileFaulty('orders-create', faultOf('failure', 'ses:'), () => invoiced('incierta@example.mx'));
    const mailing = whileFaulty('jobs-run-due-tasks', faultOf('lost reply', 'ses:'), () =>
      server.run('jobs-run-due-tasks'),
    );
    await expect(mailing).rejects.toThrow('1 mails need a person');
  });

  it.each(['failure', 'lost reply'] as const)(
    'are settled later when the call to the provider met the fault %s',
    async (fault) => {
      const faults = faultOf(fault, 's3:PutObject', 'sandbox-invoices');
      const { body } = await whileFaulty('orders-create', faults, () => invoiced('duda@example.mx'));
      expect(body.cfdi).toBe('');
      await server.run('jobs-run-due-tasks');
    },
  );
});

describe('jobs', () => {
  it('remove documents that belong to no order', async () => {
    const body = orderBody('sobra@example.mx', { prescriptions: [PRESCRIPTION] });
    const ask = () => server.request('POST', ORDERS, { token, body });
    expect((await whileFaulty('orders-create', faultOf('failure', 'dynamodb:PutItem'), ask)).status).toBe(503);
    await ageDocuments();
    await server.run('jobs-sweep-documents');
    expect(await countCalls('jobs-sweep-documents', 's3:DeleteObjectVersion')).toBe(1);
  });

  it('remove what was kept of an erased patient', async () => {
    const invoiced = orderBody('borrada@example.mx', { prescriptions: [PRESCRIPTION] }, { invoicing: INVOICING });
    const { body } = await place(invoiced);
    const before = await getStoredOrder(body.id);
    if (!before.invoice) throw new Error('no invoice');
    const delivered = { ...before, orderStatus: 'delivered', receivingDate: '2024-11-23T18:00:00.000Z' } as const;
    const erased = withoutPatient(delivered, toErasureDay(new Date('2025-01-01T18:00:00.000Z'), 'America/Mexico_City'));
    const after = nextVersion(before, { ...erased, invoice: { ...before.invoice, reason: 'said later' } });
    await table().transact(replaceOrderWrites(before, after, BY_JOB));
    await server.run('jobs-erase-retained');
    // The document of the prescription, and the copy of the invoice, which the sandbox has made.
    expect(await countCalls('jobs-erase-retained', 's3:DeleteObjectVersion')).toBe(3);
    expect(await getStoredOrder(body.id)).toMatchObject({ retained: { documents: [] } });
  });

  it('record what GuardDuty found in a document', async () => {
    const details = [{ product: 4, quantity: 1 }];
    const { body } = await place(orderBody('virus@example.mx', { details, prescriptions: [PRESCRIPTION] }));
    const [{ documentKey: objectKey, scan } = {}] = (await getStoredOrder(body.id)).prescriptions;
    expect(scan).toBe('pending');
    const scanResultDetails = { scanResultStatus: 'THREATS_FOUND' };
    const detail = { s3ObjectDetails: { objectKey }, scanResultDetails };
    await server.run('jobs-record-scan', { time: new Date().toISOString(), detail });
    expect(await getStoredOrder(body.id)).toMatchObject({ prescriptions: [{ scan: 'threat' }] });
  });

  it('report no age when no catalog is published', async () => {
    const unpublished = faultOf('missing', 's3:GetObject', 'current.json');
    await whileFaulty('jobs-watch-catalog', unpublished, () => server.run('jobs-watch-catalog'));
    const { log } = (await server.deployed('jobs-watch-catalog')).process;
    expect(log.map((line) => JSON.parse(line).message)).toEqual(['no catalog is published']);
  });

  it('publish the events of orders in the table’s stream, and note a version that cannot be read', async () => {
    const { body: order } = await place(orderBody('contado@example.mx'));
    // The bus did not take this event before.
    const event = { orderId: order.id, version: 1, place: 0 };
    await table().putAll([{ ...refusedByBusKey('2026-01-01T18:00:00.000Z', event), ...event }]);
    const handler = (event: object) => server.run('jobs-publish-events', event) as Promise<DynamoDBBatchResponse>;
    const records: DynamoDBRecord[] = [];
    await publishEvents(openStream(), async (event) => {
      records.push(...event.Records);
      return handler(event);
    });
    const feed = await readFeed(table(), { clientId: server.client.id, after: 0, limit: 1_000 });
    expect(feed.map(({ event }) => event.id)).toContain(`evt_${order.id}_1_0`);
    expect(await countCalls('jobs-publish-events', 'events:PutEvents')).toBeGreaterThan(0);
    let { body } = await server.request('GET', '/api/events/?cursor=&limit=100', { token });
    // The end of the feed is compared with its counter.
    do body = (await server.request('GET', body.next.slice(server.url.length), { token })).body;
    while (body.results.length > 0);
    const [unreadable] = records.filter(({ dynamodb }) => dynamodb?.Keys?.pk?.S === `ORDER#${order.id}`);
    const dynamodb = { ...unreadable?.dynamodb, NewImage: { version: { S: 'first' } } };
    expect(await handler({ Records: [{ ...unreadable, dynamodb }] })).toEqual({ batchItemFailures: [] });
    expect(await listUnpublished(table())).toMatchObject([{ orderId: order.id }]);
    const { log } = (await server.deployed('jobs-publish-events')).process;
    expect(log.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ message: 'metrics', eventsUnpublished: 1 }),
    );
  });

  it('send webhooks to public addresses only, and mail the owners of disabled ones', async () => {
    const clientId = server.client.id;
    const terms = { clientId, eventTypes: null, description: '', ownerEmail: 'dev@example.mx', secret: createSecret() };
    const url = 'https://localhost/';
    const [endpoint, gone] = [
      await createEndpoint(table(), ids(), { ...terms, url }, new Date()),
      await createEndpoint(table(), ids(), { ...terms, url }, new Date()),
    ];
    await changeEndpoint(table(), gone, { disabled: { by: 'gone', at: new Date().toISOString() }, isNoticeDue: true });
    const { body: order } = await place(orderBody('avisado@example.mx'));
    // Its event is no longer kept, so that the job removes the queue.
    const dueAt = '2026-01-01T18:00:00.000Z';
    await replaceQueue(table(), endpoint.id, undefined, { orderId: 999_999, sequences: [999_999], tries: 1, dueAt });
    await changeEndpoint(table(), endpoint, { dueAt });
    await publishEvents(
      openStream(),
      (event) => server.run('jobs-publish-events', event) as Promise<DynamoDBBatchResponse>,
    );
    const sent = await countCalls('jobs-deliver-webhooks', 'ses:SendRawEmail');
    await server.run('jobs-deliver-webhooks');
    expect((await countCalls('jobs-deliver-webhooks', 'ses:SendRawEmail')) - sent).toBe(3);
    expect(await listDeliveries(table(), endpoint.id, { limit: 1 })).toMatchObject([
      { orderId: order.id, status: 'retrying', answerStatus: null, answerCode: 'address_not_public' },
    ]);
  });

  it.each<[job: string, ...metrics: MetricName[]]>([
    ['jobs-watch-catalog', 'catalogAgeHours'],
    ['jobs-issue-globals', 'globalInvoicesLate'],
    ['jobs-deliver-webhooks', 'webhooksDisabled', 'webhooksGivenUp', 'webhookBacklogMinutes'],
    [
      'jobs-run-due-tasks',
      ...(['unsettledInvoices', 'notIssued', 'totalDiffers', 'pueUnpaid'] as const),
      ...(['complementDue', 'cancellationRejected', 'unsentMail'] as const),
    ],
  ])('%s reports the metrics that have alarms', async (job, ...metrics) => {
    await server.run(job);
    const { log } = (await server.deployed(job)).process;
    const lines = log.map((line) => JSON.parse(line)).filter(({ message }) => message === 'metrics');
    for (const metric of metrics)
      expect(lines.findLast((line) => metric in line)?.[metric], metric).toEqual(expect.any(Number));
  });
});

describe('all functions', () => {
  it('were called', async () => {
    const names = new Set([...routes.map(({ handler }) => handler), ...JOB_HANDLERS].map(functionName));
    for (const name of names) expect((await server.deployed(name)).gatekeeper.allowed.length).toBeGreaterThan(0);
  });

  it('have none of the requests by which the local server plays the pharmacy', async () => {
    const handlers = [...routes.map(({ handler }) => handler), ...JOB_HANDLERS];
    for (const [handler, file] of await bundleOnce([...new Set(handlers)])) {
      const folder = dirname(file);
      const code = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
      expect([handler, code.some((text) => text.includes('/sandbox/'))]).toEqual([handler, false]);
    }
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
  const folder = join(inject('engineFolder'), 's3', process.env.DOCUMENTS_BUCKET ?? '', 'prescriptions');
  const dayAgo = new Date(Date.now() - 24 * 60 * 60_000);
  for (const file of await readdir(folder)) await utimes(join(folder, file), dayAgo, dayAgo);
}
