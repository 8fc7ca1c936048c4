import {
  countRetry,
  markNotIssued,
  postponeAttempt,
  postponeCheck,
} from '../../../domain/invoices/documents/attempts.ts';
import { isWaitingForPart } from '../../../domain/invoices/global/credits.ts';
import { documentRefusal, getIssueEnd } from '../../../domain/invoices/invoice-window.ts';
import { findRelated } from '../../../domain/invoices/order-documents.ts';
import type { TaxDocument } from '../../../domain/invoices/tax-document.ts';
import { getPart } from '../../../store/invoices/global-parts.ts';
import { changeDocument } from '../../../store/invoices/invoice-changes.ts';
import type { Order } from '../../../store/orders/order.ts';
import type { Act } from '../../../store/orders/order-history.ts';
import type { Table } from '../../../store/table.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { type Attempted, expectDocument, repeatAttempt } from './invoice-attempt.ts';
import { type IssueOutcome, issueAndMail } from './issue-document.ts';

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
  if (next.status !== 'requested') return next.status;
  const { outcome } = await issueAndMail(
    { order, key: next.key },
    { providerMs: PROVIDER_MS, mailMs: MAIL_MS },
    act,
    deps,
  );
  return OUTCOMES[outcome];
}

/** The outcomes as jobs count them. */
const OUTCOMES = {
  issued: 'issued',
  refused: 'not_issued',
  failed: 'not_issued',
  unavailable: 'retrying',
  unknown: 'later',
} as const satisfies Record<IssueOutcome['outcome'], string>;

/** The data of its part that a credit note of a global invoice states. */
type CreditedPart = Pick<TaxDocument, 'relatedUuid' | 'globalZipcode'>;

/** Returns the part of an order, for its credit note; undefined while it is not issued. */
async function findCreditedPart({ global }: Order, table: Table): Promise<CreditedPart | undefined> {
  const part = global ? await getPart(table, global) : undefined;
  return part?.stamp ? { relatedUuid: part.stamp.uuid, globalZipcode: part.zipcode } : undefined;
}

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
  const refusal = documentRefusal(document, order);
  // A rejected payment may be made anew while the window is open.
  if (refusal === 'payment_rejected') return postponeAttempt(document, { reason: refusal, now, until });
  if (refusal) return markNotIssued(document, refusal);
  if (until && now > until) return markNotIssued(document, 'invoice_window_closed');
  return countRetry(repeatAttempt(document, order, now), document);
}

const BEING_CANCELLED: readonly TaxDocument['status'][] = ['cancelling', 'cancellation_pending'];
