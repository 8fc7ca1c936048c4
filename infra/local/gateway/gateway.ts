import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GATEWAY_QUOTAS } from '../../aws-answers.ts';
import { CONTROL_PATH, createControl } from '../control.ts';
import type { Disk } from '../free-space.ts';
import { createDocs, isDocs } from '../docs.ts';
import type { InvokeLocally } from '../local-functions.ts';
import { isForThisMachine, isFromThisMachine } from '../local-request.ts';
import { awsAnswer, foreignPage, type HttpAnswer } from './answers.ts';
import { readBody } from './request-body.ts';
import { createRestApi, type RestApiOptions } from './rest-api.ts';
import { withServerTiming } from './server-timing.ts';

export type GatewayOptions = RestApiOptions & {
  readonly usagePlanId: string;
  /** Runs the functions that others invoke; without it there are none. */
  readonly invokeFunction?: InvokeLocally;
  /** Tells the data folder, and whether its disk is short. */
  readonly disk: () => Disk;
  /** Adds a `Server-Timing` header to each answer. */
  readonly serverTiming?: 'shown' | 'hidden';
  /** The port to listen on; 0 picks a free one. */
  readonly port: number;
};

export type Gateway = {
  /** Resolves with the address of the stage, without a trailing slash. */
  listen(): Promise<string>;
  /** Accepts no new requests and waits briefly for open ones to end. */
  close(): Promise<void>;
};

const CLOSING_MS = 2_000;
const CLOSING_SWEEP_MS = 20;
// Longer than clients keep an idle connection open, so that no connection closes while a request is on its way.
const KEEP_ALIVE_MS = 120_000;
// Node's own limit lies above the gateway's, which answers as API Gateway does.
const MAX_NODE_HEADER_BYTES = 4 * GATEWAY_QUOTAS.headerBytes;

/** A local API Gateway on loopback: the REST API under its stage, the control API for keys, and the reference page. */
export function createGateway(options: GatewayOptions): Gateway {
  const api = createRestApi(options);
  const restApi = options.serverTiming === 'shown' ? withServerTiming(api) : api;
  const control = createControl({ invokeFunction: () => false, ...options });
  const docs = createDocs(options.stage);

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
    async listen() {
      server.listen(options.port, '127.0.0.1');
      await once(server, 'listening');
      return `http://localhost:${(server.address() as AddressInfo).port}/${options.stage}`;
    },
    async close() {
      const closed = once(server, 'close');
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
