import type { Order } from '../order/order.ts';
import type { OrderPrescription } from '../order/order-parts.ts';
import { replaceOrderWrites, retryOnConflict } from '../order/order-writes.ts';
import { getOrder, nextVersion } from '../order/orders.ts';
import { findDocumentOrder } from '../order/rows/document-rows.ts';
import { refuseWhilePaused } from '../store/pause.ts';
import type { Table } from '../store/table.ts';
import { SCANS, type Scan } from './rules/prescription.ts';

/** GuardDuty's result for a document of our bucket. */
type ScanResult = { readonly documentKey: string; readonly status: string; readonly scannedAt: Date };
type Deps = { readonly table: Table; readonly now: Date };
type Outcome = Scan | 'unscanned' | 'no_order' | 'unchanged';

const SCAN_OF_STATUS: ReadonlyMap<string, Scan> = new Map([
  ['NO_THREATS_FOUND', 'clean'],
  ['THREATS_FOUND', 'threat'],
]);

// A request stores its order within seconds after its documents. Lambda repeats a failed call after one minute.
const ORDER_MS = 60_000;

/**
 * Records a result on the prescription of the document, in any order and as often as it comes: a threat stays one. Without a
 * result the prescription stays `pending`. Throws while the order may still come, so that Lambda tries again.
 */
export async function recordScan(
  { documentKey, status, scannedAt }: ScanResult,
  { table, now }: Deps,
): Promise<Outcome> {
  const scan = SCAN_OF_STATUS.get(status);
  if (!scan) return 'unscanned';
  const place = await findDocumentOrder(table, documentKey);
  if (!place && now.getTime() - scannedAt.getTime() < ORDER_MS) throw new Error('the document has no order yet');
  if (!place) return 'no_order';
  await refuseWhilePaused(table, place.clientId);
  const order = await getOrder(table, place);
  if (!order) return 'unchanged';
  return retryOnConflict<Outcome>(table, order, async (before) => {
    const after = withScan(before, { documentKey, scan, now });
    if (!after) return 'unchanged';
    const writes = replaceOrderWrites(before, after, { by: 'system', now });
    return (await table.tryTransact(writes)) ? scan : undefined;
  });
}

type Scanned = { readonly documentKey: string; readonly scan: Scan; readonly now: Date };

/** Returns the next version of an order; undefined if it knows the result, or was erased. */
function withScan(before: Order, { documentKey, scan, now }: Scanned): Order | undefined {
  const updatedAt = now.toISOString();
  const isNews = (item: OrderPrescription) =>
    item.documentKey === documentKey && SCANS.indexOf(scan) > SCANS.indexOf(item.scan ?? 'pending');
  if (!before.prescriptions.some(isNews)) return undefined;
  const prescriptions = before.prescriptions.map((item) => (isNews(item) ? { ...item, scan, updatedAt } : item));
  return nextVersion(before, { ...before, prescriptions, updatedAt });
}
