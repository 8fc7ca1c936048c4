import { refusedToOperator } from '../domain/operator-refusal.ts';
import {
  commitOperation,
  existingOrder,
  type Operation,
  refuseErased,
  type Seen,
  seenOrder,
} from '../order/operate-order.ts';
import type { Order } from '../order/order.ts';
import { type Act, listDocumentEvents } from '../order/order-events.ts';
import { logError } from '../runtime/log.ts';
import type { Table } from '../store/table.ts';
import { cancelDocument, postponeCancellation } from './cancel-document.ts';
import { changeInvoice, type InvoiceChange, type InvoiceDeps } from './invoice-attempt.ts';
import { claimDueMail, mailDocument } from './mail-document.ts';
import { repeatCancellation } from './rules/document-life.ts';
import type { InvoiceAction, MailStatus } from './rules/document-values.ts';
import { getOpenActions, listOpenActions, markHandled } from './rules/invoice-status.ts';
import { isValid } from './rules/owed-documents.ts';
import { findDocument, listDocuments, mapDocuments, type TaxDocument } from './rules/tax-document.ts';

/**
 * Closes the open actions that the operator has seen, and returns them; no alarm counts them any more. Throws
 * `move_not_allowed` if there is none, and `order_changed_meanwhile` if all that the operator saw have been closed since.
 */
export async function handleInvoice(seen: Seen, act: Act, table: Table): Promise<readonly InvoiceAction[]> {
  const order = await seenOrder(table, seen);
  const actions = chooseOpenActions(order);
  const { order: after } = await changeInvoice(table, order, act, (fresh) => markActionsHandled(fresh, order));
  const handled = listDocuments(after).flatMap((document) =>
    listSeenActions(document, order).filter((action) => document.handled.includes(action)),
  );
  return actions.filter((action) => handled.includes(action));
}

/** Throws `move_not_allowed` if there is none. */
export function chooseOpenActions(order: Order): readonly InvoiceAction[] {
  const actions = listOpenActions(order);
  if (actions.length > 0) return actions;
  throw refusedToOperator('no_open_action', { order: order.id });
}

/** Leaves actions open that came after the operator saw the order. */
function markActionsHandled(order: Order, seen: Order): InvoiceChange {
  const choose = (document: TaxDocument) => {
    const open = getOpenActions(document, order);
    return listSeenActions(document, seen).filter((action) => open.includes(action));
  };
  if (listDocuments(order).every((document) => choose(document).length === 0)) {
    throw refusedToOperator('order_changed', { order: order.id, current: order.version, seen: seen.version });
  }
  return mapDocuments(order, (document) => markHandled(document, choose(document)));
}

function listSeenActions({ key }: TaxDocument, seen: Order): readonly InvoiceAction[] {
  const document = findDocument(seen, key);
  return document ? getOpenActions(document, seen) : [];
}

/** Resends the mails that may not have arrived, or else that of the valid invoice. Returns their states. */
export async function resendMail(seen: Seen, act: Act, deps: Omit<InvoiceDeps, 'business'>): Promise<MailStatus[]> {
  const order = await seenOrder(deps.table, seen);
  const documents = chooseResendable(order);
  const states: MailStatus[] = [];
  let latest = order;
  for (const document of documents) {
    const claim = await claimDueMail({ order: latest, document }, act, deps.table);
    if (!claim.isChanged) throw refusedInFlight(order);
    latest = claim.order;
    const mail = await mailDocument({ order: latest, key: document.key }, act, deps);
    if (mail) states.push(mail);
  }
  return states;
}

/** Throws `move_not_allowed` if there is none. */
export function chooseResendable(order: Order): TaxDocument[] {
  refuseErased(order);
  const documents = listResendable(order);
  if (documents.length === 0) throw refusedToOperator('no_valid_invoice', { order: order.id });
  if (documents.some(({ mail }) => mail === 'sending')) throw refusedInFlight(order);
  return documents;
}

const refusedInFlight = ({ id }: Order) => refusedToOperator('mail_in_flight', { order: id });

const MAIL_ACTIONS: readonly InvoiceAction[] = ['mail_unconfirmed', 'mail_given_up'];

function listResendable(order: Order): TaxDocument[] {
  const hasOpenMail = (document: TaxDocument) =>
    getOpenActions(document, order).some((action) => MAIL_ACTIONS.includes(action));
  const open = listDocuments(order).filter(hasOpenMail);
  if (open.length > 0) return open;
  const { invoice } = order;
  return invoice && isValid(invoice) ? [invoice] : [];
}

type CancelledAgain = Pick<TaxDocument, 'kind' | 'status' | 'reason'>;

/** Repeats an order's rejected cancellations; the job continues pending ones. Throws `move_not_allowed` if none was rejected. */
export async function cancelAgain(request: Operation & Seen, deps: InvoiceDeps): Promise<CancelledAgain[]> {
  const before = await seenOrder(deps.table, request);
  const rejected = chooseRejected(before);
  const repeat = (document: TaxDocument) =>
    rejected.includes(document) ? repeatCancellation(document, request.now) : document;
  const after = { ...before, ...mapDocuments(before, repeat) };
  await commitOperation(deps.table, before, after, request, ...listDocumentEvents(before, after));
  const results: CancelledAgain[] = [];
  for (const { key } of rejected) results.push(...(await cancelNow(key, request, deps)));
  return results;
}

/** Throws `move_not_allowed` if there is none. */
export function chooseRejected(order: Order): TaxDocument[] {
  const rejected = listDocuments(order).filter(({ status }) => status === 'cancellation_rejected');
  if (rejected.length > 0) return rejected;
  throw refusedToOperator('no_cancellation_rejected', { order: order.id });
}

async function cancelNow(
  key: string,
  { id, operator, now }: Operation & Seen,
  deps: InvoiceDeps,
): Promise<CancelledAgain[]> {
  const act = { by: { operator }, now };
  const cancelling = { order: await existingOrder(deps.table, id), key };
  try {
    await cancelDocument(cancelling, act, deps);
  } catch (error) {
    logError('the provider could not be asked to cancel', error, { orderId: id });
    await postponeCancellation(cancelling, act, deps);
  }
  const after = findDocument(await existingOrder(deps.table, id), key);
  return after ? [after] : [];
}
