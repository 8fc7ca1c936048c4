import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { build } from 'esbuild';
import type { FastifyInstance } from 'fastify';

/** Allows our script and style, nothing inline, foreign or evaluated, and what the given directives add. */
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

const PAGE_HEADERS = {
  'Content-Security-Policy': makePolicy(
    "img-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "frame-ancestors 'none'",
  ),
};

/**
 * A document is drawn in a frame with an opaque origin and no network: a script that a document has taken over can neither fetch nor
 * send anything. The frame loads its script and style cross-origin.
 */
const FRAME_HEADERS = {
  'Content-Security-Policy': makePolicy("connect-src 'none'", "frame-ancestors 'self'", 'sandbox allow-scripts'),
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Frame-Options': 'SAMEORIGIN',
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const PAGE = join(import.meta.dirname, '../page');

export async function serveFiles(server: FastifyInstance): Promise<void> {
  const files = await Promise.all([
    readPage('', 'index.html'),
    readPage('viewer.html', 'viewer/frame.html'),
    readPage('icon.svg', '../../docs/icon.svg'),
    bundle('counter', 'start.tsx', { minify: true }),
    // Most of it is minified already, and doing so again takes seconds.
    bundle('viewer', 'viewer/frame.ts', { minify: false }),
  ]);
  for (const { name, body } of files.flat()) {
    const isOfFrame = name.startsWith('viewer.');
    const headers = { ...(isOfFrame ? FRAME_HEADERS : PAGE_HEADERS), 'Content-Type': TYPES[extname(name) || '.html'] };
    const config = { isPublic: true, isOfFrame };
    server.get(`/${name}`, { config }, async (_, reply) => reply.headers(headers).send(body));
  }
}

const readPage = async (name: string, file: string) => ({ name, body: await readFile(join(PAGE, file), 'utf8') });

async function bundle(name: string, file: string, { minify }: { readonly minify: boolean }) {
  const shape = { bundle: true, write: false, format: 'iife', target: 'es2024', outdir: PAGE, minify } as const;
  const { outputFiles } = await build({ ...shape, entryPoints: { [name]: join(PAGE, file) } });
  return outputFiles.map(({ path, text }) => ({ name: basename(path), body: text }));
}
