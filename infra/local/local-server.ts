import { servedRoutes } from '../../shared/api/routes.ts';
import { catalog } from '../../shared/deps.ts';
import { businessConfig, catalogConfig } from '../../shared/runtime/config.ts';
import { DEMO_USERS } from './demonstration.ts';
import { DOCS_PATH } from './docs.ts';
import { enginePorts, startEngines } from './engines/engines.ts';
import { emptyFolder, lockFolder, openFolder } from './engines/folder.ts';
import { expectFreePorts } from './engines/ports.ts';
import { FormerTable } from './engines/table.ts';
import {
  type Environment,
  enterLocalEnvironment,
  keysFile,
  localDirectory,
  localPorts,
  notePorts,
} from './environment.ts';
import { type ApiKeys, openApiKeys } from './gateway/api-keys.ts';
import { createGateway, type Gateway } from './gateway/gateway.ts';
import { loadHandler } from './gateway/invocation.ts';
import { readRateLimit } from './gateway/rate-limit.ts';
import { startJobs } from './jobs.ts';
import { LocalServerError, unusableFolder } from './local-server-error.ts';
import { CALLING } from './payments/payment-page.ts';
import { createStores, DEMO_API_KEY, DEMO_PASSWORD, publishDemoCatalog, registerDemoClient } from './seed.ts';

export type Stop = () => Promise<void>;

export type StartOptions = {
  /** Keeps or removes the data of an earlier run. */
  readonly data: 'kept' | 'emptied';
  /** Once aborted, the start ends after the current step by throwing. */
  readonly signal: AbortSignal;
  /** Receives a function to stop each started part, in order, also if the start fails. */
  readonly stops: Stop[];
};

/**
 * Starts the service on this machine: engines, table and buckets, demonstration catalog, client and users, and the real
 * handlers behind the local gateway. Resolves with the text that welcomes its user. Throws LocalServerError for a cause that
 * the user can fix.
 */
export async function startLocalServer({ data, signal, stops }: StartOptions): Promise<string> {
  const environment = { ...process.env };
  const directory = localDirectory(environment);
  await openFolder(directory);
  stops.push(lockFolder(directory));
  await expectFreePorts([{ port: localPorts(environment).PORT, variable: 'PORT' }, ...enginePorts(environment)]);
  if (data === 'emptied') await emptyFolder(directory);
  notePorts(directory, environment);
  const loading = Promise.all(servedRoutes.map(({ handler }) => loadHandler(handler)));
  // Its failure is thrown where it is awaited, after the engines can be stopped.
  loading.catch(() => undefined);
  const engines = await startEngines(environment, report);
  stops.push(engines.stop);
  signal.throwIfAborted();
  await loading;
  // The handlers need not go through the guard of the engine's port.
  if (engines.dynamoDbUrl) process.env.AWS_ENDPOINT_URL_DYNAMODB = engines.dynamoDbUrl;
  return welcome(await startService(environment, { signal, stops }));
}

const report = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Starts the service with the engines that run: its stores, the demonstration, the gateway and the jobs. */
async function startService(environment: Environment, { signal, stops }: Omit<StartOptions, 'data'>): Promise<string> {
  const keys = openKeys(environment);
  enterLocalEnvironment();
  expectValidSettings();
  await prepareStores(keys, environment);
  signal.throwIfAborted();
  // The catalog comes last: on a busy machine it timed out while modules were being loaded.
  await catalog();
  const jobs = startJobs({ report, directory: localDirectory(environment) });
  stops.push(jobs.stop);
  const gateway = openGateway(environment, keys);
  const url = await gateway.listen();
  stops.push(gateway.close);
  return url;
}

// Each function reads its settings at its first request, which would be answered 500 without their names.
function expectValidSettings(): void {
  try {
    businessConfig();
    catalogConfig();
  } catch (error) {
    throw new LocalServerError((error as Error).message);
  }
}

function openKeys(environment: Environment): ApiKeys {
  try {
    return openApiKeys(keysFile(environment));
  } catch {
    throw unusableFolder(localDirectory(environment), 'api-keys.json is not a list of API keys');
  }
}

function openGateway(environment: Environment, keys: ApiKeys): Gateway {
  return createGateway({
    routes: servedRoutes,
    loadHandler,
    keys,
    stage: 'v2',
    port: localPorts(environment).PORT,
    rateLimit: readRateLimit(environment.LOCAL_RATE_LIMIT),
    corsOrigins: (environment.CORS_ORIGINS ?? '').split(',').filter((origin) => origin !== ''),
    serverTiming: 'shown',
    paymentCalls: CALLING.find((one) => one === environment.LOCAL_PAYMENT_CALLS) ?? 'at once',
    contractChecks: environment.LOCAL_CHECK_ANSWERS === '1' ? 'reported' : 'off',
    report,
  });
}

async function prepareStores(keys: ApiKeys, environment: Environment): Promise<void> {
  try {
    await createStores('streamed');
    await Promise.all([publishDemoCatalog(), registerDemoClient(keys)]);
  } catch (error) {
    throw error instanceof LocalServerError ? error : unusableData(error, environment);
  }
}

function unusableData(cause: unknown, environment: Environment): LocalServerError {
  const reason = describeCause(cause);
  const elsewhere = environment.AWS_ENDPOINT_URL_DYNAMODB || environment.AWS_ENDPOINT_URL_S3;
  if (elsewhere) return new LocalServerError(`What ${elsewhere} answers cannot be used: ${reason}`, { cause });
  return unusableFolder(localDirectory(environment), reason, cause);
}

function describeCause(cause: unknown): string {
  if (cause instanceof FormerTable) return cause.message;
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
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
