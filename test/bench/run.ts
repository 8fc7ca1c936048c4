import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type Figure, toTableRow } from './figures.ts';

// Usage: npm run bench [-- bundles|catalog|costs|counter|engines|http|memory|orders]. It prints the figures of the README, with their bars.
const PARTS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  bundles: async () => (await import('./bundles.ts')).benchBundles(),
  catalog: async () => (await import('./catalog.ts')).benchCatalog(),
  counter: async () => (await import('./counter.ts')).benchCounter(),
  engines: async () => (await import('./http.ts')).benchEngines(),
  http: async () => (await import('./http.ts')).benchHttp(),
  memory: async () => (await import('./memory.ts')).benchMemory(),
  orders: async () => (await import('./orders/costs.ts')).benchOrders(),
};

/** Runs a part in a process of its own, whose environment and engines it changes; returns no figures if it failed. */
async function runPart(name: string): Promise<readonly Figure[]> {
  const part = fork(import.meta.filename, [name]);
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

const wanted = process.argv.slice(2);
if (wanted[0] === 'costs') await import('./costs.ts');
else if (process.send) process.send(await PARTS[wanted[0] ?? '']?.(), () => process.exit(0));
else {
  const figures: Figure[] = [];
  for (const name of wanted.length === 0 ? Object.keys(PARTS) : wanted) figures.push(...(await runPart(name)));
  console.table(figures.map(toTableRow));
}
