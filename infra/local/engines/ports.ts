import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'node:net';
import { LocalServerError } from '../local-server-error.ts';

const LOOPBACK = '127.0.0.1';

/** Listens on loopback. Throws LocalServerError, naming the variable, if the port is taken. */
export async function listenOn(server: Server, port: number, variable: string): Promise<void> {
  try {
    server.listen(port, LOOPBACK);
    await once(server, 'listening');
  } catch (cause) {
    throw toPortError(port, variable, cause);
  }
}

/** Closes a server and the connections that it has. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** A port and the variable that sets it. */
export type NamedPort = { readonly port: number; readonly variable: string };

/** Throws LocalServerError, with one line for each fault, if two of the ports are equal or any is taken. */
export async function expectFreePorts(ports: readonly NamedPort[]): Promise<void> {
  const byPort = Map.groupBy(ports, ({ port }) => port);
  const probed = await Promise.allSettled([...byPort].map(([port, named]) => probe(port, named)));
  const failures = probed.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  const unexpected = failures.find((failure) => !(failure instanceof LocalServerError));
  if (unexpected) throw unexpected;
  if (failures.length > 0) throw new LocalServerError(failures.map(({ message }) => message).join('\n'));
}

async function probe(port: number, named: readonly NamedPort[]): Promise<void> {
  const variables = named.map(({ variable }) => variable);
  if (variables.length > 1) {
    throw new LocalServerError(`${variables.join(' and ')} are the same port ${port}: set each to one of its own.`);
  }
  const server = createServer();
  await listenOn(server, port, variables.join());
  server.close();
  await once(server, 'close');
}

function toPortError(port: number, variable: string, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return cause;
  const state = code === 'EADDRINUSE' ? 'is in use' : 'may not be opened by this user';
  return new LocalServerError(`Port ${port} ${state}: set ${variable} to a free one.`);
}

/*
 * Loopback keeps other machines out, but not the pages of a browser on this one. A page can send requests here under its own
 * name, once its DNS answers 127.0.0.1 (DNS rebinding), and reads the answers as those of its own origin; `Host` still has
 * its name.
 */

const NAME = '(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d{1,5})?';
const HOST = new RegExp(`^${NAME}$`, 'i');
const ORIGIN = new RegExp(`^https?://${NAME}$`, 'i');

/** True for a request that names this machine as its host, with any port. */
export const isForThisMachine = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  HOST.test(headers.host ?? '');

/** True for a request of a program, or of a page that this machine serves. */
export const isFromThisMachine = ({ headers: { origin } }: Pick<IncomingMessage, 'headers'>): boolean =>
  origin === undefined || ORIGIN.test(origin);

const MISDIRECTED = 421;

/** Refuses requests that name another host, or come from a page of another site. */
export function refuseForeignPages(server: Server): void {
  const listeners = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (!isForThisMachine(request) || !isFromThisMachine(request)) response.writeHead(MISDIRECTED).end();
    else for (const listen of listeners) listen.call(server, request, response);
  });
}

/** True if a program listens there. */
export async function isListening(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
