import { isOnLambda } from './config.ts';
import { logError } from './log.ts';

/** Opens something that the first request of a function would otherwise wait for. */
export type Preparation = () => Promise<unknown>;

/**
 * Prepares a function while Lambda initializes it; elsewhere it does nothing, so that importing a handler has no effect. It
 * is awaited at the top level, because Lambda freezes a function between INIT and a later first request. A failure is
 * logged and left to the first request, which tries again: if INIT itself failed, Lambda would start the function anew.
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
