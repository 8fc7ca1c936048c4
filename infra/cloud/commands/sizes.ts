import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeBytes } from '../../bundle.ts';

/** The folder that `cdk synth` writes into. */
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

/**
 * Prints the sizes of what `cdk synth` has made: templates and resources (limits: 1 MB, 500), and the bundles, which cost
 * time at each cold start.
 */
export function printSizes(): void {
  const templates = readdirSync(OUT).filter((file) => file.endsWith('.template.json'));
  for (const template of templates) console.table(measureTemplate(template));
  console.table(measureBundles());
}
