import { DeleteTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { handler as deliver } from '../../functions/jobs/deliver-webhooks.ts';
import { handler as runDueTasks } from '../../functions/jobs/run-due-tasks.ts';
import { lambdaContext } from '../../infra/local/gateway/event.ts';
import { openStream } from '../../infra/local/table-stream.ts';
import { ids, table } from '../../shared/deps.ts';
import { readFeed } from '../../shared/events/feed.ts';
import { createEndpoint } from '../../shared/events/webhooks/endpoints.ts';
import { createSecret } from '../../shared/events/webhooks/send.ts';
import { now, setClock } from '../../shared/runtime/clock.ts';
import { documentsConfig, tableConfig } from '../../shared/runtime/config.ts';
import { logError } from '../../shared/runtime/log.ts';
import { openFacturapi } from '../support/engines/facturapi-server.ts';
import { type FaultProxy, openFaultProxy } from '../support/faults/fault-proxy.ts';
import type { Answer } from '../support/faults/service-answers.ts';
import { INVOICING, leaksIn, line, ORDER, PERSON, prescription, ZIP_CODES } from '../support/hostile/planted.ts';
import type { Call, HttpAnswer } from '../support/http/http.ts';
import { captureOutput } from '../support/operators/output.ts';
import { prove } from '../support/proofs/proof.ts';
import { useServer } from '../support/servers/test-server.ts';
import { publishEvents } from '../support/webhooks/feed.ts';
import { openReceiver } from '../support/webhooks/receiver.ts';

const EMPLOYEE = 'aseguradora@demo.example';
const QUOTE = { details: [line(), line()], zipcode: '06711', coupon: 'PLANTACUPON', comments: 'Plantacomentario' };
const PASSWORD = 'Plantaclave-1971';

const SERVICES = ['dynamodb', 's3', 'ses', 'facturapi'] as const;
type Service = (typeof SERVICES)[number];

const escapeXml = (text: string): string => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const answered = (status: number, type: string, body: string | object): Answer => ({
  status,
  type,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const inXml = (code: string, quoted: string) =>
  `<Error><Code>${code}</Code><Message>${escapeXml(quoted)}</Message></Error>`;
/** The error answers of the services, which quote the request body. */
const COMPLAINTS: Readonly<Record<Service, (quoted: string) => Answer>> = {
  dynamodb: (message) =>
    answered(400, 'application/x-amz-json-1.0', { __type: 'com.amazon.coral.validate#ValidationException', message }),
  s3: (quoted) => answered(403, 'application/xml', inXml('AccessDenied', quoted)),
  ses: (quoted) => answered(400, 'text/xml', `<ErrorResponse>${inXml('MessageRejected', quoted)}</ErrorResponse>`),
  facturapi: (message) =>
    answered(400, 'application/json', { ok: false, status: 400, code: 'invalid', message, errors: [{ message }] }),
};

const engines = inject('serverEnvironment');
const facturapi = await openFacturapi();
const proxies: Record<Service, FaultProxy> = {
  dynamodb: await openFaultProxy(engines.AWS_ENDPOINT_URL_DYNAMODB ?? ''),
  s3: await openFaultProxy(engines.AWS_ENDPOINT_URL_S3 ?? ''),
  ses: await openFaultProxy(engines.AWS_ENDPOINT_URL_SES ?? ''),
  facturapi: await openFaultProxy(facturapi.url),
};
afterAll(() => Promise.all([...Object.values(proxies), facturapi].map((each) => each.close())));
const written = captureOutput();
const server = useServer({
  table: 'streamed',
  settings: {
    AWS_ENDPOINT_URL_DYNAMODB: proxies.dynamodb.url,
    AWS_ENDPOINT_URL_S3: proxies.s3.url,
    AWS_ENDPOINT_URL_SES: proxies.ses.url,
    INVOICING_PROVIDER: 'facturapi',
    FACTURAPI_KEY: facturapi.key,
    FACTURAPI_URL: `${proxies.facturapi.url}/v2`,
    POWERTOOLS_LOG_LEVEL: 'DEBUG',
    POWERTOOLS_LOGGER_LOG_EVENT: 'true',
  },
});
let token: string;
const answers: HttpAnswer[] = [];
beforeAll(async () => {
  token = await server.login(EMPLOYEE);
});
afterAll(() => void vi.restoreAllMocks());

afterEach(() => {
  setClock();
  for (const proxy of Object.values(proxies)) proxy.set();
  const log = written.join('');
  expect(leaksIn(log)).toEqual([]);
  expect(log).not.toMatch(ZIP_CODES);
  expect(log).not.toContain(token);
  for (const { status, headers, body } of answers.splice(0)) {
    const shown = JSON.stringify([status >= 400 ? body : null, headers]);
    expect(leaksIn(shown), shown).toEqual([]);
    // The log names the request by the id that its caller received.
    expect(log).toContain(`"requestId":"${headers['x-request-id']}"`);
  }
  written.length = 0;
});

/** Sends one request and expects this status. */
async function send(status: number, method: string, path: string, call: Call): Promise<HttpAnswer> {
  const answer = await server.request(method, path, call);
  expect([path, answer.status, JSON.stringify(answer.body).slice(0, 300)]).toEqual([path, status, expect.any(String)]);
  answers.push(answer);
  return answer;
}

/** Returns the log lines of the requests of this test. */
const requestLines = () => written.flatMap((line) => (line.includes('"message":"request"') ? [JSON.parse(line)] : []));

const login = (status: number, body: Call['body'], headers: Record<string, string> = {}) =>
  send(status, 'POST', '/api/token/', { body, headers });
const quote = (status: number, body: Call['body'], headers: Record<string, string> = {}) =>
  send(status, 'POST', '/api/orders/calculate/', { body, headers });
const place = (status: number, body: Call['body'], call: Call = {}) =>
  send(status, 'POST', '/api/orders/resources/', { token, ...call, body });

describe('personal data stays out of logs and refusals', () => {
  it('when every request succeeds', async () => {
    const { body } = await place(201, ORDER);
    await send(200, 'GET', `/api/orders/${body.id}/`, { token });
    const known = { clientId: server.client.id, userId: expect.any(Number), role: 'insurance_employee' };
    expect(requestLines()).toMatchObject([201, 200].map((status) => ({ ...known, orderId: body.id, status })));
    const wanted = new URLSearchParams({ email: PERSON.email, phone: PERSON.phone });
    expect((await send(200, 'GET', `/api/orders/?${wanted}`, { token })).body.count).toBe(1);
    await send(400, 'GET', `/api/orders/?email=${PERSON.email}@&phone=${PERSON.phone}00000000`, { token });
    await quote(201, QUOTE);
    await send(200, 'GET', '/api/products/?search=Plantanombre', {});
    await send(200, 'GET', '/api/diseases/?search=Plantadiagn%C3%B3stico&Plantacampo=Plantavalor', {});
  });

  it('when a login succeeds or fails', async () => {
    await server.addUser(server.client, 'doctor', 'planta.doctora@plantada.example');
    const email = 'planta.doctora@plantada.example';
    await login(200, { email, password: 'farmacia-demo-2026' });
    for (const body of [
      { email, password: PASSWORD },
      { email: PERSON.email, password: PASSWORD },
    ]) {
      await login(401, body, { Cookie: '__Host-access=Plantacookie', 'User-Agent': 'Plantaagente' });
    }
    await login(400, { email: { Plantacampo: email }, password: [PASSWORD] });
    await login(400, { email: 'Planta'.repeat(50), password: 'Plantaclave'.repeat(20) });
    await login(400, `{"email":"${email}","password":"${PASSWORD}`);
    await login(415, `email=${email}&password=${PASSWORD}`, { 'Content-Type': 'application/x-www-form-urlencoded' });
  });

  it('when an order is placed again, changed and cancelled', async () => {
    const headers = { 'Idempotency-Key': 'Plantaidempotencia-1' };
    const { body } = await place(201, ORDER, { headers });
    expect((await place(201, ORDER, { headers })).headers['idempotent-replayed']).toBe('true');
    await place(422, { ...ORDER, invoicing: undefined }, { headers });
    await place(400, ORDER, { headers: { 'Idempotency-Key': 'Planta idempotencia' } });
    const change = (status: number, more: object, id = body.id) =>
      send(status, 'PATCH', `/api/orders/${id}/`, { token, body: more });
    await change(409, { details: [line()], user: PERSON });
    const { body: uninvoiced } = await place(201, { ...ORDER, invoicing: undefined });
    await change(200, { details: [line()], user: PERSON }, uninvoiced.id);
    await change(400, { details: [{ product: 'Plantaproducto', quantity: PERSON }], order_status: 'Plantaestado' });
    await change(400, { Plantacampo: 'Plantavalor' });
    await change(200, { order_status: 'cancelled', comments: 'Plantacomentario' });
    await change(409, { details: [line()], user: PERSON });
  });

  it('when an invoice is requested, refused, settled and mailed', async () => {
    const { body } = await place(201, { ...ORDER, invoicing: undefined });
    const path = `/api/orders/${body.id}/request-invoice/`;
    const ask = (status: number, method: string, sent: object) => send(status, method, path, { token, body: sent });
    for (const field of Object.keys(INVOICING))
      await ask(400, 'PATCH', { ...INVOICING, [field]: { Plantacampo: PERSON.email } });
    await ask(400, 'PUT', { invoicing: 'Plantarecord' });
    await ask(400, 'PUT', { invoicing: 99_999_999 });
    // The invoicing provider refuses this zip code.
    await ask(400, 'PATCH', { ...INVOICING, zipcode: '00000' });
    await ask(200, 'PATCH', INVOICING);
    await ask(409, 'PUT', { invoicing: INVOICING });
    await runDueTasks();
  });

  it('when the events of orders are published, read and sent', async () => {
    const receiver = await openReceiver();
    const terms = { eventTypes: null, ownerEmail: 'dev@example.mx', secret: createSecret() };
    const endpoint = { ...terms, clientId: server.client.id, url: receiver.url };
    const { clientId } = await createEndpoint(table(), ids(), endpoint, new Date());
    const { body: order } = await place(201, ORDER);
    await publishEvents(openStream());
    await deliver({}, lambdaContext('jobs-deliver-webhooks', 'delivery', 60_000));
    await receiver.close();
    const list = await send(200, 'GET', `/api/orders/${order.id}/events/`, { token });
    const feed = await send(200, 'GET', '/api/events/?cursor=&limit=100', { token });
    const rows = await readFeed(table(), { clientId, after: 0, limit: 100 });
    const arrived = receiver.arrivals.map(({ body, headers }) => ({ body, headers }));
    for (const text of [list.body, feed.body, rows, arrived].map((one) => JSON.stringify(one))) {
      expect(text).toContain(`evt_${order.id}_1_0`);
      expect(leaksIn(text)).toEqual([]);
      expect(text).not.toMatch(ZIP_CODES);
    }
    expect(written.join('')).toContain('"message":"events published"');
  });

  it('when a business rule refuses the request', async () => {
    const shortage = { ...ORDER.order, details: [{ product: 16, quantity: 1 }] };
    await place(400, { ...ORDER, order: shortage });
    const bad = { ...prescription(), document: 'Plantadocumento' };
    await place(400, { ...ORDER, order: { ...ORDER.order, prescriptions: [bad] } });
    await place(400, { ...ORDER, user: { ...PERSON, email: EMPLOYEE, birthdate: 'Plantafecha', first_name: '' } });
    expect(requestLines().at(-1)).toMatchObject({ codes: expect.arrayContaining(['blank', 'not_a_date']) });
    await place(400, { ...ORDER, user: { ...PERSON, phone: '+5255 planta' } });
    // The first body has another user's e-mail, the second the person's own phone with another e-mail.
    await place(400, { ...ORDER, user: { ...PERSON, email: EMPLOYEE } });
    await place(400, { ...ORDER, user: { ...PERSON, email: 'planta.otra@plantada.example' } });
    const patient = await server.login('paciente@demo.example');
    await place(400, ORDER, { token: patient });
  });
});

it('a library that quotes the input does not reach the log', () => {
  const cause = new Error(`no place for ${PERSON.email}`, { cause: ORDER });
  const likeTrace = new Error(`no place\n    at ${PERSON.email}`);
  for (const error of [cause, likeTrace, new Error(JSON.stringify(ORDER), { cause }), JSON.stringify(ORDER), ORDER])
    logError('request failed', error, { requestId: 'quoted' });
  expect(written.join('').match(/"requestId":"quoted"/g)).toHaveLength(5);
});

describe('personal data stays out of keys', () => {
  it('of documents', async () => {
    const client = new S3Client({ forcePathStyle: true });
    const { Contents = [] } = await client.send(
      new ListObjectsV2Command({ Bucket: documentsConfig().DOCUMENTS_BUCKET }),
    );
    client.destroy();
    const keys = Contents.map(({ Key = '' }) => Key);
    expect(keys.length).toBeGreaterThan(1);
    const isAnonymous =
      /^(prescriptions\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|invoices\/[0-9a-f]{32}\/(document\.(pdf|xml)|receipt\.xml))$/;
    for (const key of keys) expect(key).toMatch(isAnonymous);
  });

  it('of the table', async () => {
    const client = new DynamoDBClient();
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({ TableName: tableConfig().TABLE_NAME, ConsistentRead: true }),
    );
    client.destroy();
    expect(LastEvaluatedKey).toBeUndefined();
    // The data itself does hold the planted texts.
    expect(leaksIn(JSON.stringify(Items))).toContain('planta');
    const keys = Items.map(({ pk, sk }) => `${pk?.S} ${sk?.S}`).join('\n');
    for (const kind of ['ORDER', 'EMAIL', 'NAME', 'PAIR', 'INVOICES', 'IDEMPOTENCY'])
      expect(keys).toMatch(new RegExp(`^${kind}#`, 'm'));
    expect(leaksIn(keys)).toEqual([]);
    expect(keys).not.toMatch(ZIP_CODES);
  });
});

describe('personal data stays out of logs and refusals too', () => {
  /** Sends one request with any outcome. */
  async function ask(method: string, path: string, body?: object): Promise<void> {
    answers.push(await server.request(method, path, { token, ...(body && { body }) }));
  }

  const placeUninvoiced = async () => `/api/orders/${(await place(201, { ...ORDER, invoicing: undefined })).body.id}/`;

  /** Runs the job and records its error, as Lambda logs them. */
  async function runJob(): Promise<void> {
    await runDueTasks().catch((error: Error) => written.push(`${error.stack}`));
  }

  /** Runs every operation that handles personal data. */
  async function runEverything(order: string): Promise<void> {
    await ask('POST', '/api/token/', { email: PERSON.email, password: PASSWORD });
    await ask('POST', '/api/orders/resources/', ORDER);
    await ask('GET', order);
    await ask('GET', '/api/orders/?search=Plantanombre');
    await ask('PATCH', order, { details: [line()], user: PERSON });
    await ask('PATCH', `${order}request-invoice/`, INVOICING);
    await ask('PATCH', order, { order_status: 'cancelled' });
    await runJob();
  }

  it.each(SERVICES)('when %s fails with an error that quotes the request', async (service) => {
    const order = await placeUninvoiced();
    proxies[service].set(({ body }) => (body === '' ? undefined : { answer: COMPLAINTS[service](body) }));
    await runEverything(order);
    // The later run retries the work that was not due yet.
    setClock(new Date(now().getTime() + 20 * 60_000));
    await runJob();
    const faults = proxies[service].injected();
    expect(faults).toBeGreaterThan(0);
    prove({ check: `Leaks: ${service} quotes the request`, tries: answers.length, faults });
  });

  // A lost call is tried again, and each try is logged.
  it('when calls of DynamoDB are lost', async () => {
    const order = await placeUninvoiced();
    proxies.dynamodb.set((call) => (call.nth < 13 ? 'lost call' : undefined));
    await runEverything(order);
    prove({ check: 'Leaks: DynamoDB loses calls', tries: answers.length, faults: proxies.dynamodb.injected() });
  });

  it('when an unexpected error is thrown', async () => {
    const client = new DynamoDBClient();
    await client.send(new DeleteTableCommand({ TableName: tableConfig().TABLE_NAME }));
    client.destroy();
    const { body } = await place(500, ORDER);
    expect(body).toEqual({
      detail: 'Ocurrió un error interno; si persiste, indique el X-Request-Id al soporte.',
      code: 'internal_error',
    });
    await login(500, { email: PERSON.email, password: PASSWORD });
    await send(500, 'GET', '/api/orders/1/', { token });
  });
});
