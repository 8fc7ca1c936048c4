import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { GATEWAY_HEADERS } from '../../../infra/gateway-answers.ts';
import { DEMO_USERS } from '../../../infra/local/demonstration.ts';
import { type ApiKeys, openApiKeys } from '../../../infra/local/gateway/api-keys.ts';
import { createGateway, type GatewayOptions } from '../../../infra/local/gateway/gateway.ts';
import { loadHandler } from '../../../infra/local/gateway/invocation.ts';
import { offerLocalPayments } from '../../../infra/local/payments/sandbox/sandbox.ts';
import {
  createStores,
  DEMO_API_KEY,
  DEMO_PASSWORD,
  DEMO_PASSWORD_HASH,
  registerDemoClient,
  type TableKind,
} from '../../../infra/local/seed.ts';
import { issueAccessToken } from '../../../shared/access/authenticate.ts';
import { addGatewayKey, type Client, createClient, findClientOfKey } from '../../../shared/access/clients.ts';
import { servedRoutes } from '../../../shared/api/routes.ts';
import { ids, table, tokenKeys } from '../../../shared/deps.ts';
import type { Role } from '../../../shared/people/rules/roles.ts';
import { createUser, type UserRecord, userByEmail } from '../../../shared/people/users.ts';
import { beginContainer } from '../../../shared/runtime/async.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { edgeConfig, tokenConfig } from '../../../shared/runtime/config.ts';
import { openFacturapi } from '../engines/facturapi-server.ts';
import { openMailbox } from '../engines/ses-relay.ts';
import { type FaultProxy, openFaultProxy } from '../faults/fault-proxy.ts';
import { checkedAnswer } from '../http/checked-answer.ts';
import { type Caller, callHeaders, type HttpAnswer, sendHttp } from '../http/http.ts';
import { createInvoke } from '../http/invoke.ts';
import { orderBody } from '../orders/samples.ts';
import { type Containers, openContainers } from './bundles.ts';

/** The access tokens of the demonstration users, by their roles. */
export type DemoTokens = Record<'patient' | 'doctor' | 'employee', string>;

export type TestServer = Awaited<ReturnType<typeof openPlain>>;

export type ServerOptions = {
  /** Environment variables that replace those of the server. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Puts a proxy before DynamoDB, which forwards everything until its faults are set. */
  readonly faults?: true;
  /** Issues invoices with a fake Facturapi, and mails through a local SES of the server's own. */
  readonly invoices?: true;
  /** Runs the functions as bundles in processes, behind a proxy before all dependencies; with `invoices`. */
  readonly bundles?: true;
  readonly gateway?: Partial<GatewayOptions>;
  /** `streamed` for tests of events. The engine takes longer for each write then. */
  readonly table?: TableKind;
  /** `answered`: a caller gets the answer of the gateway when a function failed; by default the call rejects. */
  readonly failedFunctions?: 'answered';
};

type Invoices = Awaited<ReturnType<typeof openInvoices>>['parts'];

/** A server with the parts that its options add; they close with it. */
export type ServerWith<Option extends 'faults' | 'invoices' | 'bundles'> = TestServer &
  ('faults' extends Option ? { readonly faults: FaultProxy } : unknown) &
  ('invoices' extends Option ? Invoices : unknown) &
  ('bundles' extends Option ? Invoices & Omit<Containers, 'gateway' | 'close'> : unknown);
type Added<Options> = Extract<keyof Options, 'faults' | 'invoices' | 'bundles'>;

/**
 * Opens a server with its own table, documents, API keys and gateway on the shared engines, with the demonstration
 * catalog, client and users. The handlers of this process serve the server that was opened last.
 */
