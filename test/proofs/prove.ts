import { globSync } from 'node:fs';
import { join } from 'node:path';
import { runVitest } from '../vitest.ts';

/* `npm run prove` runs all proofs in full; `npm run prove -- crashes` those whose path has that name. */

const ROOT = join(import.meta.dirname, '../..');
const PROOFS = ['test/proofs/**/*.test.ts', 'test/**/*.property.test.ts', 'test/component/http/api-fuzz.test.ts'];

const names = process.argv.slice(2);
const all = [...new Set(globSync(PROOFS, { cwd: ROOT }))];
const chosen = names.length === 0 ? all : all.filter((file) => names.some((name) => file.includes(name)));
// Without a file vitest would run everything.
if (chosen.length === 0) throw new Error(`No proof is called ${names.join(' or ')}.`);
process.exitCode = await runVitest(chosen, { PROOFS: 'full' });
