import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { listStages } from '../settings.ts';

// `npm run synth -- <stage>` synthesizes the named stages, or all with a settings file, without an AWS account.
const named = process.argv.slice(2);
const stages = named.length > 0 ? named : listStages();
// An earlier run may have had other stages.
rmSync(join(import.meta.dirname, '../../../cdk.out'), { recursive: true, force: true });
const { status } = spawnSync('cdk', ['synth', '--quiet', '-c', `stage=${stages}`], { stdio: 'inherit' });
process.exitCode = status ?? 1;
