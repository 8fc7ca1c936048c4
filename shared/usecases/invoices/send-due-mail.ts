import { mailClaimed, mailOver, type OrderInvoice } from '../../domain/invoices/order-invoice.ts';
import { logError } from '../../runtime/log.ts';
import { changeInvoice } from '../../store/invoices/invoice-changes.ts';
import { dueInvoices } from '../../store/invoices/invoice-rows.ts';
import { type Order, orderOf } from '../../store/orders/orders.ts';
import type { Table } from '../../store/table.ts';
import { existingOrder, refusedToOperator } from '../orders/operate-order.ts';
import type { InvoiceDeps } from './issue-invoice.ts';
import { mailInvoice } from './mail-invoice.ts';
import { type Outcomes, workThrough } from './process-in-batches.ts';

type Deps = Pick<InvoiceDeps, 'table' | 'invoicing' | 'mail'>;

// SES takes 14 mails a second from a new account.
const RUN_MS = 50 * 1_000;
const MAILS_PER_RUN = 500;
const MAIL_MS = 10_000;

/**
 * Sends the mails of invoices that SES did not take before and that are due again. Each is claimed before it is sent; of
 * one whose claim ran out nobody knows whether it was sent, and it is not sent again. May run twice at once.
 */
export async function sendDueMail(now: Date, deps: Deps): Promise<Outcomes> {
  const due = await dueInvoices(deps.table, 'mail_due', { now, limit: MAILS_PER_RUN });
  return workThrough(due, RUN_MS, async ({ clientId, orderId }) => {
    const order = await orderOf(deps.table, { clientId, id: orderId });
    if (!order) throw new Error('an invoice is of no order');
    const mail = order.invoice?.mail;
    if (mail?.status === 'sending') return giveClaimUp(order, now, deps.table);
    return mail?.status === 'due' ? claimAndSend(order, now, deps) : 'done';
  });
}

/** Sends the mail of an invoice now because an operator asks for it, even if it was sent before. */
export async function resendInvoiceMail(orderId: number, now: Date, deps: Deps): Promise<OrderInvoice['mail']> {
  const order = await existingOrder(deps.table, orderId);
  const { invoice } = order;
  if (invoice?.status !== 'issued' && invoice?.status !== 'cancellation_rejected') {
    throw refusedToOperator('move_not_allowed', `Order ${orderId} has no invoice that stands.`);
  }
  const isInFlight = invoice.mail?.status === 'sending';
  const claimed = isInFlight ? undefined : await claim(order, now, deps.table);
  if (!claimed) throw refusedToOperator('move_not_allowed', `The mail of order ${orderId} is being sent just now.`);
  return mailInvoice(claimed, { now, timeoutMs: MAIL_MS }, deps);
}

async function claimAndSend(order: Order, now: Date, deps: Deps): Promise<string> {
  const claimed = await claim(order, now, deps.table);
  if (!claimed) return 'done';
  return (await mailInvoice(claimed, { now, timeoutMs: MAIL_MS }, deps))?.status ?? 'done';
}

/** The order with its mail claimed, undefined if somebody else was quicker. */
async function claim(order: Order, now: Date, table: Table): Promise<Order | undefined> {
  const { order: claimed, isChanged } = await changeInvoice(table, order, ({ invoice }) =>
    isAsSeen(invoice, order) ? { invoice: mailClaimed(invoice, now) } : undefined,
  );
  return isChanged ? claimed : undefined;
}

async function giveClaimUp(order: Order, now: Date, table: Table): Promise<string> {
  const { isChanged } = await changeInvoice(table, order, ({ invoice }) =>
    isAsSeen(invoice, order) && isOver(invoice, now) ? { invoice: mailOver(invoice, 'unconfirmed') } : undefined,
  );
  if (!isChanged) return 'done';
  logError('mail needs a person', new Error('the mail is unconfirmed'), { orderId: order.id });
  return 'unconfirmed';
}

const isOver = ({ dueAt }: OrderInvoice, now: Date): boolean => dueAt !== null && dueAt <= now.toISOString();

function isAsSeen(invoice: OrderInvoice | null, order: Order): invoice is OrderInvoice {
  const seen = order.invoice;
  const isSameMail = invoice?.mail?.status === seen?.mail?.status && invoice?.mail?.tries === seen?.mail?.tries;
  return invoice !== null && invoice.key === seen?.key && invoice.status === seen.status && isSameMail;
}
