import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { GATEWAY_QUOTAS } from '../../gateway-answers.ts';
import { addDocs } from '../docs.ts';
import { isForThisMachine } from '../engines/ports.ts';
import { addPaymentPages, type Calling } from '../payments/payment-page.ts';
import { addSandbox } from '../sandbox.ts';
import { awsAnswer, foreignPage, type HttpAnswer, ownAnswer } from './answers.ts';
import { createRestApi, type RestApiOptions, type Visit } from './rest-api.ts';
import { withServerTiming } from './server-timing.ts';

export type GatewayOptions = RestApiOptions & {
  /** The manner in which the sandbox of payments calls after an outcome. */
  readonly paymentCalls?: Calling;
  /** Adds a `Server-Timing` header to each answer. */
  readonly serverTiming?: 'shown' | 'hidden';
  /** The port to listen on; 0 picks a free one. */
  readonly port: number;
};

export type Gateway = ReturnType<typeof createGateway>;

const CLOSING_MS = 2_000;
// Longer than clients keep an idle connection open, so that no connection closes while a request is on its way.
const KEEP_ALIVE_MS = 120_000;
// The path of Lambda's Invoke, by which a function starts another one.
const NO_BODY = Buffer.alloc(0);

/** A local API Gateway on loopback: the REST API under its stage, and the local server's own pages beside it. */
export function createGateway(options: GatewayOptions) {
  const { stage, report, keys, paymentCalls: calling, port } = options;
  const api = createRestApi(options);
  const answer = options.serverTiming === 'shown' ? withServerTiming(api) : api;
  const isOfStage = new RegExp(`^/+${stage}([/?]|$)`);
  const app = fastify({
    bodyLimit: GATEWAY_QUOTAS.bodyBytes,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    genReqId: () => randomUUID(),
    // The paths of the API reach their functions as sent: the router of fastify would decode them.
    rewriteUrl: ({ url = '/' }) => (isOfStage.test(url) ? `/${stage}` : url),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => {
    if (!isForThisMachine(request.raw)) return send(reply, foreignPage(request.id));
    // The functions judge the type of a body; fastify would refuse some types itself.
    delete request.raw.headers['content-type'];
  });
  app.all(`/${stage}`, async (request, reply) => send(reply, await answer(toVisit(request))));
  addDocs(app, stage);
  addSandbox(app, keys);
  addPaymentPages(app, { stage, report, calling });
  app.setNotFoundHandler((request, reply) => send(reply, ownAnswer('not_found', request.id)));
  app.setErrorHandler<Error & { code?: string; statusCode?: number }>((error, request, reply) => {
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
      // A caller that still sends would see a broken connection in place of the answer.
      request.raw.resume();
      return send(reply.removeHeader('connection'), awsAnswer('bodyTooLarge'));
    }
    if ((error.statusCode ?? 500) < 500) return send(reply, ownAnswer('request_refused', request.id));
    report(`${request.method} ${request.originalUrl}: ${error.stack}`);
    return send(reply, ownAnswer('unavailable', request.id));
  });

  return {
    /** Resolves with the address of the stage, without a trailing slash. */
    async listen(): Promise<string> {
      await app.listen({ port, host: '127.0.0.1' });
      return `http://localhost:${(app.server.address() as AddressInfo).port}/${stage}`;
    },
    /** Accepts no new requests and waits briefly for open ones to end. */
    async close(): Promise<void> {
      const alarm = setTimeout(() => app.server.closeAllConnections(), CLOSING_MS);
      await app.close();
      clearTimeout(alarm);
    },
  };
}

const toVisit = ({ id, method, raw, originalUrl, headers, body, socket }: FastifyRequest): Visit => ({
  id,
  method,
  headers,
  now: new Date(),
  target: originalUrl,
  rawHeaders: raw.rawHeaders,
  body: Buffer.isBuffer(body) ? body : NO_BODY,
  sourceIp: socket.remoteAddress ?? '',
  port: socket.localPort ?? 0,
  protocol: `HTTP/${raw.httpVersion}`,
});

/** Sends an answer as it is: fastify would add a charset to the type of a text. */
function send(reply: FastifyReply, { statusCode, headers, body }: HttpAnswer): FastifyReply {
  return reply
    .code(statusCode)
    .headers(headers)
    .send(body.length > 0 ? Buffer.from(body) : undefined);
}
