import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { ServedRoute } from '../../../shared/api/routes.ts';
import { once } from '../../../shared/runtime/async.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { type Measure, onMeasure } from '../../../shared/runtime/metrics.ts';
import { BODY_TOO_LARGE, type GatewayCode, KEYLESS_LIMIT, MOST_BODY_BYTES, STAGE } from '../../gateway-answers.ts';
import { isForThisMachine } from '../engines/ports.ts';
import { addDocs, addImages } from '../pages.ts';
import { addPaymentPages, type Calling } from '../payments/payment-page.ts';
import { addSandbox } from '../sandbox.ts';
import { compressAnswer, corsHeaders, type HttpAnswer, ownAnswer, preflight } from './answers.ts';
import type { ApiKey, ApiKeys } from './api-keys.ts';
import { createRouter, proxyEvent, splitTarget } from './event.ts';
import { createInvoker, type InvocationOptions } from './invocation.ts';

export type RateLimit = { readonly requestsPerSecond: number; readonly burst: number };

export type GatewayOptions = InvocationOptions & {
  readonly routes: readonly ServedRoute[];
  readonly keys: ApiKeys;
  /** The port to listen on; 0 picks a free one. */
  readonly port: number;
  readonly corsOrigins?: readonly string[];
  /** The limit of each key; undefined means none, and none for routes without a key either. */
  readonly rateLimit?: RateLimit | undefined;
  readonly paymentCalls?: Calling;
};

const IS_OF_STAGE = new RegExp(`^/+${STAGE}([/?]|$)`);
const CLOSING_MS = 2_000;
// Longer than clients keep an idle connection open, so that no connection closes while a request is on its way.
const KEEP_ALIVE_MS = 120_000;
// API Gateway names no key in the event of a method that needs none.
const NO_KEY = { id: '', value: '' } as const;

/** A local API Gateway on loopback: the REST API under its stage, and the local server's own pages beside it. */
export function createGateway(options: GatewayOptions) {
  const { report, keys, paymentCalls: calling, port } = options;
  const answer = createRestApi(options);
  const app = fastify({
    bodyLimit: MOST_BODY_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    genReqId: () => randomUUID(),
    // The paths of the API reach their functions as sent: the router of fastify would decode them.
    rewriteUrl: ({ url = '/' }) => (IS_OF_STAGE.test(url) ? `/${STAGE}` : url),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => {
    if (!isForThisMachine(request.raw))
      return reply.code(421).send({ detail: 'The local server answers on localhost.' });
    // The functions judge the type of a body; fastify would refuse some types itself.
    delete request.raw.headers['content-type'];
  });
  app.all(`/${STAGE}`, async (request, reply) => send(reply, await withServerTiming(() => answer(request))));
  addDocs(app);
  addImages(app);
  addSandbox(app, keys);
  addPaymentPages(app, { report, calling });
  app.setNotFoundHandler((request, reply) => send(reply, ownAnswer('not_found', request.id)));
  app.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode === 413) {
      // A caller that still sends would see a broken connection in place of the answer.
      request.raw.resume();
      return reply.removeHeader('connection').code(statusCode).type('text/plain').send(Buffer.from(BODY_TOO_LARGE));
    }
    if (statusCode < 500) return send(reply, { ...ownAnswer('request_refused', request.id), statusCode });
    report(`${request.method} ${request.originalUrl}: ${error.stack}`);
    return send(reply, ownAnswer('unavailable', request.id));
  });

  return {
    /** Resolves with the address of the stage, without a trailing slash. */
    async listen(): Promise<string> {
      await app.listen({ port, host: '127.0.0.1' });
      return `http://localhost:${(app.server.address() as AddressInfo).port}/${STAGE}`;
    },
    /** Accepts no new requests and waits briefly for open ones to end. */
    async close(): Promise<void> {
      const alarm = setTimeout(() => app.server.closeAllConnections(), CLOSING_MS);
      await app.close();
      clearTimeout(alarm);
    },
  };
}

