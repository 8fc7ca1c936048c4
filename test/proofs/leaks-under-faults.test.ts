import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { handler as sendMail } from '../../functions/jobs/send-mail.ts';
import { handler as settleInvoices } from '../../functions/jobs/settle-invoices.ts';
import { now, setClock } from '../../shared/runtime/clock.ts';
import { type FacturapiServer, openFacturapi } from '../support/engines/facturapi-server.ts';
import { type Answer, type Fault, type FaultProxy, openFaultProxy } from '../support/faults/fault-proxy.ts';
import { INVOICING, leaksIn, line, ORDER, PERSON, ZIP_CODES } from '../support/hostile/planted.ts';
import { captureOutput } from '../support/operators/output.ts';
import { isFull, prove } from '../support/proofs/proof.ts';
import { openTestServer, type TestServer } from '../support/servers/test-server.ts';

// The cases without faults and those with invalid requests are in `leaks.test.ts`.

const SERVICES = ['dynamodb', 's3', 'ses', 'facturapi'] as const;
type Service = (typeof SERVICES)[number];

const escapeXml = (text: string): string => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The error answers of the services, which quote the request body. */
const COMPLAINTS: Readonly<Record<Service, (quoted: string) => Answer>> = {
  dynamodb: (quoted) => ({
    status: 400,
    type: 'application/x-amz-json-1.0',
    body: JSON.stringify({ __type: 'com.amazon.coral.validate#ValidationException', message: quoted }),
  }),
  s3: (quoted) => ({
    status: 403,
    type: 'application/xml',
    body: `<Error><Code>AccessDenied</Code><Message>${escapeXml(quoted)}</Message></Error>`,
  }),
  ses: (quoted) => ({
    status: 400,
    type: 'text/xml',
    body: `<ErrorResponse><Error><Type>Sender</Type><Code>MessageRejected</Code><Message>${escapeXml(quoted)}</Message></Error></ErrorResponse>`,
  }),
  facturapi: (quoted) => ({
    status: 400,
    type: 'application/json',
    body: JSON.stringify({ ok: false, status: 400, code: 'invalid', message: quoted, errors: [{ message: quoted }] }),
  }),
};

let server: TestServer;
let facturapi: FacturapiServer;
let proxies: Record<Service, FaultProxy>;
let token: string;
let written: string[];
let asked = 0;
let injected = 0;
let leaked: string[] = [];

beforeAll(async () => {
  written = captureOutput();
  const engines = inject('serverEnvironment');
  facturapi = await openFacturapi();
  proxies = {
    dynamodb: await openFaultProxy(engines.AWS_ENDPOINT_URL_DYNAMODB ?? ''),
    s3: await openFaultProxy(engines.AWS_ENDPOINT_URL_S3 ?? ''),
    ses: await openFaultProxy(engines.AWS_ENDPOINT_URL_SES ?? ''),
    facturapi: await openFaultProxy(facturapi.url),
  };
  server = await openTestServer({
    environment: {
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
  token = await server.login('aseguradora@demo.example');
});
afterAll(async () => {
  await server.close();
  await Promise.all([...Object.values(proxies), facturapi].map((each) => each.close()));
  vi.restoreAllMocks();
});
afterEach(() => {
  setClock();
  for (const proxy of Object.values(proxies)) proxy.set();
  asked = 0;
  injected = 0;
  leaked = [];
  written.length = 0;
});

/** Sends one request with any outcome and records the personal data in a refusal. */
async function ask(method: string, path: string, body?: object): Promise<void> {
  const { status, headers, body: said } = await server.request(method, path, { token, ...(body && { body }) });
  asked += 1;
  leaked.push(...leaksIn(JSON.stringify([headers, status >= 400 ? said : null])));
  expect(written.join('')).toContain(`"requestId":"${headers['x-request-id']}"`);
}

async function placeOrder(): Promise<string> {
  const { body } = await server.request('POST', '/api/orders/resources/', {
    token,
    body: { ...ORDER, invoicing: undefined },
  });
  return `/api/orders/${body.id}/`;
}

/** Runs every operation that handles personal data. */
async function runEverything(order: string): Promise<void> {
  await ask('POST', '/api/token/', { email: PERSON.email, password: 'Plantaclave-1971' });
  await ask('POST', '/api/orders/resources/', ORDER);
  await ask('GET', order);
  await ask('GET', '/api/orders/?search=Plantanombre');
  await ask('PATCH', order, { details: [line()], user: PERSON });
  await ask('PATCH', `${order}request-invoice/`, INVOICING);
  await ask('PATCH', order, { order_status: 'cancelled' });
  await runJobs();
}

/** Runs the jobs and records their errors, as Lambda logs them. */
async function runJobs(): Promise<void> {
  for (const job of [settleInvoices, sendMail]) {
    await job().catch((error: Error) => written.push(`${error.stack}`));
  }
}

function expectNoLeak(check: string): void {
  const log = written.join('');
  leaked.push(...leaksIn(log), ...(log.match(ZIP_CODES) ?? []));
  if (log.includes(token)) leaked.push('the token');
  expect(leaked).toEqual([]);
  prove({ check, tries: asked, faults: injected, lost: leaked.length });
}

describe('personal data stays out of logs and refusals', () => {
  it.each(SERVICES)('when %s fails with an error that quotes the request', async (service) => {
    const order = await placeOrder();
    proxies[service].set(({ body }) => (body === '' ? undefined : { answer: COMPLAINTS[service](body) }));
    await runEverything(order);
    // The later run retries the work that was not due yet.
    setClock(new Date(now().getTime() + 20 * 60_000));
    await runJobs();
    injected = proxies[service].injected();
    expect(injected).toBeGreaterThan(0);
    expectNoLeak(`Leaks: ${service} quotes the request`);
  });

  // The kinds are sorted by how long they delay a request.
  const KINDS: readonly Fault[] = ['conflict', 'lost call', 'failure', 'lost reply', 'throttle'];
  it.each(isFull() ? KINDS : KINDS.slice(0, 2))('when a DynamoDB call meets a %s', async (kind) => {
    for (const nth of isFull() ? [1, 2, 3, 4, 5, 6] : [1, 2]) {
      const order = await placeOrder();
      // The fault begins at the nth call of each operation and covers its retries.
      proxies.dynamodb.set((call) => (call.nth >= nth && call.nth < nth + 12 ? kind : undefined));
      await runEverything(order);
      injected += proxies.dynamodb.injected();
      proxies.dynamodb.set();
    }
    expectNoLeak(`Leaks: DynamoDB meets a ${kind}`);
  });
});
