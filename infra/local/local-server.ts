import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { handler as forwardEvents } from '../../functions/jobs/forward-events.ts';
import { handler as publishEvents } from '../../functions/jobs/publish-events.ts';
import { routes } from '../../shared/api/routes.ts';
import { catalog } from '../../shared/deps.ts';
import { catalogConfig } from '../../shared/runtime/config.ts';
import { FORWARDER, PUBLISHER } from '../stream-jobs.ts';
import { enginePorts, startEngines } from './engines/engines.ts';
import { emptyFolder, openFolder } from './engines/folder.ts';
import { lockFolder } from './engines/folder-lock.ts';
import { expectFreePorts } from './engines/ports.ts';
import { FormerTable } from './engines/table.ts';
import {
  type Environment,
  enterLocalEnvironment,
  LOCAL_USAGE_PLAN,
  localDirectory,
  localPorts,
} from './environment.ts';
import { createSpaceWatch } from './free-space.ts';
import { type ApiKeys, openApiKeys } from './gateway/api-keys.ts';
import { createGateway, type Gateway, type GatewayOptions } from './gateway/gateway.ts';
import { readRateLimit } from './gateway/rate-limit.ts';
import { loadHandler } from './load-handler.ts';
import { createLocalFunctions, type LocalFunctions } from './local-functions.ts';
import { LocalServerError, unusableFolder } from './local-server-error.ts';
import { createStores, publishDemoCatalog, registerDemoClient } from './seed.ts';
import { runStream } from './stream/run-stream.ts';
import type { StreamFunction } from './stream/stream-functions.ts';

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
 * handlers behind the local gateway. Resolves with its address. Throws LocalServerError for a cause that the user can fix.
 */
export async function startLocalServer({ data, signal, stops }: StartOptions): Promise<string> {
  const wanted = { ...process.env };
  const directory = localDirectory(wanted);
  await openFolder(directory);
  stops.push(lockFolder(directory));
  await expectFreePorts([{ port: localPorts(wanted).PORT, variable: 'PORT' }, ...enginePorts(wanted)]);
  if (data === 'emptied') await emptyFolder(directory);
  const keys = openKeys(directory);
  const space = createSpaceWatch({ directory, report });
  await space.start();
  stops.push(space.stop);
  const areWritesStopped = space.isLow;
  const functions = createLocalFunctions(report, areWritesStopped);
  const gateway = localGateway(wanted, keys, { ...functions, areWritesStopped, disk: space.disk });
  // Node loads the handlers while Java starts.
  const [engines] = await Promise.all([startEngines(wanted), loadHandlers()]);
  stops.push(engines.stop);
  void engines.failure?.then(report);
  signal.throwIfAborted();
  enterLocalEnvironment();
  await prepareStores(keys, wanted);
  signal.throwIfAborted();
  // The catalog comes last: on a busy machine it timed out while modules were being loaded.
  await catalog();
  const streamTo = (job: StreamFunction, file: string): void => {
    stops.push(runStream({ ...job, areWritesStopped }, join(directory, file)).stop);
  };
  streamTo({ source: PUBLISHER, handler: publishEvents }, 'published-events.json');
  if (wanted.EVENT_BUS && wanted.AWS_ENDPOINT_URL_EVENTBRIDGE)
    streamTo({ source: FORWARDER, handler: forwardEvents }, 'forwarded-events.json');
  const url = await gateway.listen();
  stops.push(gateway.close);
  functions.start();
  stops.push(functions.stop);
  return url;
}

const report = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

function openKeys(directory: string): ApiKeys {
  try {
    return openApiKeys(join(directory, 'api-keys.json'));
  } catch {
    throw unusableFolder(directory, 'api-keys.json is not a list of API keys');
  }
}

type Served = Pick<LocalFunctions, 'invoke'> & Pick<Required<GatewayOptions>, 'areWritesStopped' | 'disk'>;

function localGateway(wanted: Environment, keys: ApiKeys, served: Served): Gateway {
  return createGateway({
    routes,
    loadHandler,
    keys,
    usagePlanId: LOCAL_USAGE_PLAN,
    stage: 'v2',
    port: localPorts(wanted).PORT,
    rateLimit: readRateLimit(wanted.LOCAL_RATE_LIMIT),
    corsOrigins: (wanted.CORS_ORIGINS ?? '').split(',').filter((origin) => origin !== ''),
    serverTiming: 'shown',
    contractChecks: wanted.LOCAL_CHECK_ANSWERS === '1' ? 'reported' : 'off',
    report,
    invokeFunction: served.invoke,
    areWritesStopped: served.areWritesStopped,
    disk: served.disk,
  });
}

async function prepareStores(keys: ApiKeys, wanted: Environment): Promise<void> {
  try {
    // Removes the files of catalogs that earlier processes opened.
    await rm(catalogConfig().CATALOG_DIR, { recursive: true, force: true });
    await createStores('streamed');
    await Promise.all([publishDemoCatalog(), registerDemoClient(keys)]);
  } catch (error) {
    throw error instanceof LocalServerError ? error : unusableData(error, wanted);
  }
}

function unusableData(cause: unknown, wanted: Environment): LocalServerError {
  const reason = describeCause(cause);
  const elsewhere = wanted.AWS_ENDPOINT_URL_DYNAMODB || wanted.AWS_ENDPOINT_URL_S3;
  if (elsewhere) return new LocalServerError(`What ${elsewhere} answers cannot be used: ${reason}`, { cause });
  return unusableFolder(localDirectory(wanted), reason, cause);
}

function describeCause(cause: unknown): string {
  if (cause instanceof FormerTable) return cause.message;
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}

const loadHandlers = () => Promise.all(routes.map(({ handler }) => loadHandler(handler)));
