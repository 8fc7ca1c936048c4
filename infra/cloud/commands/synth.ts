import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { listStages } from '../read-settings.ts';
import { OUT, printSizes } from './sizes.ts';

/*
 * Synthesizes the named stages, or all that have a file of settings: `npm run synth -- <stage>`. It needs no AWS account.
 */

const { values, positionals } = parseArgs({ options: { quiet: { type: 'boolean' } }, allowPositionals: true });
const stages = positionals.length > 0 ? positionals : listStages();
// A former run may have had other stages.
rmSync(OUT, { recursive: true, force: true });
const { status } = spawnSync('cdk', ['synth', '--quiet', '-c', `stage=${stages}`], { stdio: 'inherit' });
if (status === 0 && !values.quiet) printSizes();
process.exitCode = status ?? 1;
