import * as z from 'zod';
import { invoicing } from '../../../shared/deps.ts';
import {
  type AccountingRow,
  negate,
  toBareRow,
  toDocumentRow,
  toGlobalRow,
} from '../../../shared/domain/invoices/accounting.ts';
import { listDocuments } from '../../../shared/domain/invoices/tax-document.ts';
import { formatCents, sumCents } from '../../../shared/domain/money.ts';
import { toMonthInstants } from '../../../shared/domain/working-day.ts';
import { globalInvoiceConfig } from '../../../shared/runtime/config.ts';
import {
  type GlobalPart,
  getPartSales,
  globalParts,
  type PartOrder,
} from '../../../shared/store/invoices/global-parts.ts';
import { ledgerRows, type UninvoicedRow, uninvoicedRows } from '../../../shared/store/invoices/order-rows.ts';
import { orderKey } from '../../../shared/store/keys.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { getOrdersByKey } from '../../../shared/store/orders/orders.ts';
import type { Table } from '../../../shared/store/table.ts';
import {
  issueGlobal,
  lastMonth,
  reopenRefused,
  SALES_PER_PART,
} from '../../../shared/usecases/invoices/global/issue-globals.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandRefusal } from '../errors.ts';
import { type CsvRow, toCsv, writeCsv } from '../files.ts';
import { flag, month, path } from '../input.ts';
import { textTable } from '../output.ts';

const PART_COLUMNS = ['period', 'part', 'status', 'orders', 'total', 'uuid', 'issued_at', 'reason'] as const;

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
    const document = { period, parts: parts.map(showGlobalPart), open_orders: open };
    const ofPeriod = `${open.count} paid orders of ${period} (${open.total}) are in no invoice`;
    const remark =
      open.count > 0 ? `${ofPeriod}, ${open.waiting} of them with an invoice of their own in progress.` : undefined;
    const text = textTable(PART_COLUMNS, document.parts, context);
    return { document, text, remark, failure: issue ? remark : undefined };
  },
});

async function issueMonth(period: string, context: Context): Promise<void> {
  const { table, business, now } = context;
  const act = await context.act();
  const { until } = toMonthInstants(period, business.timeZone);
  if (now < until) throw new CommandRefusal(`The month ${period} is not over: orders are still paid in it.`);
  const { ISSUER_ZIPCODE: zipcode } = globalInvoiceConfig();
  const deps = { table, business, invoicing, zipcode, salesPerPart: SALES_PER_PART };
  await reopenRefused(period, deps);
  await issueGlobal(period, act, deps);
}

const showGlobalPart = ({ period, part, status, reason, ...issued }: GlobalPart) => ({
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

type Month = { readonly month: string; readonly timeZone: string };

/**
 * Reads a month for accounting: the documents of orders that were stamped in it where they were issued, those that were cancelled in it once more
 * with negative amounts, the orders of its global invoices, whenever they were stamped, and the orders that were paid in it and
 * are in no document. It reads these orders, and those of the days before and after.
 */
async function readMonth(table: Table, { month, timeZone }: Month): Promise<AccountingRow[]> {
  const instants = toMonthInstants(month, timeZone);
  const [ledger, bare] = await Promise.all([ledgerRows(table, widen(instants)), uninvoicedRows(table, instants)]);
  const documents = ledger.flatMap((row) => ('orderId' in row ? row : []));
  const known = await readOrders(table, [...documents, ...bare]);
  const rows = documents.flatMap(({ orderId, documentKey, isCancellation }) => {
    const order = known.get(orderId);
    const document = order && listDocuments(order).find(({ key }) => key === documentKey);
    if (!order || !document) return [];
    const row = toDocumentRow(order, document, timeZone);
    const day = isCancellation ? row.cancelled_on : row.stamped_on;
    if (!day.startsWith(month)) return [];
    return isCancellation ? negate(row) : row;
  });
  const bareRows = bare.flatMap(({ orderId }) => {
    const order = known.get(orderId);
    return order ? toBareRow(order, timeZone) : [];
  });
  return [...rows, ...(await readGlobals(table, { month, timeZone })), ...bareRows];
}

const DAY_MS = 86_400_000;

/** Widens a month of the business by a day, as it begins and ends at other instants where a branch issues its documents. */
const widen = ({ from, until }: { readonly from: Date; readonly until: Date }) => ({
  from: new Date(from.getTime() - DAY_MS),
  until: new Date(until.getTime() + DAY_MS),
});

/** Reads the orders of the month's global invoices; while a part is collecting, those that it has marked. */
async function readGlobals(table: Table, { month, timeZone }: Month): Promise<AccountingRow[]> {
  const rows: AccountingRow[] = [];
  for (const part of await globalParts(table, { from: month, until: month })) {
    const { orders, sales } = await getPartSales(table, part);
    const isCollecting = part.status === 'collecting';
    const isMarked = ({ global }: Order) => global?.period === part.period && global.part === part.part;
    const found = [...(await readOrders(table, isCollecting ? orders : sales)).values()];
    const ofPart = isCollecting ? found.filter(isMarked) : found;
    rows.push(...ofPart.map((order) => toGlobalRow(order, part, timeZone)));
  }
  return rows;
}

/** Reads orders by their ids, each once; no two clients have one of the same id. */
async function readOrders(table: Table, asked: readonly PartOrder[]): Promise<Map<number, Order>> {
  const keys = new Map(asked.map(({ clientId, orderId }) => [orderId, orderKey(clientId, orderId)]));
  const orders = await getOrdersByKey(table, [...keys.values()]);
  return new Map(orders.map((order) => [order.id, order]));
}

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

export const accountingExport = command({
  name: 'accounting export',
  summary: 'Export the tax documents of a month, and its paid orders without one, as CSV for an accountant',
  example: '--month 2026-11 --out contabilidad-2026-11.csv',
  input: z.object({ month, out: path('file').optional().describe('without it the rows go to stdout') }),
  async run({ month, out }, { table, business: { timeZone } }) {
    const rows = await readMonth(table, { month, timeZone });
    if (out === undefined) return { document: { month, rows }, text: toCsv(toTable(rows)) };
    await writeCsv(out, [toTable(rows)]);
    return { document: { month, rows, file: out }, text: `${rows.length} rows of ${month} in ${out}.\n` };
  },
});
