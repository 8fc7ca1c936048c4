import type { FastifyInstance } from 'fastify';
import { buildPage } from './bundle.ts';
import { PAGE_POLICY } from './policy.ts';

/** Serves the files of the page, built once at the start. */
export async function serveFiles(server: FastifyInstance): Promise<void> {
  for (const [name, { type, body }] of await buildPage()) {
    server.get(name === 'index.html' ? '/' : `/${name}`, { config: { isPublic: true } }, async (_, reply) =>
      reply.headers({ 'Content-Security-Policy': PAGE_POLICY, 'Content-Type': type }).send(body),
    );
  }
}
