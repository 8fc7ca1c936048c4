import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runVitest } from '../vitest.ts';

/* `npm run prove` runs all proofs in full; `npm run prove -- crashes` those whose path has that name. */

const ROOT = join(import.meta.dirname, '../..');
/** True for a file whose tests try more in full, wherever it stands. */
const isProof = (file: string): boolean => readFileSync(join(ROOT, file), 'utf8').includes('/proofs/proof.ts');

const names = process.argv.slice(2);
const all = globSync('test/**/*.test.ts', { cwd: ROOT }).filter(isProof);
const chosen = names.length === 0 ? all : all.filter((file) => names.some((name) => file.includes(name)));
// Without a file vitest would run everything.
if (chosen.length === 0) throw new Error(`No proof is called ${names.join(' or ')}.`);
process.exitCode = await runVitest(chosen, { PROOFS: 'full' });
