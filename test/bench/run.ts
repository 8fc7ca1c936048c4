import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type Figure, printTable } from './figures.ts';

// npm run bench [-- bundles|catalog|http|orders]: the figures that the README quotes, each with the bar it has to hold.
const PARTS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  bundles: async () => (await import('./bundles.ts')).benchBundles(),
  catalog: async () => (await import('./catalog.ts')).benchCatalog(),
  http: async () => (await import('./http.ts')).benchHttp(),
  orders: async () => (await import('./orders.ts')).benchOrders(),
};

/**
 * Each part in a process of its own: a part enters the local server, and what it leaves in the environment and in opened
 * stores would send the next one to engines that are stopped.
 */
async function run(names: readonly string[]): Promise<void> {
  const figures: Figure[] = [];
  for (const name of names) figures.push(...(await figuresOf(fork(import.meta.filename, [name]), name)));
  printTable(figures);
}

/** None of a part that failed, which has said why: the others are shown all the same. */
async function figuresOf(part: ChildProcess, name: string): Promise<readonly Figure[]> {
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

/** As the process of one part. */
async function report(name: string): Promise<void> {
  const figures = await PARTS[name]?.();
  process.send?.(figures, () => process.exit(0));
}

const wanted = process.argv.slice(2);
if (process.send) await report(wanted[0] ?? '');
else await run(Object.keys(PARTS).filter((name) => wanted.length === 0 || wanted.includes(name)));
