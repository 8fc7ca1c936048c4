import type { GuardDutyScanResultNotificationEvent } from 'aws-lambda';
import { table } from '../../shared/deps.ts';
import { recordScan } from '../../shared/prescriptions/record-scan.ts';
import { now } from '../../shared/runtime/clock.ts';
import { logInfo } from '../../shared/runtime/log.ts';

/** Runs when GuardDuty has scanned a document. Throws if its order is not written yet; Lambda repeats it. */
export async function handler({ time, detail }: GuardDutyScanResultNotificationEvent): Promise<void> {
  const { objectKey: documentKey } = detail.s3ObjectDetails;
  const { scanResultStatus: status } = detail.scanResultDetails;
  const result = { documentKey, status, scannedAt: new Date(time) };
  const outcome = await recordScan(result, { table: table(), now: now() });
  logInfo('document scanned', { status, outcome });
}
