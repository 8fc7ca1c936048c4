import { finishMail, type OrderInvoice, postponeMail } from '../../domain/invoices/order-invoice.ts';
import { formatFolio } from '../../domain/order.ts';
import { composeInvoiceMail } from '../../mail/compose-invoice.ts';
import type { MailOutcome } from '../../mail/send.ts';
import { logError, logInfo } from '../../runtime/log.ts';
import { changeInvoice } from '../../store/invoices/invoice-changes.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Act } from '../../store/orders/order-history.ts';
import type { InvoiceDeps } from './invoice-deps.ts';

type MailDeps = Pick<InvoiceDeps, 'table' | 'invoicing' | 'mail'>;

/**
 * Mails the invoice of an order whose mail is claimed, and records the outcome. A mail whose outcome is unknown is not sent
 * again automatically. Throws only if the outcome cannot be recorded; the claim then expires.
 */
export async function mailInvoice(
  order: Order,
  { timeoutMs, ...act }: Act & { readonly timeoutMs: number },
  deps: MailDeps,
): Promise<OrderInvoice['mail']> {
  const outcome = await composeAndSend(order, AbortSignal.timeout(Math.max(0, timeoutMs)), deps);
  const claim = order.invoice;
  const { order: after } = await changeInvoice(deps.table, order, act, ({ invoice }) =>
    invoice && isClaimed(invoice, claim) ? { invoice: applyMailOutcome(invoice, outcome, act.now) } : undefined,
  );
  const mail = after.invoice?.mail ?? null;
  logOutcome(order.id, outcome, mail);
  return mail;
}

/** True unless somebody else has claimed the mail since. An expired claim still counts: its mail may have been sent. */
const isClaimed = ({ key, mail }: OrderInvoice, claim: OrderInvoice | null): boolean =>
  key === claim?.key && mail?.tries === claim.mail?.tries;

async function composeAndSend(order: Order, signal: AbortSignal, { invoicing, mail }: MailDeps): Promise<MailOutcome> {
  try {
    const mailer = mail();
    const files = await invoicing().files(order.cfdi, signal);
    const to = order.invoicing?.email || order.patient.email;
    const { sender, sellerName } = mailer;
    const folio = formatFolio(order.id);
    const raw = await composeInvoiceMail({
      to,
      folio,
      totalCents: order.totalCents,
      sellerName,
      sender,
      files,
    });
    return await mailer.send(raw, to, signal);
  } catch (error) {
    // SES has not received anything yet: `send` itself does not throw.
    logError('a mail could not be composed', error, { orderId: order.id });
    return { outcome: 'refused', code: 'NotComposed' };
  }
}

function applyMailOutcome(invoice: OrderInvoice, { outcome }: MailOutcome, now: Date): OrderInvoice {
  if (outcome === 'refused') return postponeMail(invoice, now);
  return finishMail(invoice, outcome === 'sent' ? 'sent' : 'unconfirmed');
}

function logOutcome(orderId: number, outcome: MailOutcome, mail: OrderInvoice['mail']): void {
  const code = outcome.outcome === 'sent' ? undefined : outcome.code;
  const fields = { orderId, outcome: outcome.outcome, code, mail: mail?.status, tries: mail?.tries };
  const needsPerson = mail?.status === 'unconfirmed' || mail?.status === 'given_up';
  if (needsPerson) logError('mail needs a person', new Error(`the mail is ${mail.status}`), fields);
  else logInfo('mail', fields);
}
