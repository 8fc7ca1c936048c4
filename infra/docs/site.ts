import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { ApiDescription } from './description.ts';
import { type PageOptions, referencePage } from './page.ts';

export type SiteFile = { readonly type: string; readonly body: string };

const here = (file: string) => join(import.meta.dirname, file);
const DESCRIPTION = here('../api/openapi.json');

/** The reference page with all that it needs, by file names: nothing comes from elsewhere. */
export async function siteFiles(options: PageOptions): Promise<ReadonlyMap<string, SiteFile>> {
  const written = readFileSync(DESCRIPTION, 'utf8');
  const description: ApiDescription = JSON.parse(written);
  return new Map([
    ['index.html', { type: 'text/html; charset=utf-8', body: referencePage(description, options) }],
    ['page.css', { type: 'text/css; charset=utf-8', body: readFileSync(here('page.css'), 'utf8') }],
    ['page.js', { type: 'text/javascript; charset=utf-8', body: await browserScript() }],
    ['icon.svg', { type: 'image/svg+xml', body: readFileSync(here('icon.svg'), 'utf8') }],
    ['openapi.json', { type: 'application/json', body: written }],
  ]);
}

async function browserScript(): Promise<string> {
  const entry = here('browser/page.ts');
  const made = await build({ entryPoints: [entry], bundle: true, write: false, format: 'iife', target: 'es2024' });
  return made.outputFiles[0]?.text ?? '';
}
