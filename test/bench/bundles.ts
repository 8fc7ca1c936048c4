import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bundle, makeBundles } from '../../infra/bundle.ts';
import { routes } from '../../shared/api/routes.ts';
import { type Figure, median } from './figures.ts';

const COLD_STARTS = 11;

/** Measures the bundle size of the routes, and how long a new process takes to import two of the bundles. */
export async function benchBundles(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
  try {
    return toBundleFigures(
      await makeBundles(
        routes.map(({ handler }) => handler),
        folder,
      ),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function toBundleFigures(bundles: readonly Bundle[]): Figure[] {
  const findBundle = (handler: string) => bundles.find((bundle) => bundle.handler === handler);
  const ofCatalog = routes
    .filter(({ authentication }) => authentication === 'key')
    .map(({ handler }) => findBundle(handler)?.bytes ?? Number.NaN);
  const largest = bundles.toSorted((a, b) => b.bytes - a.bytes)[0];
  return [
    toSizeFigure('bundle of a catalog function, the largest', Math.max(...ofCatalog), 400),
    toSizeFigure(`bundle of the largest function (${largest?.handler})`, largest?.bytes ?? Number.NaN, 1_500),
    measureColdImport('cold import of a catalog function', findBundle('functions/products/list.ts')?.file ?? '', 60),
    measureColdImport('cold import of an order function', findBundle('functions/orders/create.ts')?.file ?? '', 150),
  ];
}

const toSizeFigure = (what: string, bytes: number, bar: number): Figure => ({
  what,
  value: bytes / 1_000,
  unit: 'KB',
  bar,
});

// Each import runs in a new process, like a new container; the start of Node itself is not counted.
const TIME_IMPORT = `const start = performance.now();
  await import(process.argv[1]);
  console.log(performance.now() - start);`;

function measureColdImport(what: string, file: string, bar: number): Figure {
  const args = ['--input-type=module', '-e', TIME_IMPORT, file];
  const times = Array.from({ length: COLD_STARTS }, () => Number(execFileSync(process.execPath, args)));
  return { what, value: median(times), unit: 'ms', bar };
}
