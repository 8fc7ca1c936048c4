import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSite } from './site.ts';

const OUT = resolve(import.meta.dirname, '../../dist/docs');

// The address of the deployed API; without one, the page calls the host that it is loaded from.
const [baseUrl = '/v2'] = process.argv.slice(2);
mkdirSync(OUT, { recursive: true });
for (const [name, { body }] of await buildSite({ baseUrl })) writeFileSync(join(OUT, name), body);
console.log(`Wrote the API reference to ${OUT}.`);
