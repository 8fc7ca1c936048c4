import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { siteFiles } from './site.ts';

const OUT = resolve(import.meta.dirname, '../../dist/docs');

// The address of the deployed API; without one, the page calls the host that it is loaded from.
const [baseUrl = '/v2'] = process.argv.slice(2);
mkdirSync(OUT, { recursive: true });
for (const [name, { body }] of await siteFiles({ baseUrl })) writeFileSync(join(OUT, name), body);
console.log(`Wrote the API reference to ${OUT}.`);
