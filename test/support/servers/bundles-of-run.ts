import { existsSync, globSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { makeBundles } from '../../../infra/bundle.ts';
import { functionName } from '../../../infra/stack-names.ts';
import { once } from '../../../shared/runtime/async.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = ['{functions,shared,infra}/**/*', 'package-lock.json'];

/** Returns the folder of the bundles of `npm run synth`; undefined if it has not run since a source was changed. */
const findSynthesized = once((): string | undefined => {
  const madeAt = statSync(join(ROOT, 'cdk.out/manifest.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isOlder = (file: string) => statSync(join(ROOT, file)).mtimeMs < madeAt;
  return globSync(SOURCES, { cwd: ROOT }).every(isOlder) ? join(ROOT, 'cdk.out/bundles') : undefined;
});

/**
 * Returns the file of the bundle of each handler. Those that neither a test of this run nor, since the last change, the synthesis
 * of the stack has bundled are made, which takes 20 s of work for all.
 */
export async function bundleOnce(handlers: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folder = findSynthesized() ?? inject('bundleFolder');
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
