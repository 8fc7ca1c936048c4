import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Loopback = {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Closes the open connections too. */
  close(): Promise<void>;
};

/** Opens an HTTP server on a free port of loopback. */
export async function loopback(handler: RequestListener): Promise<Loopback> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    server,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Sends a received request with this body to an engine, and returns the engine's answer. */
export async function forward(engine: string, { method, url = '', headers }: IncomingMessage, body: Buffer) {
  const { hostname, port } = new URL(engine);
  const own = { ...headers, ...(body.length > 0 && { 'content-length': body.length }) };
  const sent = request({ hostname, port, method, path: url, headers: own }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 502, headers: response.headers, body: await buffer(response) };
}

/** The answer of a fake; an object is sent as JSON, text and bytes unchanged. */
export type FakeAnswer = {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * The fault of a call to a fake. `hang` sends no answer; `stall` sends half of it. The connection closes before the call is done
 * (`drop`), after it is done (`lose reply`) or in the middle of the answer (`break off`).
 */
export type NetworkFault = 'hang' | 'drop' | 'lose reply' | 'break off' | 'stall';

/** Sends an answer, as far as the fault lets it. */
export function sendAnswer(response: ServerResponse, answer: FakeAnswer, fault?: NetworkFault): void {
  const { status = 200, body = {}, headers } = answer;
  if (fault === 'hang') return;
  if (fault === 'drop' || fault === 'lose reply') return void response.destroy();
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = Buffer.from(isRaw ? body : JSON.stringify(body));
  const type = typeof body === 'string' && body.startsWith('<') ? 'text/html' : 'application/json';
  const length = fault && { 'Content-Length': bytes.length };
  response.writeHead(status, { 'Content-Type': type, ...headers, ...length });
  if (!fault) return void response.end(bytes);
  response.write(bytes.subarray(0, bytes.length / 2), () => fault === 'break off' && response.destroy());
}
