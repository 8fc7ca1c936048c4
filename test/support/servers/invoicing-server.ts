import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { handler as sendMail } from '../../../functions/jobs/send-mail.ts';
import { handler as settle } from '../../../functions/jobs/settle-invoices.ts';
import { issueAccessToken } from '../../../shared/access/token.ts';
import { table, tokenKeys } from '../../../shared/deps.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { changeOrderWrites } from '../../../shared/store/orders/order-writes.ts';
import { getOrderOfAnyClient } from '../../../shared/store/orders/orders.ts';
import { userByEmail } from '../../../shared/store/people/users.ts';
import { type FacturapiServer, openFacturapi } from '../engines/facturapi-server.ts';
import { openMailbox } from '../engines/mailbox.ts';
import { openSesRelay, type SesRelay } from '../engines/ses-relay.ts';
import { type FaultProxy, openFaultProxy } from '../faults/fault-proxy.ts';
import { type HeldLimits, holdLimits } from '../faults/held-limits.ts';
import type { HttpAnswer } from '../http/http.ts';
import { forceVersion } from '../orders/forced-order.ts';
import { INVOICING, orderBody } from '../orders/samples.ts';
import { openTestServer, type TestServer } from './test-server.ts';

/**
 * A server that issues invoices with the fake Facturapi and mails them through the local SES. On a busy machine neither may
 * take too long, so the limits of calls pass only when a test says so.
 */
export type InvoicingServer = TestServer & {
  readonly facturapi: FacturapiServer;
  /** The fault proxy before Facturapi. */
  readonly network: FaultProxy;
  readonly ses: SesRelay;
  readonly limits: HeldLimits;
  /** Sends a request as a user of the demonstration client, with a token that is valid by the test clock. */
  as(email: string, method: string, path: string, body?: object): Promise<HttpAnswer>;
  /** Places an order as the insurance employee, with invoicing data if they are given. */
  place(asked?: { readonly email?: string; readonly order?: object; readonly invoicing?: object }): Promise<HttpAnswer>;
  stored(id: number): Promise<Order>;
  /** Stores an order with other values, without the rules of the service. */
  force(id: number, state: Partial<Order>): Promise<void>;
  /** Lets the next call to the provider arrive after its caller's deadline, when the returned function is called. */
  delayBeyondDeadline(): () => void;
  /** Advances the clock by these minutes and settles invoices. */
  settleAfter(minutes: number): Promise<void>;
  /** Advances the clock by these minutes and sends mail. */
  sendMailAfter(minutes: number): Promise<void>;
};

export const EMPLOYEE = 'aseguradora@demo.example';

// The limits of the calls of a request are at their longest for as long as it has this much time.
const FUNCTION_MS = 28_000;
/** The longest that a request waits for the provider, and for its mail. */
export const PROVIDER_MS = 5_000;
export const MAIL_MS = 2_000;

export async function openInvoicingServer(more: Readonly<Record<string, string>> = {}): Promise<InvoicingServer> {
  const facturapi = await openFacturapi();
  const network = await openFaultProxy(facturapi.url);
  const mailbox = await openMailbox();
  const ses = await openSesRelay(mailbox.url);
  const environment = {
    INVOICING_PROVIDER: 'facturapi',
    FACTURAPI_KEY: facturapi.key,
    // Tijuana, and the store in Monterrey.
    BORDER_ZIPCODES: '22000-22999,64000',
    FACTURAPI_URL: `${network.url}/v2`,
    AWS_ENDPOINT_URL_SES: ses.url,
    ...more,
  };
  const server = await openTestServer({ environment, gateway: { functionTimeoutMs: FUNCTION_MS } });

  const limits = holdLimits();

  const as: InvoicingServer['as'] = async (email, method, path, body) => {
    const call = { token: await issueToken(server, email) };
    return server.request(method, path, body ? { ...call, body } : call);
  };
  const stored = async (id: number) => {
    const order = await getOrderOfAnyClient(table(), id);
    if (!order) throw new Error(`no order ${id}`);
    return order;
  };
  return {
    ...server,
    facturapi,
    network,
    ses,
    limits,
    as,
    stored,
    place: ({ email = 'ana@example.mx', order = {}, invoicing } = {}) => {
      const more = invoicing ? { invoicing: { ...INVOICING, ...invoicing } } : {};
      return as(EMPLOYEE, 'POST', '/api/orders/resources/', orderBody(email, { ...order }, more));
    },
    async force(id, state) {
      const before = await stored(id);
      const runAfter = forceVersion(before, state);
      await table().transact(changeOrderWrites(before, runAfter));
    },
    delayBeyondDeadline() {
      const { promise, resolve } = Promise.withResolvers<void>();
      network.set(({ nth }) => {
        if (nth !== 1) return undefined;
        limits.end(PROVIDER_MS);
        return { until: promise };
      });
      return resolve;
    },
    settleAfter: (minutes) => after(minutes, settle),
    sendMailAfter: (minutes) => after(minutes, sendMail),
    async close() {
      limits.release();
      await server.close();
      await Promise.all([network.close(), facturapi.close(), ses.close()]);
      await mailbox.stop();
    },
  };
}

async function issueToken({ client }: TestServer, email: string): Promise<string> {
  const user = await userByEmail(table(), client.id, email);
  if (!user) throw new Error(`no user ${email}`);
  return issueAccessToken({ client: client.id, user }, { keys: await tokenKeys(), lifetimeSeconds: 900, now: now() });
}

async function after(minutes: number, job: () => Promise<void>): Promise<void> {
  setClock(new Date(now().getTime() + minutes * 60_000));
  await job();
}

/** Opens an invoicing server for the tests of a file, each of which begins at this time with every engine well. */
export function useInvoicingServer(time: Date, onOpen: (server: InvoicingServer) => void): void {
  let server: InvoicingServer;
  beforeAll(async () => {
    setClock(time);
    server = await openInvoicingServer();
    onOpen(server);
  });
  beforeEach(() => setClock(time));
  afterEach(() => {
    server.facturapi.script();
    server.network.set();
    server.ses.mood = 'well';
  });
  afterAll(async () => {
    setClock();
    await server.close();
  });
}
