import { servedRoutes } from '../../shared/api/routes.ts';
import { catalog } from '../../shared/deps.ts';
import { businessConfig, catalogConfig, edgeConfig } from '../../shared/runtime/config.ts';
import { DEMO_USERS } from './demonstration.ts';
import { startEngines } from './engines/engines.ts';
import { emptyFolder, lockFolder, openFolder } from './engines/folder.ts';
import { expectFreePorts } from './engines/ports.ts';
import {
  type Environment,
  enterLocalEnvironment,
  keysFile,
  LocalServerError,
  localDirectory,
  localPorts,
  notePorts,
  portsToOpen,
  unusableFolder,
} from './environment.ts';
import { type ApiKeys, openApiKeys } from './gateway/api-keys.ts';
import { createGateway, type RateLimit } from './gateway/gateway.ts';
import { loadHandler } from './gateway/invocation.ts';
import { startJobs } from './jobs.ts';
import { DOCS_PATH } from './pages.ts';
import { CALLING } from './payments/payment-page.ts';
import { offerLocalPayments } from './payments/sandbox/sandbox.ts';
import { createStores, DEMO_API_KEY, DEMO_PASSWORD, publishDemoCatalog, registerDemoClient } from './seed.ts';

export type Stop = () => Promise<void>;

export type StartOptions = {
  readonly data: 'kept' | 'emptied';
  /** Once aborted, the start ends after the current step by throwing. */
  readonly signal: AbortSignal;
  /** Receives a function to stop each started part, in order, also if the start fails. */
  readonly stops: Stop[];
};

/**
 * Starts the service on this machine: engines, table and buckets, demonstration catalog, client and users, and the real
 * handlers behind the local gateway. Resolves with the text that welcomes its user, and a promise that rejects once an engine has
 * ended for good. Throws LocalServerError for a cause that the user can fix.
 */
export async function startLocalServer({ data, signal, stops }: StartOptions) {
  const environment = { ...process.env };
  const directory = localDirectory(environment);
  openFolder(directory);
  stops.push(lockFolder(directory));
  await expectFreePorts(portsToOpen(environment));
  if (data === 'emptied') emptyFolder(directory);
  notePorts(directory, environment);
  const loading = Promise.all(servedRoutes.map(({ handler }) => loadHandler(handler)));
  // Its failure is thrown where it is awaited, after the engines can be stopped.
  loading.catch(() => undefined);
  const engines = await startEngines(environment);
  stops.push(engines.stop);
  signal.throwIfAborted();
  await loading;
  enterLocalEnvironment(environment);
  offerLocalPayments();
  // The handlers need not go through the guard of the engine's port.
  if (engines.dynamoDbUrl) process.env.AWS_ENDPOINT_URL_DYNAMODB = engines.dynamoDbUrl;
  expectValidSettings();
  const keys = await openStores(environment);
  signal.throwIfAborted();
  // The catalog comes last: on a busy machine it timed out while modules were being loaded.
  await catalog();
  stops.push(startJobs({ report, directory }).stop);
  const gateway = openGateway(environment, keys);
  const url = await gateway.listen();
  stops.push(gateway.close);
  return { welcome: welcome(url), failed: engines.failed };
}

const report = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

// Each function reads its settings at its first request, which would be answered 500 without their names.
function expectValidSettings(): void {
  try {
    businessConfig();
    catalogConfig();
  } catch (error) {
    throw new LocalServerError((error as Error).message);
  }
}

/** Opens the API keys, table and buckets, and returns the keys. */
async function openStores(environment: Environment): Promise<ApiKeys> {
  try {
    const keys = openApiKeys(keysFile(environment));
    await createStores('streamed');
    await Promise.all([publishDemoCatalog(), registerDemoClient(keys)]);
    return keys;
  } catch (cause) {
    const reason = String(cause);
    const elsewhere = environment.AWS_ENDPOINT_URL_DYNAMODB || environment.AWS_ENDPOINT_URL_S3;
    if (elsewhere) throw new LocalServerError(`The answers of ${elsewhere} cannot be used: ${reason}`, { cause });
    throw unusableFolder(localDirectory(environment), reason, cause);
  }
}

const openGateway = (environment: Environment, keys: ApiKeys) =>
  createGateway({
    routes: servedRoutes,
    loadHandler,
    keys,
    port: localPorts(environment).PORT,
    rateLimit: readRateLimit(environment.LOCAL_RATE_LIMIT),
    corsOrigins: edgeConfig().CORS_ORIGINS,
    paymentCalls: CALLING.find((calling) => calling === environment.LOCAL_PAYMENT_CALLS) ?? 'at once',
    report,
  });

const BURST_SECONDS = 2;

/** Parses `LOCAL_RATE_LIMIT`, requests per second. Undefined means no limit. */
function readRateLimit(written = ''): RateLimit | undefined {
  if (written === '') return undefined;
  if (!/^[1-9]\d{0,5}$/.test(written))
    throw new LocalServerError(`LOCAL_RATE_LIMIT must be requests a second as in 50, not "${written}"`);
  const requestsPerSecond = Number(written);
  return { requestsPerSecond, burst: requestsPerSecond * BURST_SECONDS };
}

/** Returns the text that is printed once the server is ready; its last line is for scripts that wait for it. */
function welcome(url: string): string {
  const call = `curl -H 'X-API-Key: ${DEMO_API_KEY}'`;
  const post = `${call} -H 'Content-Type: application/json'`;
  const patient = JSON.stringify({ email: DEMO_USERS[0].email, password: DEMO_PASSWORD });
  const basket = JSON.stringify({ zipcode: '06700', details: [{ product: 1, quantity: 2 }] });
  return `
API key   ${DEMO_API_KEY} (header X-API-Key)
Users     ${DEMO_USERS.map(({ email, role }) => `${email} (${role})`).join('\n          ')}
          password of each: ${DEMO_PASSWORD}
Reference ${new URL(DOCS_PATH, url)}/
Mailbox   ${process.env.AWS_ENDPOINT_URL_SES}/

${call} '${url}/api/products/?search=paracetamol&limit=3'
${post} -d '${basket}' ${url}/api/orders/calculate/
${post} -d '${patient}' ${url}/api/token/

ready ${url}`;
}
