import * as z from 'zod';
import { invoicing, mail } from '../../../shared/deps.ts';
import { getComplementDeadline } from '../../../shared/domain/invoices/content/complement.ts';
import { INVOICE_LIST_STATUSES, type InvoiceListStatus } from '../../../shared/domain/invoices/invoice-status.ts';
import type { InvoiceAction } from '../../../shared/domain/invoices/tax-document.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import { business } from '../../../shared/runtime/business.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { type InvoiceRow, latestInvoices } from '../../../shared/store/invoices/invoice-rows.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { handleInvoice } from '../../../shared/usecases/invoices/corrections/handle-invoice.ts';
import { resendMail, sendDueMail } from '../../../shared/usecases/invoices/settling/send-due-mail.ts';
import { settleInvoices } from '../../../shared/usecases/invoices/settling/settle-invoices.ts';
import { type Command, CommandRefusal, command } from '../command.ts';
import { listLimit } from '../input.ts';
import { orderId, version } from '../orders/changed-order.ts';
import { openDocuments } from '../orders/documents.ts';
import { textTable } from '../terminal/text-table.ts';
import { correctionCommands } from './corrections.ts';
import { invoicesGlobal } from './global.ts';
import { invoicesFiles } from './invoice-files.ts';
import { issuingCommands } from './issuing.ts';

const COLUMNS = [
  'order',
  'client',
  'status',
  'cfdi',
  'total',
  'payment_method',
  'mail',
  'waiting',
  'reason',
  'requested_at',
  'due_at',
] as const;

const invoicesList = command({
  name: 'invoices list',
  summary: 'List the latest invoices of all clients, or those of one status, with the actions that they wait for',
  example: '--status complement_due',
  options: { status: z.enum(INVOICE_LIST_STATUSES).optional(), limit: listLimit },
  async run({ status, limit }, call) {
    const invoices = await listInvoices(openTable(), status ? [status] : INVOICE_LIST_STATUSES, limit);
    const rows = invoices.map((invoice) => ({
      ...invoice,
      waiting: invoice.waiting.map(addDeadline(invoice)).join(' '),
    }));
    return { document: { invoices }, text: textTable(COLUMNS, rows, call) };
  },
});

/** Adds the last day of a payment complement to the action that waits for it. */
const addDeadline =
  ({ complement_by: day }: ReturnType<typeof listedInvoice>) =>
  (action: InvoiceAction): string =>
    action === 'complement_due' && day !== null ? `${action} (${day})` : action;

/** Lists the latest invoices of these statuses; one query for each. */
async function listInvoices(table: Table, statuses: readonly InvoiceListStatus[], limit: number) {
  const listed = await Promise.all(
    statuses.map(async (status) =>
      (await latestInvoices(table, status, limit)).map((row) => listedInvoice(row, status)),
    ),
  );
  const latestFirst = listed.flat().sort((one, other) => other.requested_at.localeCompare(one.requested_at));
  return latestFirst.slice(0, limit);
}

const listedInvoice = (row: InvoiceRow, status: InvoiceListStatus) => ({
  order: row.orderId,
  client: row.clientId,
  status,
  cfdi: row.cfdi,
  total: formatCents(row.totalCents),
  payment_method: row.paymentMethod,
  mail: row.mail,
  // All open actions; the status names the first.
  waiting: row.openActions,
  complement_by: row.paidAt === undefined ? null : getComplementDeadline(row.paidAt, business().timeZone),
  reason: row.reason,
  requested_at: row.requestedAt,
  issued_at: row.issuedAt,
  due_at: row.dueAt,
});

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

const invoicesResend = command({
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
    if (unsent) throw new CommandRefusal(`The mail of order ${id} is not sent but ${unsent.replaceAll('_', ' ')}.`);
    return { document: { order: id, mail: 'sent' }, text: `The mail of order ${id} is sent.\n` };
  },
});

const invoicesHandled = command({
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
