import type { Order } from '../order/order.ts';
import type { Act } from '../order/order-history.ts';
import { getOrder } from '../order/orders.ts';
import { dueInvoices, type InvoiceRow } from '../order/rows/invoice-rows.ts';
import { logError } from '../runtime/log.ts';
import { unlessPaused } from '../store/pause.ts';
import type { Table } from '../store/table.ts';
import type { InvoiceDeps } from './invoice-attempt.ts';
import { type ChangedInvoice, changeDocument } from './invoice-changes.ts';
import { archiveDueDocuments, mailDocument } from './mail-document.ts';
import { type Outcomes, processInBatches } from './process-in-batches.ts';
import { isCheckDue } from './rules/invoice-status.ts';
import { claimMail, finishMail, isMailWaiting } from './rules/issued-document.ts';
import { listDocuments, type TaxDocument } from './rules/tax-document.ts';

type Deps = Omit<InvoiceDeps, 'business'>;

// SES accepts 14 mails a second from a new account.
const RUN_MS = 50 * 1_000;
const MAILS_PER_RUN = 500;

/**
 * Sends the mails of tax documents that are due again after SES refused them. Each is claimed before it is sent. If a claim
 * has expired, it is unknown whether the mail was sent, and it is not sent again. Without a sender all stay as they are, until one
 * is set. Safe to run concurrently.
 */
export async function sendDueMail(act: Act, deps: Deps): Promise<Outcomes> {
  const due = await dueInvoices(deps.table, 'mail_due', { now: act.now, limit: MAILS_PER_RUN });
  const sendMails = async ({ clientId, orderId }: InvoiceRow) => {
    let order = await getOrder(deps.table, { clientId, id: orderId });
    if (!order) throw new Error('an invoice is of no order');
    const outcomes: string[] = [];
    for (const document of listDocuments(order).filter((document) => isMailDue(document, act.now))) {
      const sent = await sendDue({ order, document }, act, deps);
      order = sent.order;
      outcomes.push(sent.outcome);
    }
    await archiveDueDocuments(order, act, deps);
    return outcomes;
  };
  return processInBatches(due, RUN_MS, unlessPaused(deps.table, sendMails));
}

type Mailed = { readonly order: Order; readonly document: TaxDocument };

const isMailDue = (document: TaxDocument, now: Date): boolean => isMailWaiting(document) && isCheckDue(document, now);

/** Returns the order as it is then, and the status of the mail. */
async function sendDue(mailed: Mailed, act: Act, deps: Deps): Promise<{ order: Order; outcome: string }> {
  if (!deps.mail()) return { order: mailed.order, outcome: 'no_sender' };
  if (mailed.document.mail?.status === 'sending') return expireClaim(mailed, act, deps.table);
  const { order, isChanged } = await claimDueMail(mailed, act, deps.table);
  if (!isChanged) return { order, outcome: 'done' };
  const { key } = mailed.document;
  const mail = await mailDocument({ order, key }, act, deps);
  return { order, outcome: mail?.status ?? 'done' };
}

/** Claims the mail, unless somebody else has changed it first. */
export const claimDueMail = ({ order, document }: Mailed, act: Act, table: Table): Promise<ChangedInvoice> =>
  changeDocument(table, { order, key: document.key }, act, (fresh) =>
    isMailUnchanged(fresh, document) ? claimMail(fresh, act.now) : undefined,
  );

async function expireClaim({ order, document }: Mailed, act: Act, table: Table) {
  const expired = await changeDocument(table, { order, key: document.key }, act, (fresh) =>
    isMailUnchanged(fresh, document) ? finishMail(fresh, 'unconfirmed') : undefined,
  );
  if (!expired.isChanged) return { order: expired.order, outcome: 'done' };
  logError('mail needs a person', new Error('the mail is unconfirmed'), { orderId: order.id });
  return { order: expired.order, outcome: 'unconfirmed' };
}

const isMailUnchanged = (fresh: TaxDocument, { status, mail }: TaxDocument): boolean =>
  fresh.status === status && fresh.mail?.status === mail?.status && fresh.mail?.tries === mail?.tries;
