import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { once as onceEmitted } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from '../../../shared/runtime/async.ts';
import { type Measure, onMeasure } from '../../../shared/runtime/metrics.ts';
import { GATEWAY_QUOTAS } from '../../gateway-answers.ts';
import { CONTROL_PATH, createControl } from '../control.ts';
import { createDocs, isDocs } from '../docs.ts';
import { isForThisMachine, isFromThisMachine } from '../engines/ports.ts';
import type { Disk } from '../free-space.ts';
import type { InvokeLocally } from '../local-functions.ts';
import { type Calling, createPaymentPages, isPaymentPage } from '../payments/payment-page.ts';
import { createSandbox, isSandbox } from '../sandbox.ts';
import { awsAnswer, foreignPage, type HttpAnswer } from './answers.ts';
import { createRestApi, type RestApiOptions } from './rest-api.ts';

export type GatewayOptions = RestApiOptions & {
  readonly usagePlanId: string;
  /** Runs the functions that others invoke; without it there are none. */
  readonly invokeFunction?: InvokeLocally;
  /** Tells the data folder, and whether its disk is short. */
  readonly disk: () => Disk;
  /** The manner in which the sandbox of payments calls after an outcome. */
  readonly paymentCalls?: Calling;
  /** Adds a `Server-Timing` header to each answer. */
  readonly serverTiming?: 'shown' | 'hidden';
  /** The port to listen on; 0 picks a free one. */
  readonly port: number;
};

export type Gateway = ReturnType<typeof createGateway>;

const CLOSING_MS = 2_000;
const CLOSING_SWEEP_MS = 20;
// Longer than clients keep an idle connection open, so that no connection closes while a request is on its way.
const KEEP_ALIVE_MS = 120_000;
// Node's own limit lies above the gateway's, which answers as API Gateway does.
const MAX_NODE_HEADER_BYTES = 4 * GATEWAY_QUOTAS.headerBytes;

/** A local API Gateway on loopback: the REST API under its stage, the control API for keys, and its own pages. */
export function createGateway(options: GatewayOptions) {
  const api = createRestApi(options);
  const restApi = options.serverTiming === 'shown' ? withServerTiming(api) : api;
  const control = createControl({ invokeFunction: () => false, ...options });
  const docs = createDocs(options.stage);
  const sandbox = createSandbox(options.keys);
  const paymentPage = createPaymentPages({ ...options, calling: options.paymentCalls });

  async function answer(message: IncomingMessage): Promise<HttpAnswer> {
    const id = randomUUID();
    if (!isForThisMachine(message)) return foreignPage(id);
    const tooLarge = checkHead(message);
    if (tooLarge) return tooLarge;
    const body = await readBody(message, GATEWAY_QUOTAS.bodyBytes);
    if (!body) return awsAnswer('bodyTooLarge');
    const { pathname, query } = splitTarget(message.url ?? '');
    const visit = { id, now: new Date(), message, pathname, query, body };
    if (isDocs(pathname)) return docs(visit);
    if (isSandbox(pathname)) return sandbox(visit);
    if (isPaymentPage(pathname)) return paymentPage(visit);
    if (!pathname.startsWith(CONTROL_PATH)) return restApi(visit);
    return isFromThisMachine(message) ? control(visit) : foreignPage(id);
  }

  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: MAX_NODE_HEADER_BYTES },
    (message, response) => {
      answer(message)
        .then((made) => writeAnswer(response, made))
        .catch((error: unknown) => {
          options.report(`${message.method} ${message.url}: ${error}`);
          response.destroy();
        });
    },
  );

  return {
    /** Resolves with the address of the stage, without a trailing slash. */
    async listen(): Promise<string> {
      server.listen(options.port, '127.0.0.1');
      await onceEmitted(server, 'listening');
      return `http://localhost:${(server.address() as AddressInfo).port}/${options.stage}`;
    },
    /** Accepts no new requests and waits briefly for open ones to end. */
    async close(): Promise<void> {
      const closed = onceEmitted(server, 'close');
      server.close();
      // Keep-alive connections become idle one by one, as their requests are answered.
      const sweep = setInterval(() => server.closeIdleConnections(), CLOSING_SWEEP_MS);
      const alarm = setTimeout(() => server.closeAllConnections(), CLOSING_MS);
      await closed;
      clearInterval(sweep);
      clearTimeout(alarm);
    },
  };
}

/** Returns the answer to a URL or headers that are too large. */
function checkHead({ url = '', rawHeaders }: IncomingMessage): HttpAnswer | undefined {
  if (url.length > GATEWAY_QUOTAS.urlLength) return awsAnswer('urlTooLong');
  const values = rawHeaders.filter((_, index) => index % 2 === 1);
  const isTooLarge = Buffer.byteLength(values.join('')) > GATEWAY_QUOTAS.headerBytes;
  return isTooLarge ? awsAnswer('headersTooLarge') : undefined;
}

// The URL class would normalise the path, which has to arrive as sent.
function splitTarget(target: string): { pathname: string; query: string } {
  const mark = target.indexOf('?');
  if (mark < 0) return { pathname: target, query: '' };
  return { pathname: target.slice(0, mark), query: target.slice(mark + 1) };
}

function writeAnswer(response: ServerResponse, { statusCode, headers, body }: HttpAnswer): void {
  const hasBody = statusCode !== 204 && statusCode !== 304;
  response.writeHead(statusCode, hasBody ? { ...headers, 'Content-Length': Buffer.byteLength(body) } : headers);
  response.end(hasBody ? body : undefined);
}

const NOTHING = Buffer.alloc(0);

/** Reads the body of a request; undefined if it exceeds the limit. Never holds more than the limit in memory. */
async function readBody(message: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  const declared = message.headers['content-length'];
  if (Number(declared ?? 0) > limitBytes) return undefined;
  if (declared === undefined && message.headers['transfer-encoding'] === undefined) return NOTHING;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const chunks: Buffer[] = [];
  let size = 0;
  message.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limitBytes) chunks.push(chunk);
    else resolve(undefined);
  });
  message.on('end', () => resolve(Buffer.concat(chunks)));
  message.on('error', reject);
  return promise;
}

const requests = new AsyncLocalStorage<Measure[]>();
const listen = once(() => onMeasure((measure) => requests.getStore()?.push(measure)));

/** Adds a `Server-Timing` header with the time of each part of the request and its DynamoDB units. */
function withServerTiming<Visit>(answer: (visit: Visit) => Promise<HttpAnswer>) {
  listen();
  return async (visit: Visit): Promise<HttpAnswer> => {
    const measures: Measure[] = [];
    const started = performance.now();
    const answered = await requests.run(measures, () => answer(visit));
    const whole = { part: 'total', durationMs: performance.now() - started };
    return { ...answered, headers: { ...answered.headers, 'Server-Timing': serverTiming([...measures, whole]) } };
  };
}

/** Returns one entry per part, in the order of first use; repeated parts are summed. */
function serverTiming(measures: readonly Measure[]): string {
  return [...Map.groupBy(measures, ({ part }) => part)].map(([part, same]) => entry(part, same)).join(', ');
}

function entry(part: string, measures: readonly Measure[]): string {
  const sum = (name: Exclude<keyof Measure, 'part'>) =>
    measures.reduce((total, measure) => total + (measure[name] ?? 0), 0);
  const duration = `${part};dur=${sum('durationMs').toFixed(1)}`;
  if (sum('roundTrips') === 0) return duration;
  const [trips, read, written] = [sum('roundTrips'), sum('readUnits'), sum('writeUnits')];
  return `${duration};desc="round trips ${trips}, read units ${read}, write units ${written}"`;
}
