import { join } from 'node:path';
import { handler as forwardEvents } from '../../functions/jobs/forward-events.ts';
import { handler as publishEvents } from '../../functions/jobs/publish-events.ts';
import { servedRoutes } from '../../shared/api/routes.ts';
import { catalog } from '../../shared/deps.ts';
import { businessConfig, catalogConfig } from '../../shared/runtime/config.ts';
import { FORWARDER, PUBLISHER } from '../stream-jobs.ts';
import { DEMO_USERS } from './demonstration.ts';
import { DOCS_PATH } from './docs.ts';
import { enginePorts, startEngines } from './engines/engines.ts';
import { emptyFolder, lockFolder, openFolder } from './engines/folder.ts';
import { expectFreePorts } from './engines/ports.ts';
import { FormerTable } from './engines/table.ts';
import {
  type Environment,
  enterLocalEnvironment,
  LOCAL_USAGE_PLAN,
  localDirectory,
  localPorts,
  notePorts,
} from './environment.ts';
import { createSpaceWatch, explainFailedStart, type SpaceWatch } from './free-space.ts';
import { type ApiKeys, openApiKeys, readRateLimit } from './gateway/api-keys.ts';
import { createGateway, type Gateway } from './gateway/gateway.ts';
import { loadHandler } from './gateway/invocation.ts';
import { createLocalFunctions, type InvokeLocally } from './local-functions.ts';
import { failedStorage, LocalServerError, unusableFolder } from './local-server-error.ts';
import { CALLING } from './payments/payment-page.ts';
import { createStores, DEMO_API_KEY, DEMO_PASSWORD, publishDemoCatalog, registerDemoClient } from './seed.ts';
import { runStream, type StreamFunction } from './stream/run-stream.ts';

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
export async function startLocalServer(options: StartOptions): Promise<string> {
  const environment = { ...process.env };
  const directory = localDirectory(environment);
  const space = createSpaceWatch({ directory, report });
  options.stops.push(space.stop);
  try {
    space.start();
    return await startParts({ ...options, environment, directory, space });
  } catch (error) {
    throw explainFailedStart(error, directory, space);
  }
}

type Parts = StartOptions & {
  readonly environment: Environment;
  readonly directory: string;
  readonly space: SpaceWatch;
};

async function startParts(parts: Parts): Promise<string> {
  const { data, environment, directory, signal, stops } = parts;
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
  return welcome(await startService(parts));
}

const report = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Starts the service with the engines that run: its stores, the demonstration, the gateway, the stream and the jobs. */
async function startService(parts: Parts): Promise<string> {
  const { environment, directory, signal, stops } = parts;
  const keys = openKeys(directory);
  const areWritesStopped = parts.space.isLow;
  const functions = createLocalFunctions(report, areWritesStopped);
  const gateway = localGateway(parts, keys, functions.invoke);
  enterLocalEnvironment();
  expectValidSettings();
  await prepareStores(keys, environment);
  signal.throwIfAborted();
  // The catalog comes last: on a busy machine it timed out while modules were being loaded.
  await catalog();
  const streamTo = (job: StreamFunction, file: string): void => {
    stops.push(runStream({ ...job, areWritesStopped }, join(directory, file)).stop);
  };
  streamTo({ source: PUBLISHER, handler: publishEvents }, 'published-events.json');
  if (environment.EVENT_BUS && environment.AWS_ENDPOINT_URL_EVENTBRIDGE)
    streamTo({ source: FORWARDER, handler: forwardEvents }, 'forwarded-events.json');
  const url = await gateway.listen();
  stops.push(gateway.close);
  functions.start();
  stops.push(functions.stop);
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

function openKeys(directory: string): ApiKeys {
  try {
    return openApiKeys(join(directory, 'api-keys.json'));
  } catch {
    throw unusableFolder(directory, 'api-keys.json is not a list of API keys');
  }
}

function localGateway({ environment, space }: Parts, keys: ApiKeys, invokeFunction: InvokeLocally): Gateway {
  return createGateway({
    routes: servedRoutes,
    loadHandler,
    keys,
    usagePlanId: LOCAL_USAGE_PLAN,
    stage: 'v2',
    port: localPorts(environment).PORT,
    rateLimit: readRateLimit(environment.LOCAL_RATE_LIMIT),
    corsOrigins: (environment.CORS_ORIGINS ?? '').split(',').filter((origin) => origin !== ''),
    serverTiming: 'shown',
    paymentCalls: CALLING.find((one) => one === environment.LOCAL_PAYMENT_CALLS) ?? 'at once',
    contractChecks: environment.LOCAL_CHECK_ANSWERS === '1' ? 'reported' : 'off',
    report,
    invokeFunction,
    areWritesStopped: space.isLow,
    disk: space.disk,
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
  const describe = cause instanceof FormerTable ? unusableFolder : failedStorage;
  return describe(localDirectory(environment), reason, cause);
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
