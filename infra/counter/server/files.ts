import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { build } from 'esbuild';
import type { FastifyInstance } from 'fastify';

/** A content policy: our script and style, nothing inline, from elsewhere or evaluated, and what these directives add. */
const makePolicy = (...more: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    ...more,
  ].join('; ');

const PAGE_POLICY = makePolicy("img-src 'self'", "connect-src 'self'", "frame-src 'self'", "frame-ancestors 'none'");

/**
 * The frame in which a document is drawn has an origin of its own, and nothing else. What a document tricks the script into
 * can neither ask for nor send anything.
 */
const VIEWER_POLICY = makePolicy("connect-src 'none'", "frame-ancestors 'self'", 'sandbox allow-scripts');

const PAGE_HEADERS = { 'Content-Security-Policy': PAGE_POLICY };

// The frame stands in the page, and asks for its script and style from an origin of its own.
const FRAME_HEADERS = {
  'Content-Security-Policy': VIEWER_POLICY,
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Frame-Options': 'SAMEORIGIN',
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Serves the files of the page and of its frame, built once at the start. */
export async function serveFiles(server: FastifyInstance): Promise<void> {
  for (const [name, body] of await buildPage()) {
    const isOfFrame = name.startsWith('viewer.');
    const headers = { ...(isOfFrame ? FRAME_HEADERS : PAGE_HEADERS), 'Content-Type': TYPES[extname(name)] };
    const config = { isPublic: true, isOfFrame };
    server.get(name === 'index.html' ? '/' : `/${name}`, { config }, async (_, reply) =>
      reply.headers(headers).send(body),
    );
  }
}

const PAGE = join(import.meta.dirname, '../page');

/** Builds the files of the page, in memory, by their names. */
async function buildPage(): Promise<ReadonlyMap<string, string>> {
  const built = await Promise.all([
    buildScript({ counter: join(PAGE, 'start.tsx') }, { minify: true }),
    // Most of it is minified already, and doing so again takes seconds.
    buildScript({ viewer: join(PAGE, 'viewer/frame.ts') }, { minify: false }),
  ]);
  return new Map([
    ['index.html', await readFile(join(PAGE, 'index.html'), 'utf8')],
    ['viewer.html', await readFile(join(PAGE, 'viewer/frame.html'), 'utf8')],
    ['icon.svg', await readFile(join(PAGE, '../../docs/icon.svg'), 'utf8')],
    ...built.flat(),
  ]);
}

async function buildScript(entryPoints: Record<string, string>, { minify }: { readonly minify: boolean }) {
  const shape = { bundle: true, write: false, format: 'iife', target: 'es2024' } as const;
  const { outputFiles } = await build({ ...shape, entryPoints, outdir: PAGE, minify });
  return outputFiles.map(({ path, text }) => [basename(path), text] as const);
}
