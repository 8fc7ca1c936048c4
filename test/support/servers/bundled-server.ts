import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { openFacturapi } from '../engines/facturapi-server.ts';
import { openMailbox } from '../engines/mailbox.ts';
import type { Mail } from '../engines/ses-relay.ts';
import { type Outside, openOutside, type Sent } from '../faults/dependencies.ts';
import type { Moment } from '../faults/fault-proxy.ts';
import { sendHttp } from '../http/http.ts';
import { bundleOnce } from './bundles-of-run.ts';
import { type FunctionProcess, startFunction } from './function-process.ts';
import { openServer, type ServerOptions } from './test-server.ts';

export type Cut = { readonly nth: number; readonly moment: Moment };

export type BundledServer = Awaited<ReturnType<typeof openBundledServer>>;

type Containers = Map<string, Promise<FunctionProcess>>;

/**
 * Opens a server whose functions are bundles in separate processes, made when they are first called, with fault proxies before
 * all dependencies.
 */
export async function openBundledServer({
  settings = {},
  ...options
}: Pick<ServerOptions, 'failedFunctions' | 'settings'> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'bundled-'));
  const [facturapi, mailbox] = await Promise.all([openFacturapi(), openMailbox()]);
  const own = {
    INVOICING_PROVIDER: 'facturapi',
    FACTURAPI_KEY: facturapi.key,
    FACTURAPI_URL: facturapi.url,
    AWS_ENDPOINT_URL_SES: mailbox.url,
    ...settings,
  };
  const warm: Containers = new Map();
  let containers = warm;
  const server = await openServer({
    settings: own,
    ...options,
    gateway: {
      // The function's time does not include its bundling and start.
      loadHandler: async (file) => {
        const container = await findContainer(file);
        return (event, context) => container.call(event, context);
      },
      // The gateway reports killed functions, which these tests expect.
      report: () => undefined,
    },
  });
  const outside = await openOutside({ ...engineAddresses(), ses: mailbox.url, facturapi: facturapi.url });
  let started = 0;
  const start = async (file: string, aheadMs = 0): Promise<FunctionProcess> => {
    const home = join(folder, `container-${++started}`);
    await mkdir(home);
    const bundles = await bundleOnce([file]);
    const own = { ...settings, ...createEnvironment(outside) };
    return startFunction({ file: bundles.get(file) ?? '' }, { environment: own, folder: home, aheadMs });
  };
  const findContainer = (file: string): Promise<FunctionProcess> => {
    const container = containers.get(file) ?? start(file);
    containers.set(file, container);
    return container;
  };
  return {
    ...server,
    outside,
    facturapi,
    /**
     * Runs a request in new containers and returns its answer and the calls to dependencies. A cut kills the containers
     * at the `nth` call. Later requests use the previous containers.
     */
    async inNewContainers<Answer>(ask: () => Promise<Answer>, cut?: Cut): Promise<{ answer: Answer; calls: Sent[] }> {
      const fresh: Containers = new Map();
      containers = fresh;
      outside.set(({ nth }) => (nth === cut?.nth ? { kill: () => killAll(fresh), moment: cut.moment } : undefined));
      try {
        return { answer: await ask(), calls: outside.calls() };
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
      outside.set(({ nth }) => (nth === cut?.nth ? { kill: container.kill, moment: cut.moment } : undefined));
      try {
        const isDone = await container.call({}, {}).then(
          () => true,
          () => false,
        );
        return { isDone, calls: outside.calls() };
      } finally {
        outside.set();
        await container.kill();
      }
    },
    /** Returns all mails that SES accepted from this server. */
    mails: async (): Promise<Mail[]> => (await sendHttp(mailbox.url, '/store', { method: 'GET' })).body.emails,
    async close() {
      await killAll(warm);
      await server.close();
      await Promise.all([outside.close(), facturapi.close(), mailbox.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function killAll(containers: Containers): Promise<void> {
  await Promise.all(containers.values().map(async (container) => (await container).kill()));
}

function engineAddresses() {
  const { AWS_ENDPOINT_URL_DYNAMODB = '', AWS_ENDPOINT_URL_S3 = '' } = inject('serverEnvironment');
  return { dynamodb: AWS_ENDPOINT_URL_DYNAMODB, s3: AWS_ENDPOINT_URL_S3 };
}

const OWN_SETTINGS = ['TABLE_NAME', 'DOCUMENTS_BUCKET', 'INVOICING_PROVIDER', 'FACTURAPI_KEY'];

/** Returns the environment of the functions of this server. */
function createEnvironment({ addresses }: Outside): Record<string, string> {
  const own = OWN_SETTINGS.map((name) => [name, process.env[name] ?? '']);
  return {
    ...inject('serverEnvironment'),
    ...Object.fromEntries(own),
    AWS_ENDPOINT_URL_DYNAMODB: addresses.dynamodb,
    AWS_ENDPOINT_URL_S3: addresses.s3,
    AWS_ENDPOINT_URL_SES: addresses.ses,
    FACTURAPI_URL: `${addresses.facturapi}/v2`,
    TZ: ':UTC',
  };
}
