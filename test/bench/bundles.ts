import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { makeBundles } from '../../infra/bundle.ts';
import { routes } from '../../shared/api/routes.ts';
import { type Figure, median } from './figures.ts';

const COLD_STARTS = 11;
/** Two functions that read the catalog alone. */
const CATALOG = ['functions/products/list.ts', 'functions/orders/calculate.ts'];
/** The most files that a request may cross, so that a reader can follow it. */
const FILES: Readonly<Record<string, number>> = {
  'functions/orders/create.ts': 120,
  'functions/orders/list.ts': 70,
  'functions/products/list.ts': 60,
};

/** Measures the bundles of the routes, how long a new process takes to import two of them, and the files that they cross. */
export async function benchBundles(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
  const handlers = routes.map(({ handler }) => handler);
  try {
    const bundles = new Map((await makeBundles(handlers, folder)).map((bundle) => [bundle.handler, bundle]));
    const sizeOf = (handler: string) => {
      const { folder = '' } = bundles.get(handler) ?? {};
      const files = readdirSync(folder).filter((file) => file.endsWith('.mjs'));
      return files.reduce((sum, file) => sum + statSync(join(folder, file)).size / 1_000, 0);
    };
    const coldMs = (handler: string) => measureImport(bundles.get(handler)?.file ?? '');
    const counts = await Promise.all(Object.entries(FILES).map(countFiles));
    return [
      { what: 'largest bundle of a catalog function', value: Math.max(...CATALOG.map(sizeOf)), unit: 'KB', bar: 400 },
      { what: 'largest bundle', value: Math.max(...handlers.map(sizeOf)), unit: 'KB', bar: 1_500 },
      { what: 'cold import of a catalog function', value: coldMs('functions/products/list.ts'), unit: 'ms', bar: 60 },
      { what: 'cold import of an order function', value: coldMs('functions/orders/create.ts'), unit: 'ms', bar: 150 },
      ...counts,
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Each import runs in a new process, like a new container; the start of Node itself is not counted.
const TIME_IMPORT = `const start = performance.now();
  await import(process.argv[1]);
  console.log(performance.now() - start);`;

const measureImport = (file: string): number =>
  median(
    Array.from({ length: COLD_STARTS }, () =>
      Number(execFileSync(process.execPath, ['--input-type=module', '-e', TIME_IMPORT, file])),
    ),
  );

/**
 * Counts the files of this project that a handler runs through: those that its imports reach and of which code is left in its
 * bundle. What is imported only when it is asked for, such as the provider of invoices, is not counted.
 */
async function countFiles([handler, bar]: readonly [string, number]): Promise<Figure> {
  const entry = { entryPoints: [handler], absWorkingDir: join(import.meta.dirname, '../..'), outdir: 'dist' };
  const settings = { bundle: true, splitting: true, platform: 'node', format: 'esm', write: false } as const;
  const { outputs } = (await build({ ...entry, ...settings, metafile: true })).metafile;
  const chunks = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint === handler));
  // A set also yields the chunks that are added meanwhile.
  for (const path of chunks) {
    for (const { kind, path: next } of outputs[path]?.imports ?? []) if (kind === 'import-statement') chunks.add(next);
  }
  const inputs = [...chunks].flatMap((path) => Object.entries(outputs[path]?.inputs ?? {}));
  const own = inputs.filter(([file, { bytesInOutput }]) => bytesInOutput > 0 && !file.includes('node_modules'));
  return { what: `files of ours in ${handler}`, value: new Set(own.map(([file]) => file)).size, unit: 'files', bar };
}
