import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';

export const ROOT = join(import.meta.dirname, '..');

/** The options of esbuild for code that runs on Node, which is returned and not written. */
export const NODE_CODE = {
  bundle: true,
  outExtension: { '.js': '.mjs' },
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  sourcesContent: false,
  metafile: true,
  write: false,
  absWorkingDir: ROOT,
} as const satisfies BuildOptions;
