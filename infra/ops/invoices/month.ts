import * as z from 'zod';
import { formatCents, sumCents } from '../../../shared/domain/money.ts';
import { toMonthInstants } from '../../../shared/domain/working-day.ts';
import { type GlobalPart, globalParts } from '../../../shared/invoices/global/global-parts.ts';
import {
  issueGlobal,
  lastMonth,
  reopenRefused,
  SALES_PER_PART,
} from '../../../shared/invoices/global/issue-globals.ts';
import { readMonth } from '../../../shared/invoices/read-month.ts';
import type { AccountingRow } from '../../../shared/invoices/rules/accounting.ts';
import { listDispensings } from '../../../shared/order/rows/dispensing-rows.ts';
import { type UninvoicedRow, uninvoicedRows } from '../../../shared/order/rows/invoice-rows.ts';
import {
  lacksPrescriber,
  REGISTER_COLUMNS,
  toRegisterLine,
} from '../../../shared/prescriptions/dispensing-register.ts';
import { globalInvoiceConfig } from '../../../shared/runtime/config.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandRefusal } from '../errors.ts';
import { type CsvRow, OWNER_ONLY, toCsv, writeCsv } from '../files.ts';
import { flag, month, path } from '../input.ts';
import { countText } from '../output.ts';

export const invoicesGlobal = command({
  name: 'invoices global',
  summary: 'Show the global invoice of a month (the last one, if none is given), and the paid orders that are in none',
  example: '--period 2026-10 --issue',
  input: z.object({
    period: month.optional(),
    issue: flag.describe('issue it, as a job does within a day of the month, and ask again for what was refused'),
  }),
  async run({ period: asked, issue }, context) {
    const { table, now } = context;
    const { timeZone } = context.business;
    const period = asked ?? lastMonth(now, timeZone);
    if (issue) await issueMonth(period, context);
    const parts = await globalParts(table, { from: period, until: period });
    const open = summarize(await uninvoicedRows(table, toMonthInstants(period, timeZone)));
    const document = { period, parts: parts.map(representPart), open_orders: open };
    return { document, failure: issue && open.count > 0 ? 'Not every paid order is in an invoice.' : undefined };
  },
});

async function issueMonth(period: string, context: Context): Promise<void> {
  const act = await context.act();
  const { until } = toMonthInstants(period, context.business.timeZone);
  if (act.now < until) throw new CommandRefusal(`The month ${period} is not over: orders are still paid in it.`);
  const deps = { ...context, zipcode: globalInvoiceConfig().ISSUER_ZIPCODE, salesPerPart: SALES_PER_PART };
  await reopenRefused(period, deps);
  await issueGlobal(period, act, deps);
}

const representPart = ({ period, part, status, reason, ...issued }: GlobalPart) => ({
  period,
  part,
  status,
  orders: issued.orderCount,
  total: formatCents(issued.totalCents),
  uuid: issued.stamp?.uuid ?? '',
  cfdi: issued.providerId,
  issued_at: issued.issuedAt,
  reason,
});

const summarize = (rows: readonly UninvoicedRow[]) => ({
  count: rows.length,
  total: formatCents(sumCents(rows.map(({ totalCents }) => totalCents))),
  waiting: rows.filter(({ isWaiting }) => isWaiting).length,
});

const ACCOUNTING_COLUMNS = [
  'order',
  'folio',
  'kind',
  'uuid',
  'status',
  'stamped_on',
  'cancelled_on',
  'base_0',
  'base_8',
  'iva_8',
  'base_16',
  'iva_16',
  'shipping',
  'discount',
  'total',
  'paid_on',
  'payment_form',
  'payment_method',
  'related_uuid',
  'complement_uuid',
] as const satisfies readonly (keyof AccountingRow)[];

const toTable = (rows: readonly AccountingRow[]): CsvRow[] => [
  ACCOUNTING_COLUMNS,
  ...rows.map((row) => ACCOUNTING_COLUMNS.map((column) => row[column])),
];

/** Writes rows below their heading to a file, or returns them for stdout. */
async function exportCsv(rows: readonly CsvRow[], file: string | undefined, mode?: number): Promise<string> {
  if (file === undefined) return toCsv(rows);
  await writeCsv(file, [rows], mode);
  return `Wrote ${countText(rows.length - 1, 'row')} to ${file}.\n`;
}

export const accountingExport = command({
  name: 'accounting export',
  summary: 'Export the tax documents of a month, and its paid orders without one, as CSV for an accountant',
  example: '--month 2026-11 --out contabilidad-2026-11.csv',
  input: z.object({ month, out: path('file').optional().describe('without it the rows go to stdout') }),
  async run({ month, out }, { table, business: { timeZone } }) {
    const rows = await readMonth(table, { month, timeZone });
    return { document: { month, rows, file: out }, text: await exportCsv(toTable(rows), out) };
  },
});

export const dispensingExport = command({
  name: 'dispensing export',
  summary: 'Export what was dispensed on prescription in a month as CSV, for the register of the pharmacy',
  example: '--month 2026-11 --antibiotics --out antibioticos-2026-11.csv',
  input: z.object({
    month,
    antibiotics: flag.describe('only these'),
    out: path('file').optional().describe('without it the lines go to stdout'),
  }),
  async run({ month, antibiotics, out }, { table, business: { timeZone } }) {
    const dispensings = await listDispensings(table, toMonthInstants(month, timeZone));
    const lines = dispensings
      .flatMap((dispensing) => dispensing.lines.map((line) => toRegisterLine(line, dispensing, timeZone)))
      .filter((line) => !antibiotics || line.is_antibiotic);
    const rows = [
      REGISTER_COLUMNS.map(([name]) => name),
      ...lines.map((line) => REGISTER_COLUMNS.map(([, toValue]) => toValue(line))),
    ];
    const lacking = lines.filter(lacksPrescriber).length;
    const remark =
      `${lacking} of the antibiotics lack the prescriber's name, licence or address; ` +
      'orders verify-prescription records them.';
    const text = await exportCsv(rows, out, OWNER_ONLY);
    return { document: { month, lines, file: out }, text, remark: lacking > 0 ? remark : undefined };
  },
});
