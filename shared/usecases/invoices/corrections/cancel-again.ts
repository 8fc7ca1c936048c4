import { repeatCancellation } from '../../../domain/invoices/documents/cancellation.ts';
import { findDocument, listDocuments } from '../../../domain/invoices/order-documents.ts';
import type { TaxDocument } from '../../../domain/invoices/tax-document.ts';
import { logError } from '../../../runtime/log.ts';
import type { Order } from '../../../store/orders/order.ts';
import {
  commitOperation,
  existingOrder,
  type Operation,
  type Seen,
  seenOrder,
} from '../../operations/operate-order.ts';
import { refusedToOperator } from '../../operations/operator-refusal.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { recordCheck, settleDocument } from '../settling/settle-document.ts';

/** A document whose cancellation was asked for again, as it is then. */
export type CancelledAgain = Pick<TaxDocument, 'kind' | 'status' | 'reason'>;

/**
 * Asks again for the cancellations of an order's documents that were rejected, and returns what the provider answers.
 * Settling goes on with those that are not over. Throws `move_not_allowed` if none was rejected.
 */
export async function cancelAgain(asked: Operation & Seen, deps: InvoiceDeps): Promise<CancelledAgain[]> {
  const before = await seenOrder(deps.table, asked);
  const rejected = chooseRejected(before);
  const repeat = (document: TaxDocument) =>
    rejected.includes(document) ? repeatCancellation(document, asked.now) : document;
  const changes = { invoice: before.invoice && repeat(before.invoice), documents: before.documents.map(repeat) };
  await commitOperation(deps.table, before, { ...before, ...changes }, asked);
  const cancelled: CancelledAgain[] = [];
  for (const { key } of rejected) cancelled.push(...(await settleNow(key, asked, deps)));
  return cancelled;
}

/** Returns the documents of an order whose cancellation was rejected. Throws `move_not_allowed` if there is none. */
export function chooseRejected(order: Order): TaxDocument[] {
  const rejected = listDocuments(order).filter(({ status }) => status === 'cancellation_rejected');
  if (rejected.length > 0) return rejected;
  throw refusedToOperator('no_cancellation_rejected', { order: order.id });
}

async function settleNow(
  key: string,
  { id, operator, now }: Operation & Seen,
  deps: InvoiceDeps,
): Promise<CancelledAgain[]> {
  const act = { by: { operator }, now };
  const settling = { order: await existingOrder(deps.table, id), key };
  try {
    await settleDocument(settling, act, deps);
  } catch (error) {
    logError('the provider could not be asked to cancel', error, { orderId: id });
    await recordCheck(settling, act, deps);
  }
  const after = findDocument(await existingOrder(deps.table, id), key);
  return after ? [after] : [];
}
