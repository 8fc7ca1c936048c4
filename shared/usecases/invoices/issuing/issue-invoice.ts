import { timeLeftMs, within } from '../../../runtime/deadline.ts';
import { logError } from '../../../runtime/log.ts';
import type { Order } from '../../../store/orders/order.ts';
import type { Act } from '../../../store/orders/order-history.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { mailDocument } from '../settling/mail-document.ts';
import { type IssueOutcome, type Issuing, issueDocument } from './issue-document.ts';

// Half a second before the request's own deadline. Settling does the rest.
const MARGIN_MS = 500;
const PROVIDER_MS = 5_000;
const MAIL_MS = 2_000;
// Time to record the provider's answer.
const RECORD_MS = 500;

const issuingTimeLeftMs = (): number => timeLeftMs() - MARGIN_MS;

/**
 * Issues the requested invoice of an order, records it and mails it. Returns the outcome that is known half a second
 * before the request's deadline. Never throws.
 */
export async function issueInvoice(
  order: Order,
  refusals: Issuing['refusals'],
  act: Act,
  deps: InvoiceDeps,
): Promise<IssueOutcome> {
  let result: IssueOutcome = { outcome: 'unknown' };
  const key = order.invoice?.key ?? '';
  const work = async () => {
    const timeoutMs = Math.min(PROVIDER_MS, issuingTimeLeftMs() - RECORD_MS);
    result = await issueDocument({ order, key, refusals, timeoutMs }, act, deps);
    await mailIssued(result, key, act, deps);
  };
  await within(issuingTimeLeftMs(), work(), undefined);
  return result;
}

/** Sends the claimed mail, however late it is: nobody else will. */
async function mailIssued(result: IssueOutcome, key: string, act: Act, deps: InvoiceDeps): Promise<void> {
  if (result.outcome !== 'issued' || !result.isMailClaimed) return;
  const { order } = result;
  try {
    await mailDocument({ order, key }, { ...act, timeoutMs: Math.min(MAIL_MS, issuingTimeLeftMs()) }, deps);
  } catch (error) {
    logError('the outcome of a mail could not be recorded', error, { orderId: order.id });
  }
}
