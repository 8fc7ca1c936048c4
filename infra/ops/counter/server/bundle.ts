import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

export type PageFile = { readonly type: string; readonly body: string };

const PAGE = join(import.meta.dirname, '../page');

const TYPES: Readonly<Record<string, string>> = {
  'counter.js': 'text/javascript; charset=utf-8',
  'counter.css': 'text/css; charset=utf-8',
  'viewer.js': 'text/javascript; charset=utf-8',
  'viewer.css': 'text/css; charset=utf-8',
};

/** Builds the files of the page, in memory, by their names. */
export async function buildPage(): Promise<ReadonlyMap<string, PageFile>> {
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
