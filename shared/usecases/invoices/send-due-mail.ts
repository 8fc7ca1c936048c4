import { claimMail, finishMail, type OrderInvoice } from '../../domain/invoices/order-invoice.ts';
import { logError } from '../../runtime/log.ts';
import { changeInvoice } from '../../store/invoices/invoice-changes.ts';
import { dueInvoices } from '../../store/invoices/invoice-rows.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Act } from '../../store/orders/order-history.ts';
import { getOrder } from '../../store/orders/orders.ts';
import type { Table } from '../../store/table.ts';
import { existingOrder, refusedToOperator, refuseErased } from '../orders/operate-order.ts';
import type { InvoiceDeps } from './invoice-deps.ts';
import { mailInvoice } from './mail-invoice.ts';
import { type Outcomes, processInBatches } from './process-in-batches.ts';

type Deps = Pick<InvoiceDeps, 'table' | 'invoicing' | 'mail'>;

// SES accepts 14 mails a second from a new account.
const RUN_MS = 50 * 1_000;
const MAILS_PER_RUN = 500;
const MAIL_MS = 10_000;

/**
 * Sends the invoice mails that are due again after SES refused them. Each is claimed before it is sent. If a claim has
 * expired, it is unknown whether the mail was sent, and it is not sent again. Safe to run concurrently.
 */
export async function sendDueMail(act: Act, deps: Deps): Promise<Outcomes> {
  const due = await dueInvoices(deps.table, 'mail_due', { now: act.now, limit: MAILS_PER_RUN });
  return processInBatches(due, RUN_MS, async ({ clientId, orderId }) => {
    const order = await getOrder(deps.table, { clientId, id: orderId });
    if (!order) throw new Error('an invoice is of no order');
    const mail = order.invoice?.mail;
    if (mail?.status === 'sending') return expireClaim(order, act, deps.table);
    return mail?.status === 'due' ? claimAndSend(order, act, deps) : 'done';
  });
}

/** Sends the mail of an invoice now, at an operator's request, even if it was sent before. */
export async function resendInvoiceMail(orderId: number, act: Act, deps: Deps): Promise<OrderInvoice['mail']> {
  const order = await existingOrder(deps.table, orderId);
  refuseErased(order);
  const { invoice } = order;
  if (invoice?.status !== 'issued' && invoice?.status !== 'cancellation_rejected') {
    throw refusedToOperator('move_not_allowed', `Order ${orderId} has no valid invoice.`);
  }
  const isInFlight = invoice.mail?.status === 'sending';
  const claimed = isInFlight ? undefined : await claim(order, act, deps.table);
  if (!claimed) throw refusedToOperator('move_not_allowed', `The mail of order ${orderId} is being sent right now.`);
  return mailInvoice(claimed, { ...act, timeoutMs: MAIL_MS }, deps);
}

async function claimAndSend(order: Order, act: Act, deps: Deps): Promise<string> {
  const claimed = await claim(order, act, deps.table);
  if (!claimed) return 'done';
  return (await mailInvoice(claimed, { ...act, timeoutMs: MAIL_MS }, deps))?.status ?? 'done';
}

/** Claims the mail. Returns undefined if somebody else has changed the invoice first. */
async function claim(order: Order, act: Act, table: Table): Promise<Order | undefined> {
  const { order: claimed, isChanged } = await changeInvoice(table, order, act, ({ invoice }) =>
    isMailUnchanged(invoice, order) ? { invoice: claimMail(invoice, act.now) } : undefined,
  );
  return isChanged ? claimed : undefined;
}

async function expireClaim(order: Order, act: Act, table: Table): Promise<string> {
  const { isChanged } = await changeInvoice(table, order, act, ({ invoice }) =>
    isMailUnchanged(invoice, order) && isExpired(invoice, act.now)
      ? { invoice: finishMail(invoice, 'unconfirmed') }
      : undefined,
  );
  if (!isChanged) return 'done';
  logError('mail needs a person', new Error('the mail is unconfirmed'), { orderId: order.id });
  return 'unconfirmed';
}

const isExpired = ({ dueAt }: OrderInvoice, now: Date): boolean => dueAt !== null && dueAt <= now.toISOString();

function isMailUnchanged(invoice: OrderInvoice | null, order: Order): invoice is OrderInvoice {
  const seen = order.invoice;
  const isSameMail = invoice?.mail?.status === seen?.mail?.status && invoice?.mail?.tries === seen?.mail?.tries;
  return invoice !== null && invoice.key === seen?.key && invoice.status === seen.status && isSameMail;
}