export async function openServer<Options extends ServerOptions = object>(
  options?: Options & ServerOptions,
): Promise<ServerWith<Added<Options>>>;
export async function openServer(options: ServerOptions = {}): Promise<TestServer> {
  const { AWS_ENDPOINT_URL_DYNAMODB: engine = '' } = inject('serverEnvironment');
  const faults = options.faults && (await openFaultProxy(engine));
  const invoices = (options.invoices ?? options.bundles) && (await openInvoices());
  const settings = {
    ...(faults && { AWS_ENDPOINT_URL_DYNAMODB: faults.url }),
    ...invoices?.settings,
    ...options.settings,
  };
  const bundles = options.bundles && invoices && (await openContainers(options.settings ?? {}, invoices.engines));
  const server = await openPlain({ ...options, settings, gateway: { ...bundles?.gateway, ...options.gateway } });
  return {
    ...server,
    ...(faults && { faults }),
    ...invoices?.parts,
    ...bundles,
    async close() {
      await server.close();
      await Promise.all([bundles?.close(), faults?.close(), invoices?.close()]);
    },
  };
}

async function openInvoices() {
  const [facturapi, ses] = await Promise.all([openFacturapi(), openMailbox()]);
  const network = await openFaultProxy(facturapi.url);
  return {
    engines: { ses: ses.engine, facturapi: facturapi.url },
    /** The network is the proxy before Facturapi. */
    parts: { facturapi, network, ses },
    settings: {
      INVOICING_PROVIDER: 'facturapi',
      FACTURAPI_KEY: facturapi.key,
      FACTURAPI_URL: `${network.url}/v2`,
      AWS_ENDPOINT_URL_SES: ses.url,
    },
    close: () => Promise.all([network.close(), facturapi.close(), ses.close()]),
  };
}

