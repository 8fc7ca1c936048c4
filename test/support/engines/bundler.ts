import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { functionName } from '../../../infra/stack-names.ts';
import { loopback, sendAnswer } from '../http/loopback.ts';

/** Returns the file of the bundle of a handler in a folder of bundles. */
export const bundleFile = (folder: string, handler: string): string => join(folder, functionName(handler), 'index.mjs');

/**
 * Opens a server of the main process of a run, to which all test processes send the handlers whose bundles they need. It makes each
 * of them once, in the folder, and answers when they are there.
 */
export async function openBundler(folder: string) {
  let last: Promise<unknown> = Promise.resolve();
  const make = async (handlers: readonly string[]) => {
    const missing = handlers.filter((handler) => !existsSync(bundleFile(folder, handler)));
    if (missing.length === 0) return;
    // Most runs make none, and need no esbuild.
    const { makeBundles } = await import('../../../infra/bundle.ts');
    await makeBundles(missing, folder);
  };
  return loopback(async (request, response) => {
    const handlers = (await json(request)) as string[];
    last = last.then(() => make(handlers)).catch((error: unknown) => String(error));
    const error = await last;
    sendAnswer(response, error ? { status: 500, body: { error } } : {});
  });
}