/** The REST API of a route table. It checks route and key in API Gateway's order, then calls the function. */
function createRestApi({ routes, keys, corsOrigins = [], rateLimit, ...invocation }: GatewayOptions) {
  const router = createRouter(routes);
  const take = rateLimit ? createTokenBuckets(rateLimit) : () => true;
  const takeKeyless = rateLimit ? createTokenBuckets(KEYLESS_LIMIT) : () => true;
  const invoke = createInvoker(invocation);

  return async function answer(request: FastifyRequest): Promise<HttpAnswer> {
    const { id, method, headers, originalUrl: target, raw, body, socket } = request;
    const { path } = splitTarget(target);
    const cors = corsHeaders(headers.origin, corsOrigins);
    const methods = method === 'OPTIONS' && corsOrigins.length > 0 ? router.methods(path) : [];
    if (methods.length > 0) return preflight(methods, id, cors);
    const match = router.find(method, path);
    if (!match) return ownAnswer('not_found', id, cors);
    const apiKey = findKey(match.route, headers['x-api-key']);
    if (typeof apiKey === 'string') return ownAnswer(apiKey, id, cors);
    const event = proxyEvent({
      ...{ id, method, match, target, apiKey },
      headers: raw.headersDistinct,
      rawHeaders: raw.rawHeaders,
      body: String(body ?? ''),
      sourceIp: socket.remoteAddress ?? '',
    });
    const result = await invoke(match.route, event);
    return result ? compressAnswer(result, headers['accept-encoding']) : ownAnswer('unavailable', id, cors);
  };

  function findKey({ authentication, path }: ServedRoute, value: unknown): Pick<ApiKey, 'id' | 'value'> | GatewayCode {
    if (authentication === 'none') return takeKeyless(path, now()) ? NO_KEY : 'throttled';
    const key = keys.find(String(value ?? ''));
    if (!key?.enabled) return 'api_key_invalid';
    return take(key.id, now()) ? key : 'throttled';
  }
}

/** Returns what takes a token from the bucket of a key, which holds `burst`; false if it is empty. */
function createTokenBuckets({ requestsPerSecond, burst }: RateLimit) {
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>();

  return function take(key: string, now: Date): boolean {
    const at = now.getTime();
    const bucket = buckets.get(key) ?? { tokens: burst, at };
    const tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1_000) * requestsPerSecond);
    const isTaken = tokens >= 1;
    buckets.set(key, { tokens: isTaken ? tokens - 1 : tokens, at });
    return isTaken;
  };
}

const requests = new AsyncLocalStorage<Measure[]>();
const listen = once(() => onMeasure((measure) => requests.getStore()?.push(measure)));

/** Adds a `Server-Timing` header with the time of each part of the request and its DynamoDB units. */
async function withServerTiming(answer: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  listen();
  const measures: Measure[] = [];
  const startedAt = performance.now();
  const { headers, ...rest } = await requests.run(measures, answer);
  measures.push({ part: 'total', durationMs: performance.now() - startedAt });
  // Repeated parts are summed, in the order of their first use.
  const entries = [...Map.groupBy(measures, ({ part }) => part)].map(([part, same]) => formatEntry(part, same));
  return { ...rest, headers: { ...headers, 'Server-Timing': entries.join(', ') } };
}

function formatEntry(part: string, measures: readonly Measure[]): string {
  const sum = (name: Exclude<keyof Measure, 'part'>) =>
    measures.reduce((total, measure) => total + (measure[name] ?? 0), 0);
  const duration = `${part};dur=${sum('durationMs').toFixed(1)}`;
  const trips = sum('roundTrips');
  if (trips === 0) return duration;
  return `${duration};desc="round trips ${trips}, read units ${sum('readUnits')}, write units ${sum('writeUnits')}"`;
}

/** Sends an answer as it is: fastify would add a charset to the type of a text. */
function send(reply: FastifyReply, { statusCode, headers, body }: HttpAnswer): FastifyReply {
  return reply
    .code(statusCode)
    .headers(headers)
    .send(body.length > 0 ? Buffer.from(body) : undefined);
}
