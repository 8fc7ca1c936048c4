import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
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
