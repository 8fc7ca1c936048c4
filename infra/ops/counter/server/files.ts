import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';

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

type PageFile = { readonly type: string; readonly body: string };

const PAGE = join(import.meta.dirname, '../page');

const TYPES: Readonly<Record<string, string>> = {
  'counter.js': 'text/javascript; charset=utf-8',
  'counter.css': 'text/css; charset=utf-8',
  'viewer.js': 'text/javascript; charset=utf-8',
  'viewer.css': 'text/css; charset=utf-8',
};

/** Builds the files of the page, in memory, by their names. */
async function buildPage(): Promise<ReadonlyMap<string, PageFile>> {
  const built = await Promise.all([
    buildScript({ counter: join(PAGE, 'start.tsx') }, { minify: true }),
    // Most of it is minified already, and doing so again takes seconds.
    buildScript({ viewer: join(PAGE, 'viewer/frame.ts') }, { minify: false }),
  ]);
  return new Map([
    ['index.html', { type: 'text/html; charset=utf-8', body: await readText('page/index.html') }],
    ['viewer.html', { type: 'text/html; charset=utf-8', body: await readText('page/viewer/frame.html') }],
    ['icon.svg', { type: 'image/svg+xml', body: await readText('../../docs/icon.svg') }],
    ...built.flat(),
  ]);
}

/** Builds a script with its styles. */
async function buildScript(entryPoints: Record<string, string>, { minify }: { readonly minify: boolean }) {
  const shape = { bundle: true, write: false, format: 'iife', target: 'es2024' } as const;
  const { outputFiles } = await build({ ...shape, entryPoints, outdir: PAGE, minify });
  return outputFiles.map(({ path, text }): [string, PageFile] => {
    const name = basename(path);
    return [name, { type: TYPES[name] ?? '', body: text }];
  });
}

const readText = (file: string): Promise<string> => readFile(join(import.meta.dirname, '..', file), 'utf8');
