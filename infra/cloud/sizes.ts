import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { codeBytes } from '../bundle.ts';

/*
 * Prints the sizes of what `cdk synth` has made: template and resources (limits: 1 MB, 500), and the bundles, which cost
 * time at each cold start.
 */

const OUT = join(import.meta.dirname, '../../cdk.out');
const KB = 1_000;

type Row = readonly [what: string, count: string];

function templateRows(file: string): Row[] {
  const text = readFileSync(join(OUT, file), 'utf8');
  const template: { Resources: Record<string, { Type: string }> } = JSON.parse(text);
  const types = Object.values(template.Resources).map(({ Type }) => Type);
  const counts = Object.entries(Object.groupBy(types, (type) => type)).map(([type, all]) => [type, all?.length ?? 0]);
  const most = counts.toSorted((a, b) => Number(b[1]) - Number(a[1])).slice(0, 8);
  return [
    [file, `${inKb(text.length)} KB`],
    ['resources', String(types.length)],
    ...most.map(([type, count]): Row => [`  ${type}`, String(count)]),
  ];
}

function bundleRows(): Row[] {
  const folder = join(OUT, 'bundles');
  const names = readdirSync(folder).toSorted();
  return names.map((name): Row => [name, `${inKb(codeBytes(join(folder, name)))} KB`]);
}

const inKb = (bytes: number): string => (bytes / KB).toFixed(0);

function print(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(([what]) => what.length));
  const countWidth = Math.max(...rows.map(([, count]) => count.length));
  for (const [what, count] of rows) console.log(`${what.padEnd(width)}  ${count.padStart(countWidth)}`);
}

const { values } = parseArgs({ options: { quiet: { type: 'boolean' } } });
if (!values.quiet) {
  const templates = readdirSync(OUT).filter((file) => file.endsWith('.template.json'));
  print([...templates.flatMap(templateRows), ['bundles', ''], ...bundleRows()]);
}
