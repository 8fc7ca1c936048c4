import { existsSync, statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { startEngines } from '../../../infra/local/engines/engines.ts';
import { localEnvironment } from '../../../infra/local/environment.ts';
import { createStores, publishDemoCatalog } from '../../../infra/local/seed.ts';
import { functionName } from '../../../infra/stack-names.ts';
import { loopback, sendAnswer } from '../http/loopback.ts';
import { freePorts } from './ports.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The environment variables that point to the shared engines. */
    serverEnvironment: Record<string, string>;
    /** The port of the DynamoDB engine that other programs know; the tests have its own address. */
    dynamoDbPort: string;
    /** The folder of the engines' data. */
    engineFolder: string;
    /** The folder of the bundles of this run, and the server that makes them. */
    bundles: { readonly folder: string; readonly url: string };
  }
}

type Running = {
  readonly environment: Record<string, string>;
  readonly dynamoDbPort: string;
  readonly engineFolder: string;
  readonly bundles: { readonly folder: string; readonly url: string };
  users: number;
  stop(): Promise<void>;
};

// Vitest loads this file once for each project, but the workers of all projects inherit one environment.
const RUNNING = Symbol.for('engines of this run');
const run = globalThis as typeof globalThis & { [RUNNING]?: Promise<Running> };

/**
 * Starts one set of engines for all projects of a run, except those for which the environment names another endpoint, with
 * the demonstration catalog. Returns the teardown.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  run[RUNNING] ??= start();
  const running = await run[RUNNING];
  running.users += 1;
  project.provide('serverEnvironment', running.environment);
  project.provide('dynamoDbPort', running.dynamoDbPort);
  project.provide('engineFolder', running.engineFolder);
  project.provide('bundles', running.bundles);
  project.onTestsRerun(() => rm(running.bundles.folder, { recursive: true, force: true }));
  return async () => {
    running.users -= 1;
    if (running.users === 0) await running.stop();
  };
}

async function start(): Promise<Running> {
  const directory = await mkdtemp(join(findFolder(), 'server-'));
  const IMAGE_BASE_URL = 'https://images.demo.example/';
  const wanted = { ...process.env, ...(await freePorts()), LOCAL_DIR: directory, IMAGE_BASE_URL };
  const engines = await startEngines(wanted);
  const folder = join(directory, 'bundles');
  const bundler = await openBundler(folder);
  const stop = async () => {
    await Promise.all([engines.stop(), bundler.close()]);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const { dynamoDbUrl = process.env.AWS_ENDPOINT_URL_DYNAMODB } = engines;
    const environment = localEnvironment({ ...wanted, AWS_ENDPOINT_URL_DYNAMODB: dynamoDbUrl });
    Object.assign(process.env, environment);
    await createStores('plain');
    await publishDemoCatalog();
    // SES loads its mailbox at the first request, for which a test's mail would wait while the machine is busy.
    await fetch(`${environment.AWS_ENDPOINT_URL_SES}/health-check`);
    const bundles = { folder, url: bundler.url };
    return { environment, dynamoDbPort: wanted.DYNAMODB_PORT, engineFolder: directory, bundles, users: 0, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 * 1024 ** 3;

/**
 * Returns the folder of temporary files, on Linux in memory if that has room: DynamoDB's engine waits for the disk at each
 * write, which takes seconds on a busy one, so that tests would get 503.
 */
function findFolder(): string {
  if (!existsSync(IN_MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize > ENOUGH_BYTES ? IN_MEMORY : tmpdir();
}

/** Returns the file of the bundle of a handler in a folder of bundles. */
export const bundleFile = (folder: string, handler: string): string => join(folder, functionName(handler), 'index.mjs');

/**
 * Opens a server of the main process of a run, to which all test processes send the handlers whose bundles they need. It makes each
 * of them once, in the folder, and answers when they are there.
 */
async function openBundler(folder: string) {
  let last: Promise<unknown> = Promise.resolve();
  const make = async (handlers: readonly string[]) => {
    const missing = handlers.filter((handler) => !existsSync(bundleFile(folder, handler)));
    if (missing.length === 0) return;
    // Most runs make none, and need no esbuild.
    const { makeBundles } = await import('../../../infra/bundle.ts');
    await makeBundles(missing, folder);
  };
  return loopback(async (request, response) => {
    const handlers = (await json(request)) as string[];
    last = last.then(() => make(handlers)).catch((error: unknown) => String(error));
    const error = await last;
    sendAnswer(response, error ? { status: 500, body: { error } } : {});
  });
}