async function openPlain(options: ServerOptions) {
  const directory = await mkdtemp(join(tmpdir(), 'server-'));
  enterEnvironment(options.settings);
  beginContainer();
  await createStores(options.table ?? 'plain');
  const keys = openApiKeys(join(directory, 'api-keys.json'));
  const client = await registerDemoClient(keys);
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const gateway = openGateway(keys, { report, ...options.gateway });
  const url = await gateway.listen();
  const request: Caller = async (method, path, call = {}) => {
    const answer = await sendHttp(url, `/v2${path}`, { method, headers: callHeaders(call), body: call.body });
    if (options.failedFunctions === undefined) expectFunctionRan(answer);
    return checkedAnswer(method, path, answer);
  };
  const invoke = createInvoke(keys);
  const isOfThisProcess = options.gateway?.loadHandler === undefined;
  async function login(email: string, key?: string): Promise<string> {
    const issued = isOfThisProcess ? await issueToken(keys, email, key) : undefined;
    return issued ?? requestToken(request, email, key);
  }
  const asEmployee = async (method: string, path: string, body?: object) => {
    const token = await login('aseguradora@demo.example');
    return request(method, path, body ? { token, body } : { token });
  };

  return {
    /** The URL with the stage: `http://localhost:41234/v2`. */
    url,
    /** The demonstration client; its key is the default of every call. */
    client,
    keys,
    /**
     * Calls through the local gateway over HTTP. Rejects if the answer is not as the API description says, or the function failed,
     * unless the options expect that.
     */
    request,
    /** Calls the real handler with a proxy event, without a gateway. */
    invoke,
    /** Returns an access token of a user with DEMO_PASSWORD. Rejects for anybody else. */
    login,
    /** Returns an access token of each demonstration user. */
    async loginDemoUsers(): Promise<DemoTokens> {
      const [patient, doctor, employee] = DEMO_USERS;
      return {
        patient: await login(patient.email),
        doctor: await login(doctor.email),
        employee: await login(employee.email),
      };
    },
    /** Calls the API as the demonstration's insurance employee, with a token of now. */
    asEmployee,
    /** Places an order as that employee; throws unless the answer, whose body it returns, is a 201. */
    async placeOrder(...asked: Parameters<typeof orderBody>): Promise<HttpAnswer['body']> {
      const { status, body } = await asEmployee('POST', '/api/orders/resources/', orderBody(...asked));
      if (status !== 201) throw new Error(`the order was not placed: ${status} ${JSON.stringify(body)}`);
      return body;
    },
    /** Adds a client with another API key. */
    addClient: (name: string) => addClient(keys, name),
    /** Adds a user of a client, with DEMO_PASSWORD. */
    addUser,
    async close() {
      await gateway.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Issues a token as a login does, but without the 50 ms of a hash; undefined unless the user has DEMO_PASSWORD. */
async function issueToken(keys: ApiKeys, email: string, key = DEMO_API_KEY): Promise<string | undefined> {
  const client = await findClientOfKey(table(), keys.find(key)?.id ?? '');
  const user = client && (await userByEmail(table(), client.id, email));
  if (!user || user.disabledAt || user.passwordHash !== DEMO_PASSWORD_HASH) return undefined;
  const lifetimeSeconds = tokenConfig().TOKEN_LIFETIME_SECONDS;
  return issueAccessToken({ client: client.id, user }, { keys: await tokenKeys(), lifetimeSeconds, now: now() });
}

async function requestToken(request: Caller, email: string, key?: string): Promise<string> {
  const body = { email, password: DEMO_PASSWORD };
  const answer = await request('POST', '/api/token/', key === undefined ? { body } : { body, key });
  if (answer.status !== 200) throw new Error(`${email} cannot log in: ${answer.status}`);
  return answer.body.access;
}

/** Throws if the gateway answered 503 itself, so that no test takes a failed function for a dependency that is down. */
function expectFunctionRan({ status, headers, body }: HttpAnswer): void {
  const isByGateway = headers['content-language'] === GATEWAY_HEADERS['Content-Language'];
  if (status === 503 && isByGateway) throw new Error(`the function failed: ${body.code}`);
}

function enterEnvironment(settings: ServerOptions['settings']): void {
  const name = `test-${randomUUID()}`;
  const own = { TABLE_NAME: name, DOCUMENTS_BUCKET: name, POWERTOOLS_LOG_LEVEL: 'SILENT' };
  // Most tests are one user who does more in a minute than people do in a day.
  const limits = { USER_ORDERS_PER_HOUR: '1000000', USER_INVOICES_PER_DAY: '1000000' };
  // A proof in full takes longer than the life of a token.
  const tokens = process.env.PROOFS === 'full' && { TOKEN_LIFETIME_SECONDS: '86400' };
  Object.assign(process.env, inject('serverEnvironment'), own, limits, tokens, settings);
  offerLocalPayments();
}

function openGateway(keys: ApiKeys, options: Pick<GatewayOptions, 'report'> & Partial<GatewayOptions>) {
  return createGateway({
    routes: servedRoutes,
    loadHandler,
    keys,
    port: 0,
    corsOrigins: edgeConfig().CORS_ORIGINS,
    // The limit is higher than under `npm start`, because many tests are about races.
    concurrency: 16,
    ...options,
  });
}

async function addClient(keys: ApiKeys, name: string): Promise<{ client: Client; key: string }> {
  const { id, value } = keys.create({ name, enabled: true });
  const terms = { name, origin: 'other', paymentMethods: [1, 2], carrierName: null };
  const client = await createClient(table(), ids(), terms, new Date());
  await addGatewayKey(table(), client.id, id);
  return { client, key: value };
}

async function addUser({ id }: Client, role: Role, email: string): Promise<UserRecord> {
  const person = { role, email, firstName: 'Ana', lastName: 'Prueba', secondLastName: null, phone: '' };
  return createUser(table(), ids(), { ...person, clientId: id, passwordHash: DEMO_PASSWORD_HASH }, new Date());
}

/** The tokens of the demonstration users, who log in before the first test of a file. */
export function useDemoTokens(server: TestServer): DemoTokens {
  const tokens = {} as DemoTokens;
  beforeAll(async () => {
    Object.assign(tokens, await server.loginDemoUsers());
  });
  return tokens;
}

/** Opens a server for the tests of a file; its parts are there when the first hook that follows runs. */
export function useServer<Options extends ServerOptions = object>(
  options?: Options & ServerOptions,
): ServerWith<Added<Options>> {
  const server = {} as ServerWith<Added<Options>>;
  beforeAll(async () => {
    Object.assign(server, await openServer(options));
  });
  afterAll(() => server.close());
  return server;
}
