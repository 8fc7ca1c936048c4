import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLE } from '../../infra/bundle.ts';
import { routes } from '../../shared/api/routes.ts';
import { type Figure, median } from './figures.ts';

const root = join(import.meta.dirname, '../..');
const COLD_STARTS = 11;

/** The size of every route's bundle, and how long a fresh process takes to import those of two kinds. */
export async function benchBundles(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
  try {
    const bundles = await Promise.all(routes.map(({ handler }) => bundle(handler, folder)));
    const catalogBundles = bundles.filter((_, index) => routes[index]?.authentication === 'key');
    const largest = bundles.toSorted((a, b) => b.size - a.size)[0];
    const orders = bundles.find(({ handler }) => handler === 'functions/orders/create.ts');
    return [
      size('bundle of a catalog function, the largest', Math.max(...catalogBundles.map((one) => one.size)), 400),
      size(`bundle of the largest function (${largest?.handler})`, largest?.size ?? Number.NaN, 1_500),
      cold('cold import of a catalog function', catalogBundles[0]?.file ?? '', 60),
      cold('cold import of an order function', orders?.file ?? '', 150),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundle(handler: string, folder: string) {
  const file = join(folder, `${handler.replaceAll('/', '-')}.mjs`);
  const { banner, ...options } = BUNDLE;
  await build({
    ...options,
    banner: { js: banner },
    entryPoints: [join(root, handler)],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return { handler, file, size: statSync(file).size };
}

const size = (what: string, bytes: number, bar: number): Figure => ({ what, value: bytes / 1_000, unit: 'KB', bar });

// A process of its own for each, as a container is; what Node itself needs to start is not the function's.
const TIME_IMPORT = `const start = performance.now();
  await import(process.argv[1]);
  console.log(performance.now() - start);`;

function cold(what: string, file: string, bar: number): Figure {
  const args = ['--input-type=module', '-e', TIME_IMPORT, file];
  const times = Array.from({ length: COLD_STARTS }, () => Number(execFileSync(process.execPath, args)));
  return { what, value: median(times), unit: 'ms', bar };
}
