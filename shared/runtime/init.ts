import { isOnLambda } from './config.ts';
import { logError } from './log.ts';

/** Opens something that a function's first request would otherwise wait for. */
export type Preparation = () => Promise<unknown>;

/**
 * Prepares a function during Lambda's INIT; elsewhere it does nothing, so that importing a handler has no effect. Awaited at
 * the top level, because Lambda freezes a function after INIT. A failure is logged and left to the first request: if INIT
 * failed, Lambda would start anew.
 */
export async function duringInit(...preparations: readonly Preparation[]): Promise<void> {
  if (!isOnLambda()) return;
  await Promise.all(preparations.map(tryToOpen));
}

async function tryToOpen(open: Preparation): Promise<void> {
  try {
    await open();
  } catch (error) {
    logError('the function is not ready after INIT', error, {});
  }
}
