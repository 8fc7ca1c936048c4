import * as z from 'zod';
import { invoicing, mail } from '../../../shared/deps.ts';
import { INVOICE_LIST_STATUSES, type InvoiceListStatus } from '../../../shared/domain/invoices/invoice-status.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import { business } from '../../../shared/runtime/business.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { type InvoiceRow, latestInvoices } from '../../../shared/store/invoices/invoice-rows.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { handleInvoice } from '../../../shared/usecases/invoices/handle-invoice.ts';
import { resendInvoiceMail, sendDueMail } from '../../../shared/usecases/invoices/send-due-mail.ts';
import { settleInvoices } from '../../../shared/usecases/invoices/settle-invoices.ts';
import { type Command, CommandRefusal, command, positionals, printJson, report } from '../command.ts';
import { idArgument, idOption, validOptions } from '../options.ts';
import { textTable } from '../terminal/text-table.ts';

const MAX_LISTED = 1_000;

const listOptions = z.object({
  status: z.enum(INVOICE_LIST_STATUSES).optional(),
  limit: idOption.pipe(z.number().max(MAX_LISTED)).default(20),
});

const invoicesList = command({
  name: 'invoices list',
  summary: 'List the latest invoices of all clients, or those of one status, and what of them waits for a person',
  usage: `[--status ${INVOICE_LIST_STATUSES.join('|')}] [--limit <number, 20>]`,
  example: '--status complement_due',
  options: { status: { type: 'string' }, limit: { type: 'string' } },
  async run(input, io) {
    positionals(input);
    const { status, limit } = validOptions(listOptions, input.values);
    const invoices = await listed(openTable(), status ? [status] : INVOICE_LIST_STATUSES, limit);
    if (input.isJson) return printJson(io, { invoices });
    io.stdout.write(textTable(COLUMNS, invoices.map(cellsOf), io));
    return 0;
  },
});

/** One query for each status. */
async function listed(table: Table, standings: readonly InvoiceListStatus[], limit: number): Promise<Listed[]> {
  const rows = await Promise.all(
    standings.map(async (standing) =>
      (await latestInvoices(table, standing, limit)).map((row) => listedInvoice(row, standing)),
    ),
  );
  const latestFirst = rows.flat().sort((one, other) => other.requested_at.localeCompare(one.requested_at));
  return latestFirst.slice(0, limit);
}

type Listed = ReturnType<typeof listedInvoice>;
const listedInvoice = (row: InvoiceRow, status: InvoiceListStatus) => ({
  order: row.orderId,
  client: row.clientId,
  status,
  cfdi: row.cfdi,
  total: formatCents(row.totalCents),
  payment_method: row.paymentMethod,
  mail: row.mail,
  // All of it: the status is the first.
  waiting: row.openActions,
  reason: row.reason,
  requested_at: row.requestedAt,
  issued_at: row.issuedAt,
  due_at: row.dueAt,
});

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

const cellsOf = (invoice: Listed): string[] =>
  COLUMNS.map((column) => (column === 'waiting' ? invoice.waiting.join(' ') : String(invoice[column] ?? '')));

const invoicesSettle = command({
  name: 'invoices settle',
  summary: 'Look after the invoices and mails that are due, as is done every few minutes on AWS',
  usage: '',
  example: '',
  options: {},
  async run(input, io) {
    positionals(input);
    const deps = { table: openTable(), business: business(), invoicing, mail };
    const result = { invoices: await settleInvoices(now(), deps), mails: await sendDueMail(now(), deps) };
    const done = [`Invoices: ${textOf(result.invoices)}.`, `Mails: ${textOf(result.mails)}.`];
    report(result, done.join('\n'), input, io);
    const failed = (result.invoices.failed ?? 0) + (result.mails.failed ?? 0);
    if (failed > 0) throw new CommandRefusal(`${failed} could not be looked after; they are due again later.`);
    return 0;
  },
});

const textOf = (outcomes: Readonly<Record<string, number>>): string =>
  Object.entries(outcomes)
    .map(([outcome, count]) => `${count} ${outcome.replaceAll('_', ' ')}`)
    .join(', ') || 'nothing is due';

const invoicesResend = command({
  name: 'invoices resend',
  summary: 'Send the mail of an invoice now, even if it was sent before',
  usage: '<order id>',
  example: '42',
  options: {},
  async run(input, io) {
    const id = idArgument(input, 'order id');
    const state = await resendInvoiceMail(id, now(), { table: openTable(), invoicing, mail });
    const status = state?.status ?? 'gone';
    if (status === 'sent') return report({ order: id, mail: status }, `The mail of order ${id} is sent.`, input, io);
    throw new CommandRefusal(`The mail of order ${id} is not sent but ${status.replaceAll('_', ' ')}.`);
  },
});

const invoicesHandled = command({
  name: 'invoices handled',
  summary: 'Record that what waits for a person of an invoice was seen to, so that no alarm counts it any more',
  usage: '<order id>',
  example: '42',
  options: {},
  async run(input, io) {
    const id = idArgument(input, 'order id');
    const matters = await handleInvoice(id, openTable());
    return report({ order: id, handled: matters }, `Handled of order ${id}: ${matters.join(', ')}.`, input, io);
  },
});

export const invoiceCommands: readonly Command[] = [invoicesList, invoicesSettle, invoicesResend, invoicesHandled];
