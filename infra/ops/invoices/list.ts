import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { formatCents } from '../../../shared/domain/money.ts';
import { listMonth, nameCopies } from '../../../shared/invoices/read-month.ts';
import { getComplementDeadline } from '../../../shared/invoices/rules/build/invoice.ts';
import { adviseInvoice, explainReason, INVOICE_ADVICE } from '../../../shared/invoices/rules/invoice-advice.ts';
import { INVOICE_LIST_STATUSES, type InvoiceListStatus } from '../../../shared/invoices/rules/invoice-status.ts';
import { listDocuments } from '../../../shared/invoices/rules/tax-document.ts';
import { existingOrder } from '../../../shared/order/operate-order.ts';
import { type InvoiceRow, latestInvoices } from '../../../shared/order/rows/invoice-rows.ts';
import { business, hasSender } from '../../../shared/runtime/config.ts';
import { readInvoiceFile } from '../../../shared/store/documents.ts';
import type { Table } from '../../../shared/store/table.ts';
import { command } from '../command.ts';
import { UsageError } from '../errors.ts';
import { OWNER_ONLY, writeWhole } from '../files.ts';
import { flag, listLimit, month, orderId, path } from '../input.ts';

export const invoicesList = command({
  name: 'invoices list',
  summary:
    'List the latest invoices of all clients, those of one status, or those that wait for a person and what to do',
  example: '--waiting',
  input: z.object({
    status: z.enum(INVOICE_LIST_STATUSES).optional(),
    waiting: flag.describe('only those with open actions, the most urgent first, with what each means and what to do'),
    limit: listLimit,
  }),
  check({ status, waiting }) {
    if (waiting && status) throw new UsageError('--waiting: It does not go with --status.');
  },
  async run({ status, waiting, limit }, context) {
    const statuses = status ? [status] : waiting ? WAITING_STATUSES : INVOICE_LIST_STATUSES;
    const listed = await readListed(context.table, statuses, waiting ? MOST_WAITING : limit);
    const invoices = (waiting ? chooseWaiting(listed) : listed.sort(compareLatest)).slice(0, limit);
    return { document: { invoices }, columns: COLUMNS, remark: waiting ? explainActions(invoices) : undefined };
  },
});

type ListedInvoice = ReturnType<typeof toListed>;

// An invoice that a job works on may wait for a person too; nobody lets more than this many wait.
const MOST_WAITING = 1_000;
const WAITING_STATUSES = INVOICE_LIST_STATUSES.slice(0, INVOICE_LIST_STATUSES.indexOf('cancellation_pending'));

async function readListed(table: Table, statuses: readonly InvoiceListStatus[], limit: number) {
  const listed = await Promise.all(
    statuses.map(async (status) => (await latestInvoices(table, status, limit)).map((row) => toListed(row, status))),
  );
  return listed.flat();
}

const compareLatest = (one: ListedInvoice, other: ListedInvoice): number =>
  other.requested_at.localeCompare(one.requested_at);

/** Returns the invoices with open actions, by the first of these, and of one action those that wait longest first. */
function chooseWaiting(listed: readonly ListedInvoice[]): ListedInvoice[] {
  const rank = ({ waiting: [first] }: ListedInvoice) => (first ? INVOICE_LIST_STATUSES.indexOf(first) : 0);
  const waiting = listed.filter((invoice) => invoice.waiting.length > 0);
  return waiting.sort((one, other) => rank(one) - rank(other) || compareLatest(other, one));
}

const toListed = (
  { reason: stored, ...row }: InvoiceRow,
  status: InvoiceListStatus,
  reason = stored ?? whyUnsent(status),
) => ({
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
  reason,
  reason_text: explainReason(reason),
  advice: adviseInvoice(status, row.openActions),
  requested_at: row.requestedAt,
  issued_at: row.issuedAt,
  due_at: row.dueAt,
});

const whyUnsent = (status: InvoiceListStatus) => (status === 'mail_due' && !hasSender() ? 'no_sender' : null);

const STATE = ['status', 'payment_method', 'mail', 'waiting', 'complement_by', 'reason'] as const;
const COLUMNS = ['order', 'client', 'total', ...STATE, 'cfdi', 'requested_at', 'due_at'] as const;

const explainActions = (invoices: readonly ListedInvoice[]): string =>
  [...new Set(invoices.flatMap(({ waiting }) => waiting))]
    .map((action) => `${action}: ${INVOICE_ADVICE[action].meaning.en} ${INVOICE_ADVICE[action].remedy.en}`)
    .join('\n');

export const invoicesFiles = command({
  name: 'invoices files',
  summary:
    'Write our copies of the tax documents of an order, or of a month with its global invoices, to a folder, named by kind, ' +
    'series and folio: XML, PDF, and the receipt of a cancellation (acuse)',
  example: '--period 2026-11 --out facturas/',
  positional: ['orderId'],
  input: z.object({
    orderId: orderId.optional(),
    period: month.optional().describe('what was stamped or cancelled in it, and the global invoices of its sales'),
    out: path('folder'),
  }),
  oneOf: { names: ['orderId', 'period'], isRequired: true },
  async run({ orderId: id, period, out }, context) {
    const listed =
      period === undefined
        ? listDocuments(await existingOrder(context.table, Number(id)))
        : await listMonth(context.table, period, context.business.timeZone);
    const copies = nameCopies(listed);
    if (copies.length > 0) await mkdir(out, { recursive: true });
    for (const { key, file, name } of copies) {
      const bytes = await readInvoiceFile(context.documents, key, file);
      // They name the receiver.
      await writeWhole(join(out, name), [bytes], OWNER_ONLY);
    }
    const files = copies.map(({ name }) => name);
    const missing = listed.filter(({ kept, providerId }) => kept.length === 0 && providerId !== '').length;
    const of = period ?? `order ${id}`;
    return {
      document: { ...(period === undefined ? { order: id } : { period }), files },
      text: files.map((name) => `${name}\n`).join('') || `There is no copy of a tax document of ${of}.\n`,
      remark: missing > 0 ? `Without a copy here: ${missing} of ${listed.length} documents.` : undefined,
    };
  },
});
