import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { makeBundles } from '../../../infra/bundle.ts';
import { functionName } from '../../../infra/stack-names.ts';

/** Bundles those of the handlers that no test of this run has bundled, and returns the file of each. */
export async function bundleOnce(handlers: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folder = inject('bundleFolder');
  const fileOf = (handler: string) => join(folder, functionName(handler), 'index.mjs');
  const missing = handlers.filter((handler) => !existsSync(fileOf(handler)));
  if (missing.length > 0) await makeMissing(missing, folder);
  return new Map(handlers.map((handler) => [handler, fileOf(handler)]));
}

async function makeMissing(handlers: readonly string[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(folder, 'new-'));
  for (const { handler, folder: made } of await makeBundles(handlers, scratch)) {
    // Another process may have been faster, with the same files.
    await rename(made, join(folder, functionName(handler))).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY') throw error;
    });
  }
  await rm(scratch, { recursive: true });
}
