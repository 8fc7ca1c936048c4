import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import type { Figure } from './figures.ts';

/** The most files that a request may cross, so that a reader can follow it. */
const BARS: Readonly<Record<string, number>> = {
  'functions/orders/create.ts': 120,
  'functions/orders/list.ts': 70,
  'functions/products/list.ts': 60,
};

/**
 * Counts the files of this project that a handler runs through: those that its imports reach and of which code is left in its
 * bundle. What is imported only when it is asked for, such as the provider of invoices, is not counted.
 */
export async function benchReach(): Promise<Figure[]> {
  const handlers = Object.entries(BARS);
  return await Promise.all(
    handlers.map(async ([handler, bar]) => ({
      what: `files of ours in ${handler}`,
      value: (await listFiles(handler)).size,
      unit: 'files' as const,
      bar,
    })),
  );
}

async function listFiles(handler: string): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    entryPoints: [handler],
    absWorkingDir: join(import.meta.dirname, '../..'),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    outdir: 'dist',
    write: false,
    metafile: true,
  });
  const files = new Set<string>();
  for (const { inputs } of listChunks(metafile.outputs, handler)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      if (bytesInOutput > 0 && !file.includes('node_modules')) files.add(file);
    }
  }
  return files;
}

/** Returns the entry and the chunks that it imports when it is loaded. */
function listChunks(outputs: Metafile['outputs'], handler: string): Metafile['outputs'][string][] {
  const reached = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint === handler));
  for (const path of reached) {
    for (const { kind, path: next } of outputs[path]?.imports ?? []) if (kind === 'import-statement') reached.add(next);
  }
  return [...reached].flatMap((path) => outputs[path] ?? []);
}
