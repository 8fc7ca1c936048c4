import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import apiReference from '@scalar/fastify-api-reference';
import { build } from 'esbuild';
import { fastify } from 'fastify';
import type { ApiDescription } from '../api/description.ts';
import { buildCollection } from '../client/collection.ts';
import { contentPolicy, type ReferenceOptions } from './page.ts';
import { buildReferenceDocument } from './samples.ts';

export type SiteFile = { readonly type: string; readonly body: string };

const readText = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

const GUIDES = [
  ['guide.txt', '../../shared/client/README.md'],
  ['shop.ts.txt', '../../shared/client/shop.ts'],
  ['shop.py.txt', '../../shared/client/shop.py'],
] as const;

// The host of the API description's example of a deployment.
const EXAMPLE_ORIGIN = 'https://api.botica.example';

/**
 * Returns the files of the reference page by name. The page loads nothing from anywhere else, which its policy holds. `origin`
 * is that of the page, if it is known: other programs load the collection, and need the whole address of the API.
 */
export async function buildSite(
  options: ReferenceOptions,
  origin = EXAMPLE_ORIGIN,
): Promise<ReadonlyMap<string, SiteFile>> {
  const original = readText('../api/openapi.json');
  const description: ApiDescription = JSON.parse(original);
  const baseUrl = new URL(options.baseUrl, origin).href;
  const access = { baseUrl, apiKey: options.demonstration?.apiKey ?? '' };
  return new Map([
    ['index.html', { type: 'text/html; charset=utf-8', body: buildPage(options) }],
    ['scalar.js', { type: 'text/javascript; charset=utf-8', body: await readScalarScript() }],
    ['start.js', { type: 'text/javascript; charset=utf-8', body: await buildStartScript(options) }],
    ['icon.svg', { type: 'image/svg+xml', body: readText('icon.svg') }],
    ['reference.json', { type: 'application/json', body: JSON.stringify(buildReferenceDocument(description)) }],
    ['openapi.json', { type: 'application/json', body: original }],
    // Browsers show plain text, and offer other types to be saved.
    ...GUIDES.map(([name, file]) => [name, { type: 'text/plain; charset=utf-8', body: readText(file) }] as const),
    ['collection.json', { type: 'application/json', body: JSON.stringify(buildCollection(description, access)) }],
  ]);
}

// The policy stands in the page itself, since a host of static files may send no headers.
const buildPage = ({ baseUrl }: ReferenceOptions): string =>
  readText('page.html').replace('POLICY', contentPolicy(baseUrl));

// The plugin carries the browser bundle in 76 packages of 45 MB; @scalar/api-reference installs 272 of 287 MB for it.
async function readScalarScript(): Promise<string> {
  const server = fastify();
  await server.register(apiReference, { routePrefix: '/docs', configuration: { url: 'openapi.json' } });
  const { body } = await server.inject('/docs/js/scalar.js');
  await server.close();
  return body;
}

async function buildStartScript(options: ReferenceOptions): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'browser/start.ts')],
    define: { OPTIONS: JSON.stringify(options) },
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2024',
  });
  return outputFiles.map(({ text }) => text).join('');
}

if (import.meta.main) {
  const out = resolve(import.meta.dirname, '../../dist/docs');
  // The address of the deployed API; without one, the page calls the host that it is loaded from.
  const [baseUrl = '/v2'] = process.argv.slice(2);
  mkdirSync(out, { recursive: true });
  for (const [name, { body }] of await buildSite({ baseUrl })) writeFileSync(join(out, name), body);
  console.log(`Wrote the API reference to ${out}.`);
}
