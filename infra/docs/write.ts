import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { siteFiles } from './site.ts';

const OUT = resolve(import.meta.dirname, '../../dist/docs');

// An address of the deployed API, or the host that will show the page.
const [baseUrl = '/v2'] = process.argv.slice(2);
mkdirSync(OUT, { recursive: true });
for (const [name, { body }] of await siteFiles({ baseUrl })) writeFileSync(join(OUT, name), body);
console.log(`The reference is in ${OUT}.`);
