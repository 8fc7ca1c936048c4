import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { buildPage } from './bundle.ts';
import { PAGE_POLICY, VIEWER_POLICY } from './policy.ts';

/** Serves the files of the page and of its frame, built once at the start. */
export async function serveFiles(server: FastifyInstance): Promise<void> {
  for (const [name, { type, body }] of await buildPage()) {
    const { config, headers } = name.startsWith('viewer.') ? OF_FRAME : OF_PAGE;
    server.get(name === 'index.html' ? '/' : `/${name}`, { config }, async (_, reply) =>
      reply.headers({ ...headers, 'Content-Type': type }).send(body),
    );
  }
}

type Served = { readonly config: FastifyContextConfig; readonly headers: Readonly<Record<string, string>> };

const OF_PAGE: Served = { config: { isPublic: true }, headers: { 'Content-Security-Policy': PAGE_POLICY } };

// The frame stands in the page, and asks for its script and style from an origin of its own.
const OF_FRAME: Served = {
  config: { isPublic: true, isOfFrame: true },
  headers: {
    'Content-Security-Policy': VIEWER_POLICY,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Frame-Options': 'SAMEORIGIN',
  },
};
