import * as z from 'zod';
import { invoicing } from '../../../shared/deps.ts';
import { formatCents, sumCents } from '../../../shared/domain/money.ts';
import { toMonthInstants } from '../../../shared/domain/working-day.ts';
import { globalInvoiceConfig } from '../../../shared/runtime/config.ts';
import { type GlobalPart, globalParts } from '../../../shared/store/invoices/global-parts.ts';
import { type UninvoicedRow, uninvoicedRows } from '../../../shared/store/invoices/order-rows.ts';
import {
  issueGlobal,
  lastMonth,
  reopenRefused,
  SALES_PER_PART,
} from '../../../shared/usecases/invoices/global/issue-globals.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandRefusal } from '../errors.ts';
import { flag, month } from '../input.ts';
import { textTable } from '../output.ts';

const COLUMNS = ['period', 'part', 'status', 'orders', 'total', 'uuid', 'issued_at', 'reason'] as const;

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
    const text = textTable(COLUMNS, document.parts, context);
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
