import { formatFolio } from '../../../domain/order.ts';
import {
  DataRefused,
  type ProvidedDocument,
  ProviderUnavailable,
  type ReceiverError,
} from '../../../invoicing/provider.ts';
import { logError } from '../../../runtime/log.ts';
import type { Order } from '../../../store/orders/order.ts';
import type { Act } from '../../../store/orders/order-history.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { mailDocument } from '../settling/mail-document.ts';
import { toFiscalDocument } from './fiscal-document.ts';
import {
  type Attempted,
  expectDocument,
  recordIssued,
  recordNotIssued,
  recordPostponed,
  recordRefused,
} from './invoice-attempt.ts';

/**
 * The outcome of an attempt. Except after `issued` and `unknown`, nothing was issued. After `unavailable` settling tries
 * again; after `unknown` it finds out whether the document was issued. `failed` is an error of ours, which an operator sees.
 */
export type IssueOutcome =
  | { readonly outcome: 'issued'; readonly order: Order; readonly isMailClaimed: boolean }
  | { readonly outcome: 'refused'; readonly errors: readonly ReceiverError[]; readonly cause: unknown }
  | { readonly outcome: 'failed'; readonly cause: unknown }
  | { readonly outcome: 'unavailable'; readonly retryAfterSeconds?: number | undefined }
  | { readonly outcome: 'unknown' };

/** A requested document; `refusals` says who learns that its data were refused. */
export type Issuing = Attempted & {
  readonly refusals: 'told to the caller' | 'left to an operator';
  readonly timeoutMs: number;
};

/** Issues a requested document of an order and records the outcome. Its mail is left to the caller. Never throws. */
export async function issueDocument(issuing: Issuing, act: Act, deps: InvoiceDeps): Promise<IssueOutcome> {
  try {
    const provided = await askProvider(issuing, deps);
    return await recordOutcome(issuing, provided, act, deps);
  } catch (error) {
    return await recordFailure(issuing, error, act, deps);
  }
}

/** Issues a requested document and mails it, without anybody who waits for the outcome. Returns the outcome. */
export async function issueAndMail(
  attempted: Attempted,
  { providerMs, mailMs }: { readonly providerMs: number; readonly mailMs: number },
  act: Act,
  deps: InvoiceDeps,
): Promise<IssueOutcome> {
  const asked = { ...attempted, refusals: 'left to an operator', timeoutMs: providerMs } as const;
  const issuing = await issueDocument(asked, act, deps);
  if (issuing.outcome === 'issued' && issuing.isMailClaimed) {
    await mailDocument({ ...attempted, order: issuing.order }, { ...act, timeoutMs: mailMs }, deps);
  }
  return issuing;
}

/** An error of ours before the call, so that nothing can have been issued and trying again does not help. */
class NotBuilt extends Error {}

async function askProvider({ order, key, timeoutMs }: Issuing, deps: InvoiceDeps): Promise<ProvidedDocument> {
  if (timeoutMs <= 0) throw new ProviderUnavailable('there is no time left to call it');
  const fiscal = build({ order, key });
  const provider = openProvider(deps);
  return provider.issue(fiscal, { key, folio: formatFolio(order.id) }, AbortSignal.timeout(timeoutMs));
}

function build(attempted: Attempted) {
  try {
    return toFiscalDocument(attempted.order, expectDocument(attempted));
  } catch (cause) {
    throw new NotBuilt('the document cannot be built', { cause });
  }
}

function openProvider({ invoicing }: InvoiceDeps) {
  try {
    return invoicing();
  } catch (cause) {
    throw new ProviderUnavailable(cause);
  }
}

async function recordOutcome(
  issuing: Issuing,
  provided: ProvidedDocument,
  act: Act,
  deps: InvoiceDeps,
): Promise<IssueOutcome> {
  if (provided.status === 'pending') return { outcome: 'unknown' };
  if (provided.status !== 'valid') throw new ProviderUnavailable(`the document is ${provided.status}`);
  return { outcome: 'issued', ...(await recordIssued(issuing, provided, act, deps)) };
}

/** Ends the attempt if it is certain that nothing was issued. */
async function recordFailure(issuing: Issuing, error: unknown, act: Act, deps: InvoiceDeps): Promise<IssueOutcome> {
  const { id } = issuing.order;
  if (!(error instanceof DataRefused)) logError('invoice failed', error, { orderId: id });
  try {
    if (error instanceof DataRefused) return await recordRefusal(issuing, error, act, deps);
    if (error instanceof NotBuilt) {
      await recordNotIssued(issuing, 'not_built', act, deps);
      return { outcome: 'failed', cause: error };
    }
    if (error instanceof ProviderUnavailable) {
      const { retryAfterSeconds } = error;
      await recordPostponed(issuing, { reason: 'unavailable', retryAfterSeconds }, act, deps);
      return { outcome: 'unavailable', retryAfterSeconds };
    }
  } catch (cause) {
    logError('the outcome of an invoice could not be recorded', cause, { orderId: id });
  }
  return { outcome: 'unknown' };
}

/** A refusal of data that the receiver did not send is an error of ours, whoever is told. */
async function recordRefusal(
  issuing: Issuing,
  refused: DataRefused,
  act: Act,
  deps: InvoiceDeps,
): Promise<IssueOutcome> {
  const isTold = issuing.refusals === 'told to the caller' && refused.errors.length > 0;
  if (isTold) await recordRefused(issuing, act, deps);
  else await recordNotIssued(issuing, 'refused', act, deps);
  return { outcome: 'refused', errors: refused.errors, cause: refused };
}
