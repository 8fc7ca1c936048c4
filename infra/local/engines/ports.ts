import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { LocalServerError } from '../environment.ts';

const LOOPBACK = '127.0.0.1';

/** Throws LocalServerError, naming the variable, if the port is taken. */
async function listenOn(server: Server, port: number, variable: string): Promise<void> {
  try {
    server.listen(port, LOOPBACK);
    await once(server, 'listening');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw cause;
    const state = code === 'EADDRINUSE' ? 'is in use' : 'may not be opened by this user';
    throw new LocalServerError(`Port ${port} ${state}: set ${variable} to a free one.`);
  }
}

export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Throws LocalServerError, with one line for each fault, if ports, by the variables that set them, are taken or equal. */
export async function expectFreePorts(ports: Readonly<Record<string, number>>): Promise<void> {
  const probes = Object.entries(ports).map(async ([variable, port]) => {
    const server = createServer();
    await listenOn(server, port, variable);
    return server;
  });
  const outcomes = await Promise.allSettled(probes);
  await Promise.all(outcomes.map((outcome) => outcome.status === 'fulfilled' && closeServer(outcome.value)));
  const faults = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.message] : []));
  if (faults.length > 0) throw new LocalServerError(faults.join('\n'));
}

/*
 * Loopback keeps other machines out, but not the pages of a browser on this one. A page can send requests here under its own
 * name, once its DNS answers 127.0.0.1 (DNS rebinding), and reads the answers as those of its own origin; `Host` still has
 * its name.
 */

const NAME = '(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d{1,5})?';
const HOST = new RegExp(`^${NAME}$`, 'i');
const ORIGIN = new RegExp(`^https?://${NAME}$`, 'i');
const MISDIRECTED = 421;

/** True for a request that names this machine as its host, with any port. */
export const isForThisMachine = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  HOST.test(headers.host ?? '');

/** True for a request of a program, or of a page that this machine serves. */
export const isFromThisMachine = ({ headers: { origin } }: Pick<IncomingMessage, 'headers'>): boolean =>
  origin === undefined || ORIGIN.test(origin);

/**
 * Serves on loopback, and refuses requests that name another host, or come from a page of another site. Throws LocalServerError,
 * naming the variable, if the port is taken.
 */
export async function serveGuarded(listener: RequestListener, port: number, variable: string): Promise<Server> {
  const server = createServer((request, response) => {
    if (isForThisMachine(request) && isFromThisMachine(request)) listener(request, response);
    else response.writeHead(MISDIRECTED).end();
  });
  await listenOn(server, port, variable);
  return server;
}
