import type { Order } from '../order/order.ts';
import type { Act } from '../order/order-events.ts';
import { logError } from '../runtime/log.ts';
import { changeDocument, expectDocument, type InvoiceDeps, type OrderDocument } from './invoice-attempt.ts';
import { mailDocument } from './mail-document.ts';
import type { ProvidedDocument } from './provider.ts';
import { applyCancellation, type CancellationResult } from './rules/document-life.ts';
import { findDocument, repeatTask, type TaxDocument } from './rules/tax-document.ts';

const PROVIDER_MS = 5_000;

/** Cancels a document, or looks up a pending cancellation, and mails the result. Throws if the provider cannot be reached. */
export async function cancelDocument(cancelling: OrderDocument, act: Act, deps: InvoiceDeps): Promise<string> {
  const before = expectDocument(cancelling);
  const result = toCancellationResult(await cancelOrFind(before, deps));
  const { order, isChanged } = await changeDocument(deps.table, cancelling, act, (document) =>
    document.status === before.status ? applyCancellation(document, result, act.now) : undefined,
  );
  const after = findDocument(order, cancelling.key);
  if (!isChanged || !after) return 'unchanged';
  const isMailClaimed = after.status === 'cancelled' && after.mail === 'sending';
  if (isMailClaimed) await mailDocument({ ...cancelling, order }, act, deps);
  if (after.status === 'cancellation_rejected') reportRejection(order, after);
  return after.status;
}

/** Requesting a pending cancellation again might restart it, so it is only looked up. */
function cancelOrFind({ status, key, providerId, cancellation }: TaxDocument, { invoicing }: InvoiceDeps) {
  const signal = AbortSignal.timeout(PROVIDER_MS);
  if (status !== 'cancelling') return invoicing().find(key, signal);
  if (!cancellation) throw new Error('a document that is to be cancelled has a motive');
  return invoicing().cancel(providerId, cancellation, signal);
}

function toCancellationResult(provided: ProvidedDocument | undefined): CancellationResult {
  if (!provided) throw new Error('the provider does not know an invoice that is being cancelled');
  return provided.status === 'cancelled' ? 'accepted' : provided.cancellation;
}

const reportRejection = ({ id: orderId }: Order, { reason }: TaxDocument): void =>
  logError('cancellation rejected', new Error('the document stays valid'), { orderId, reason: reason ?? undefined });

export async function postponeCancellation(cancelling: OrderDocument, act: Act, { table }: InvoiceDeps): Promise<void> {
  const { status } = expectDocument(cancelling);
  await changeDocument(table, cancelling, act, (document) =>
    document.status === status ? repeatTask(document, 'cancel', act.now) : undefined,
  );
}
