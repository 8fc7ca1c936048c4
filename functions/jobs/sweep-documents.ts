import { documents, table } from '../../shared/deps.ts';
import { sweepDocuments } from '../../shared/prescriptions/sweep-documents.ts';
import { now } from '../../shared/runtime/clock.ts';
import { logInfo } from '../../shared/runtime/log.ts';

/** Runs every hour. Throws for the alarm if a document could not be removed; the next run tries again. */
export async function handler(): Promise<void> {
  const sweep = await sweepDocuments(now(), { documents: documents(), table: table() });
  logInfo('documents swept', sweep);
  if (sweep.failed > 0) throw new Error(`${sweep.failed} documents could not be removed`);
}
