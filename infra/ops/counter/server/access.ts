import { createHash, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HARDENING_HEADERS } from '../../../../shared/http/headers.ts';
import { CounterRefusal } from './error-answer.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for the files of the page, which hold no data and which a browser asks for without the token. */
    isPublic?: boolean;
    /** True for the files of a frame that has an origin of its own, which a browser names `null`. */
    isOfFrame?: boolean;
  }
}

/**
 * Lets through only what the page of this counter asks for. The `Host` keeps out pages whose name was pointed at this
 * machine (DNS rebinding), the `Origin` all other pages, and the token all other programs.
 */
export function guardAccess(server: FastifyInstance, token: string): void {
  const expected = digest(`Bearer ${token}`);
  server.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...HARDENING_HEADERS, 'Cross-Origin-Opener-Policy': 'same-origin', 'Cache-Control': 'no-store' });
    refuseForeign(request, server.server.address() as AddressInfo);
    if (request.routeOptions.config.isPublic) return;
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) throw new CounterRefusal('no_token');
  });
}

// Digests are of one length, so that the comparison takes the same time for every text.
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function refuseForeign({ headers, routeOptions }: FastifyRequest, { port }: AddressInfo): void {
  const { host = '', origin } = headers;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) throw new CounterRefusal('foreign_host');
  if (origin === 'null' && routeOptions.config.isOfFrame) return;
  if (origin !== undefined && origin !== `http://${host}`) throw new CounterRefusal('foreign_origin');
}
