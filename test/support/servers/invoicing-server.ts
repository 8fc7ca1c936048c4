import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { handler as runDueTasks } from '../../../functions/jobs/run-due-tasks.ts';
import { issueAccessToken } from '../../../shared/access/authenticate.ts';
import { table, tokenKeys } from '../../../shared/deps.ts';
import { userByEmail } from '../../../shared/people/users.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { holdLimits } from '../faults/held-limits.ts';
import { forceStored, getStoredOrder } from '../orders/forced-order.ts';
import { INVOICING, orderBody } from '../orders/samples.ts';
import { openServer, type TestServer } from './test-server.ts';

export const EMPLOYEE = 'aseguradora@demo.example';
/** Noon on a Monday in Mexico City. */
export const NOON = new Date('2026-11-23T18:00:00.000Z');

// The limits of the calls of a request are at their longest for as long as it has this much time.
const FUNCTION_MS = 28_000;
/** The longest that a request waits for the provider, and for its mail. */
export const PROVIDER_MS = 5_000;
export const MAIL_MS = 2_000;

export type InvoicingServer = Awaited<ReturnType<typeof openInvoicingServer>>;

type Placing = { readonly email?: string; readonly order?: object; readonly invoicing?: object };

/**
 * Opens a server that issues invoices with the fake Facturapi and mails them through the local SES. On a busy machine neither
 * may take too long, so the limits of calls pass only when a test says so.
 */
export async function openInvoicingServer(more: Readonly<Record<string, string>> = {}) {
  const server = await openServer({
    invoices: true,
    // Tijuana, and the store in Monterrey.
    settings: { BORDER_ZIPCODES: '22000-22999,64000', ...more },
    gateway: { functionTimeoutMs: FUNCTION_MS },
  });
  const limits = holdLimits();

  /** Sends a request as a user of the demonstration client, with a token that is valid by the test clock. */
  const as = async (email: string, method: string, path: string, body?: object) => {
    const call = { token: await issueToken(server, email) };
    return server.request(method, path, body ? { ...call, body } : call);
  };
  return {
    ...server,
    limits,
    as,
    stored: getStoredOrder,
    force: forceStored,
    /** Places an order as the insurance employee, with invoicing data if they are given. */
    place: ({ email = 'ana@example.mx', order = {}, invoicing }: Placing = {}) => {
      const more = invoicing ? { invoicing: { ...INVOICING, ...invoicing } } : {};
      return as(EMPLOYEE, 'POST', '/api/orders/resources/', orderBody(email, { ...order }, more));
    },
    /** Lets the next call to the provider arrive after its caller's deadline, when the returned function is called. */
    delayBeyondDeadline() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.network.set(({ nth }) => {
        if (nth !== 1) return undefined;
        limits.end(PROVIDER_MS);
        return { until: promise };
      });
      return resolve;
    },
    /** Advances the clock by these minutes and runs what is due of tax documents. */
    runAfter: async (minutes: number) => {
      setClock(new Date(now().getTime() + minutes * 60_000));
      await runDueTasks();
    },
    async close() {
      limits.release();
      await server.close();
    },
  };
}

async function issueToken({ client }: TestServer, email: string): Promise<string> {
  const user = await userByEmail(table(), client.id, email);
  if (!user) throw new Error(`no user ${email}`);
  return issueAccessToken({ client: client.id, user }, { keys: await tokenKeys(), lifetimeSeconds: 900, now: now() });
}

/** Returns an address that no other test uses, so that its mails can be told apart. */
export const newAddress = () => `invoice-${randomUUID()}@example.mx`;

/**
 * Opens an invoicing server for the tests of a file, each of which begins at noon with every engine well; its parts are there
 * when the first hook that follows runs.
 */
export function useInvoicingServer(): InvoicingServer {
  const server = {} as InvoicingServer;
  beforeAll(async () => {
    setClock(NOON);
    Object.assign(server, await openInvoicingServer());
  });
  beforeEach(() => setClock(NOON));
  afterEach(() => {
    server.facturapi.script();
    server.network.set();
    server.ses.scenario = 'well';
  });
  afterAll(() => server.close());
  return server;
}
