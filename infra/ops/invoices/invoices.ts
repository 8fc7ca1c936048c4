import { invoicing, mail } from '../../../shared/deps.ts';
import type { Text } from '../../../shared/messages/say.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { business } from '../../../shared/runtime/config.ts';
import { openTable } from '../../../shared/store/table.ts';
import { sendDueMail } from '../../../shared/usecases/invoices/send-due-mail.ts';
import { settleInvoices } from '../../../shared/usecases/invoices/settle-invoices.ts';
import { handleInvoice, resendMail } from '../../../shared/usecases/operations/invoices/open-actions.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { type Command, command } from '../command.ts';
import { orderId, version } from '../orders/changed-order.ts';
import { openDocuments } from '../orders/documents.ts';
import { correctionCommands } from './corrections.ts';
import { invoicesGlobal } from './global.ts';
import { invoicesFiles } from './invoice-files.ts';
import { issuingCommands } from './issuing.ts';
import { invoicesList } from './list.ts';

const invoicesSettle = command({
  name: 'invoices settle',
  summary: 'Process the invoices and mails that are due, as AWS does every few minutes',
  async run(_, { operator }) {
    const act = { by: { operator: await operator() }, now: now() };
    const deps = { table: openTable(), business: business(), documents: openDocuments(), invoicing, mail };
    const document = { invoices: await settleInvoices(act, deps), mails: await sendDueMail(act, deps) };
    const failed = (document.invoices.failed ?? 0) + (document.mails.failed ?? 0);
    return {
      document,
      text: `Invoices: ${outcomesText(document.invoices)}.\nMails: ${outcomesText(document.mails)}.\n`,
      failure: failed > 0 ? `${failed} could not be looked after; they are due again later.` : undefined,
    };
  },
});

const outcomesText = (outcomes: Readonly<Record<string, number>>): string =>
  Object.entries(outcomes)
    .map(([outcome, count]) => `${count} ${outcome.replaceAll('_', ' ')}`)
    .join(', ') || 'nothing is due';

const MAIL_TEXTS = {
  due: { es: 'se intenta de nuevo más tarde', en: 'due' },
  sending: { es: 'se está enviando', en: 'sending' },
  unconfirmed: { es: 'no se sabe si salió', en: 'unconfirmed' },
  given_up: { es: 'ya no se intenta', en: 'given up' },
} as const satisfies Readonly<Record<string, Text>>;

export const invoicesResend = command({
  name: 'invoices resend',
  summary:
    'Send the mails now that may not have arrived, of an invoice, another document or a cancellation, or that of the invoice again',
  example: '42',
  arguments: { orderId },
  options: { version },
  async run({ orderId: id, version: seen }, { operator }) {
    const act = { by: { operator: await operator() }, now: now() };
    const deps = { table: openTable(), documents: openDocuments(), invoicing, mail };
    const states = await resendMail({ id, version: seen }, act, deps);
    const unsent = states.find((state) => state !== 'sent');
    if (unsent) throw refusedToOperator('mail_not_sent', { order: id, status: MAIL_TEXTS[unsent] });
    return { document: { order: id, mail: 'sent' }, text: `The mail of order ${id} is sent.\n` };
  },
});

export const invoicesHandled = command({
  name: 'invoices handled',
  summary: 'Record that a person has done what an invoice waited for, so that no alarm counts it any more',
  example: '42',
  arguments: { orderId },
  options: { version },
  async run({ orderId: id, version: seen }, { operator }) {
    const act = { by: { operator: await operator() }, now: now() };
    const handled = await handleInvoice({ id, version: seen }, act, openTable());
    return { document: { order: id, handled }, text: `Handled of order ${id}: ${handled.join(', ')}.\n` };
  },
});

export const invoiceCommands: readonly Command[] = [
  invoicesList,
  invoicesSettle,
  ...issuingCommands,
  ...correctionCommands,
  invoicesResend,
  invoicesHandled,
  invoicesFiles,
  invoicesGlobal,
];
