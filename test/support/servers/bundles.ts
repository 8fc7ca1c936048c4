import { type ChildProcess, fork } from 'node:child_process';
import { once as awaitEvent } from 'node:events';
import { existsSync, globSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'aws-lambda';
import { inject } from 'vitest';
import type { GatewayOptions } from '../../../infra/local/gateway/gateway.ts';
import { once } from '../../../shared/runtime/async.ts';
import { bundleFile } from '../engines/engines.ts';
import { type FaultProxy, type Moment, openFaultProxy } from '../faults/fault-proxy.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = ['{functions,shared,infra}/**/*', 'package-lock.json'];

/** Returns the folder of the bundles of `npm run synth`; undefined if it has not run since a source was changed. */
const findSynthesized = once((): string | undefined => {
  const madeAt = statSync(join(ROOT, 'cdk.out/manifest.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isOlder = (file: string) => statSync(join(ROOT, file)).mtimeMs < madeAt;
  return globSync(SOURCES, { cwd: ROOT }).every(isOlder) ? join(ROOT, 'cdk.out/bundles') : undefined;
});

/** Returns the file of the bundle of each handler. Those that the last synthesis did not make are made once for the run. */
export async function bundleOnce(handlers: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { folder: ofRun, url } = inject('bundles');
  const folder = findSynthesized() ?? ofRun;
  const missing = handlers.filter((handler) => !existsSync(bundleFile(folder, handler)));
  if (missing.length > 0) {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(missing) });
    if (!answer.ok) throw new Error(`the bundles were not made: ${await answer.text()}`);
  }
  const find = (handler: string) => bundleFile(missing.includes(handler) ? ofRun : folder, handler);
  return new Map(handlers.map((handler) => [handler, find(handler)]));
}

export type FunctionProcess = {
  /** Calls the handler. Throws with the handler's stack when it throws, or when the process ends first. */
  call(event: unknown, context: unknown): Promise<unknown>;
  /** The lines on stdout and stderr. */
  readonly log: readonly string[];
  stop(): Promise<void>;
  /** Ends the process at once with SIGKILL. */
  kill(): Promise<void>;
};

type Place = {
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** The working directory. */
  readonly folder: string;
  readonly aheadMs?: number;
  readonly nodeOptions?: readonly string[];
};

type Reply = { readonly id: number; readonly answer?: unknown; readonly failure?: string };

/** Starts the file of a bundle in a Node process with only this environment. */
export async function startFunction(
  file: string,
  { environment, folder, aheadMs = 0, nodeOptions = [] }: Place,
): Promise<FunctionProcess> {
  const child = fork(join(import.meta.dirname, 'function-runtime.ts'), [file, String(aheadMs)], {
    cwd: folder,
    env: environment,
    execArgv: [...nodeOptions],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log = collectLines(child);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  await waitUntilReady(child, log);
  child.on('message', ({ id, answer, failure }: Reply) => {
    if (failure === undefined) waiting.get(id)?.resolve(answer);
    else waiting.get(id)?.reject(new Error(failure));
    waiting.delete(id);
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the function has ended'));
  });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = awaitEvent(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return {
    log,
    call(event, context) {
      const call = Promise.withResolvers<unknown>();
      waiting.set(calls, call);
      // The methods of a context cannot be sent to another process.
      const timeMs = (context as Partial<Context> | undefined)?.getRemainingTimeInMillis?.();
      child.send({ id: calls++, event, context, timeMs });
      return call.promise;
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

function collectLines({ stdout, stderr }: ChildProcess): string[] {
  const lines: string[] = [];
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n').filter(Boolean)));
  }
  return lines;
}

async function waitUntilReady(child: ChildProcess, log: readonly string[]): Promise<void> {
  const ended = awaitEvent(child, 'exit').then(() => {
    throw new Error(`the function did not start: ${log.join('\n')}`);
  });
  await Promise.race([awaitEvent(child, 'message'), ended]);
  ended.catch(() => undefined);
}

export type Cut = { readonly nth: number; readonly moment: Moment };
/** Returns the cuts before and after each of so many calls. */
export const listCuts = (calls: number): Cut[] =>
  Array.from({ length: calls }, (_, index) => index + 1).flatMap((nth): Cut[] => [
    { nth, moment: 'before' },
    { nth, moment: 'after' },
  ]);

type Warm = Map<string, Promise<FunctionProcess>>;
export type Containers = Awaited<ReturnType<typeof openContainers>>;

/**
 * Opens the containers of a server: its functions as bundles in processes, made when they are first called, with one fault proxy
 * before all dependencies.
 */
export async function openContainers(
  settings: Readonly<Record<string, string>>,
  engines: { readonly ses: string; readonly facturapi: string },
) {
  const folder = await mkdtemp(join(tmpdir(), 'bundled-'));
  const { AWS_ENDPOINT_URL_DYNAMODB: dynamodb = '', AWS_ENDPOINT_URL_S3: s3 = '' } = inject('serverEnvironment');
  const stripe = settings.STRIPE_URL ?? '';
  const outside = await openFaultProxy({ dynamodb, s3, stripe, ...engines });
  const warm: Warm = new Map();
  let containers = warm;
  let started = 0;
  const start = async (file: string, aheadMs = 0): Promise<FunctionProcess> => {
    const home = join(folder, `container-${++started}`);
    await mkdir(home);
    const bundles = await bundleOnce([file]);
    const environment = { ...createEnvironment(outside), ...settings, STRIPE_URL: outside.url };
    return startFunction(bundles.get(file) ?? '', { environment, folder: home, aheadMs });
  };
  const findContainer = (file: string): Promise<FunctionProcess> => {
    const container = containers.get(file) ?? start(file);
    containers.set(file, container);
    return container;
  };
  const cutBy = (kill: () => Promise<void>, cut: Cut | undefined): void =>
    outside.set(({ place }) => (place === cut?.nth ? { kill, moment: cut.moment } : undefined));
  const gateway: Partial<GatewayOptions> = {
    // The function's time does not include its bundling and start.
    loadHandler: async (file) => {
      const container = await findContainer(file);
      return (event, context) => container.call(event, context);
    },
    // The gateway reports killed functions, which these tests expect.
    report: () => undefined,
  };
  return {
    gateway,
    outside,
    /**
     * Runs a request in new containers and returns its answer and the calls to dependencies. A cut kills the containers
     * at the `nth` call. Later requests use the previous containers.
     */
    async inNewContainers<Answer>(ask: () => Promise<Answer>, cut?: Cut) {
      const fresh: Warm = new Map();
      containers = fresh;
      cutBy(() => killAll(fresh), cut);
      try {
        return { answer: await ask(), calls: outside.sent() };
      } finally {
        containers = warm;
        outside.set();
        await killAll(fresh);
      }
    },
    /**
     * Runs a job in a new container whose clock is ahead, and returns the calls to dependencies and whether it came to its
     * end. A cut kills the container at the `nth` call.
     */
    async runJob(file: string, { aheadMs, cut }: { readonly aheadMs: number; readonly cut?: Cut }) {
      const container = await start(file, aheadMs);
      cutBy(container.kill, cut);
      try {
        const isDone = await container.call({}, {}).then(
          () => true,
          () => false,
        );
        return { isDone, calls: outside.sent() };
      } finally {
        outside.set();
        await container.kill();
      }
    },
    async close() {
      await killAll(warm);
      await outside.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function killAll(containers: Warm): Promise<void> {
  await Promise.all(containers.values().map(async (container) => (await container).kill()));
}

const OWN_SETTINGS = [
  ...['CATALOG_BUCKET', 'TABLE_NAME', 'DOCUMENTS_BUCKET', 'INVOICING_PROVIDER', 'FACTURAPI_KEY'],
  'TOKEN_LIFETIME_SECONDS',
];

/** Returns the environment of the functions of this server. */
const createEnvironment = ({ url }: FaultProxy): Record<string, string> => ({
  ...inject('serverEnvironment'),
  ...Object.fromEntries(OWN_SETTINGS.flatMap((name) => (name in process.env ? [[name, process.env[name] ?? '']] : []))),
  AWS_ENDPOINT_URL_DYNAMODB: url,
  AWS_ENDPOINT_URL_S3: url,
  AWS_ENDPOINT_URL_SES: url,
  FACTURAPI_URL: `${url}/v2`,
  TZ: ':UTC',
});
