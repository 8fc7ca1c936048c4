import { documents, table } from '../../shared/deps.ts';
import { eraseRetained } from '../../shared/erasure/erase-order.ts';
import { now } from '../../shared/runtime/clock.ts';
import { business } from '../../shared/runtime/config.ts';
import { logInfo } from '../../shared/runtime/log.ts';

/** Runs every six hours. Throws for the alarm if a record could not be erased; the next run tries again. */
export async function handler(): Promise<void> {
  const deps = { table: table(), business: business(), documents: documents() };
  const outcomes = await eraseRetained({ by: 'system', now: now() }, deps);
  logInfo('retained records erased', outcomes);
  if (outcomes.failed) throw new Error(`${outcomes.failed} orders keep what has to be removed`);
}
