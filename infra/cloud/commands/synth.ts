import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { codeBytes } from '../../bundle.ts';
import { listStages } from '../read-settings.ts';

// `npm run synth -- <stage>` synthesizes the named stages, or all with a settings file, without an AWS account.

export const OUT = join(import.meta.dirname, '../../../cdk.out');
const KB = 1_000;
const MOST_TYPES = 8;

function measureTemplate(file: string) {
  const text = readFileSync(join(OUT, file), 'utf8');
  const template: { Resources: Record<string, { Type: string }> } = JSON.parse(text);
  const resources = Object.values(template.Resources);
  const counts = Object.entries(Object.groupBy(resources, ({ Type }) => Type)).map(
    ([type, all]) => [type, all?.length ?? 0] as const,
  );
  const most = counts.toSorted((a, b) => b[1] - a[1]).slice(0, MOST_TYPES);
  return { [`${file}, KB`]: Math.round(text.length / KB), resources: resources.length, ...Object.fromEntries(most) };
}

function measureBundles() {
  const folder = join(OUT, 'bundles');
  const names = readdirSync(folder).toSorted();
  return Object.fromEntries(names.map((name) => [`${name}, KB`, Math.round(codeBytes(join(folder, name)) / KB)]));
}

/** Prints the sizes of templates (limits: 1 MB, 500 resources) and of bundles, which take time at each cold start. */
function printSizes(): void {
  const templates = readdirSync(OUT).filter((file) => file.endsWith('.template.json'));
  for (const template of templates) console.table(measureTemplate(template));
  console.table(measureBundles());
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({ options: { quiet: { type: 'boolean' } }, allowPositionals: true });
  const stages = positionals.length > 0 ? positionals : listStages();
  // An earlier run may have had other stages.
  rmSync(OUT, { recursive: true, force: true });
  const { status } = spawnSync('cdk', ['synth', '--quiet', '-c', `stage=${stages}`], { stdio: 'inherit' });
  if (status === 0 && !values.quiet) printSizes();
  process.exitCode = status ?? 1;
}
