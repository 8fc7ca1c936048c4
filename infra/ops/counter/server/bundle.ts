import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

export type PageFile = { readonly type: string; readonly body: string };

const PAGE = join(import.meta.dirname, '../page');

const TYPES: Readonly<Record<string, string>> = {
  'counter.js': 'text/javascript; charset=utf-8',
  'counter.css': 'text/css; charset=utf-8',
};

/** Builds the files of the page, in memory, by their names. */
export async function buildPage(): Promise<ReadonlyMap<string, PageFile>> {
  const { outputFiles } = await build({
    entryPoints: { counter: join(PAGE, 'start.tsx') },
    outdir: PAGE,
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2024',
  });
  const built = outputFiles.map(({ path, text }): [string, PageFile] => {
    const name = basename(path);
    return [name, { type: TYPES[name] ?? '', body: text }];
  });
  return new Map([
    ['index.html', { type: 'text/html; charset=utf-8', body: await readText('page/index.html') }],
    ['icon.svg', { type: 'image/svg+xml', body: await readText('../../docs/icon.svg') }],
    ...built,
  ]);
}

const readText = (file: string): Promise<string> => readFile(join(import.meta.dirname, '..', file), 'utf8');
