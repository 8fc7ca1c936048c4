import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type Figure, printTable } from './figures.ts';

// Usage: npm run bench [-- bundles|catalog|costs|counter|engines|http|memory|orders|reach]. It prints the figures of the README, with their bars.
const PARTS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  bundles: async () => (await import('./bundles.ts')).benchBundles(),
  catalog: async () => (await import('./catalog.ts')).benchCatalog(),
  counter: async () => (await import('./counter.ts')).benchCounter(),
  engines: async () => (await import('./engines.ts')).benchEngines(),
  http: async () => (await import('./http.ts')).benchHttp(),
  memory: async () => (await import('./memory.ts')).benchMemory(),
  orders: async () => (await import('./orders.ts')).benchOrders(),
  reach: async () => (await import('./reach.ts')).benchReach(),
};

/**
 * Runs each part in its own process, because a part changes the environment and opens stores of engines that it stops
 * at its end.
 */
async function run(names: readonly string[]): Promise<void> {
  const figures: Figure[] = [];
  for (const name of names) figures.push(...(await collectFigures(fork(import.meta.filename, [name]), name)));
  printTable(figures);
}

/** Returns the figures of a part, or none if it failed; the figures of the other parts are still printed. */
async function collectFigures(part: ChildProcess, name: string): Promise<readonly Figure[]> {
  let figures: readonly Figure[] | undefined;
  part.on('message', (message) => {
    figures = message as readonly Figure[];
  });
  await once(part, 'exit');
  if (figures) return figures;
  console.error(`${name} ended without its figures.`);
  process.exitCode = 1;
  return [];
}

/** Runs one part in this process and sends its figures to the parent. */
async function report(name: string): Promise<void> {
  const figures = await PARTS[name]?.();
  process.send?.(figures, () => process.exit(0));
}

const wanted = process.argv.slice(2);
if (wanted[0] === 'costs') await import('./costs.ts');
else if (process.send) await report(wanted[0] ?? '');
else await run(Object.keys(PARTS).filter((name) => wanted.length === 0 || wanted.includes(name)));
