import type { IncomingMessage, Server } from 'node:http';

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
