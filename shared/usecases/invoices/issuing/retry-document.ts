import {
  countRetry,
  markNotIssued,
  postponeAttempt,
  postponeCheck,
} from '../../../domain/invoices/documents/attempts.ts';
import { documentRefusal, getIssueEnd } from '../../../domain/invoices/invoice-window.ts';
import { findRelated } from '../../../domain/invoices/order-documents.ts';
import type { TaxDocument } from '../../../domain/invoices/tax-document.ts';
import { changeDocument } from '../../../store/invoices/invoice-changes.ts';
import type { Order } from '../../../store/orders/order.ts';
import type { Act } from '../../../store/orders/order-history.ts';
import { type CreditedPart, findCreditedPart, isWaitingForPart } from '../global/credited-part.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { mailDocument } from '../settling/mail-document.ts';
import { type Attempted, expectDocument, repeatAttempt } from './invoice-attempt.ts';
import { type IssueOutcome, issueDocument } from './issue-document.ts';

const PROVIDER_MS = 5_000;
const MAIL_MS = 10_000;

/**
 * Makes an attempt anew of which nothing was issued, if it may still be issued. The new attempt and its key are stored before
 * the provider is called. Returns the outcome.
 */
export async function retryDocument(retrying: Attempted, act: Act, deps: InvoiceDeps): Promise<string> {
  const known = expectDocument(retrying);
  const part = isWaitingForPart(known) ? await findCreditedPart(retrying.order, deps.table) : undefined;
  let next: TaxDocument = known;
  const { order, isChanged } = await changeDocument(deps.table, retrying, act, (document, fresh) => {
    if (document.status !== 'retrying') return undefined;
    next = toNextAttempt(applyPart(document, part), fresh, act, deps);
    return next;
  });
  if (!isChanged) return 'settled';
  return next.status === 'requested' ? issueAndMail({ order, key: next.key }, act, deps) : next.status;
}

/** Issues a requested document and mails it, without anybody who waits. Returns the outcome as jobs count it. */
async function issueAndMail(attempted: Attempted, act: Act, deps: InvoiceDeps): Promise<string> {
  const asked = { ...attempted, refusals: 'left to an operator', timeoutMs: PROVIDER_MS } as const;
  const issuing = await issueDocument(asked, act, deps);
  if (issuing.outcome !== 'issued') return OUTCOMES[issuing.outcome];
  const { order, isMailClaimed } = issuing;
  if (isMailClaimed) await mailDocument({ ...attempted, order }, { ...act, timeoutMs: MAIL_MS }, deps);
  return 'issued';
}

const OUTCOMES = {
  refused: 'not_issued',
  failed: 'not_issued',
  unavailable: 'retrying',
  unknown: 'later',
} as const satisfies Record<Exclude<IssueOutcome['outcome'], 'issued'>, string>;

const applyPart = (document: TaxDocument, part: CreditedPart | undefined): TaxDocument =>
  isWaitingForPart(document) ? { ...document, ...part } : document;

function toNextAttempt(document: TaxDocument, order: Order, { now }: Act, { business }: InvoiceDeps): TaxDocument {
  if (isWaitingForPart(document)) return { ...postponeCheck(document, now), reason: 'global_not_issued' };
  const until = getIssueEnd(document, order, business.timeZone);
  const related = document.kind === 'invoice' ? undefined : findRelated(order, document)?.status;
  if (related === 'cancelled') return markNotIssued(document, 'invoice_cancelled');
  // SAT cancels no invoice with a valid document that relates to it.
  if (related && BEING_CANCELLED.includes(related)) {
    return postponeAttempt(document, { reason: 'invoice_cancelling', now, until });
  }
  const refusal = documentRefusal(document, order, now, business.timeZone);
  // A rejected payment may be made anew while the window is open.
  if (refusal === 'payment_rejected') return postponeAttempt(document, { reason: refusal, now, until });
  if (refusal) return markNotIssued(document, refusal);
  if (until && now > until) return markNotIssued(document, 'invoice_window_closed');
  return countRetry(repeatAttempt(document, order, now), document);
}

const BEING_CANCELLED: readonly TaxDocument['status'][] = ['cancelling', 'cancellation_pending'];
