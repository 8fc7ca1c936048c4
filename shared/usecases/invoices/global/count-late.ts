import { globalReplacementDueAt } from '../../../domain/invoices/global/closing.ts';
import { globalDueAt, shiftPeriod, toMonth, toPeriodInstants } from '../../../domain/invoices/global/period.ts';
import { type GlobalPart, globalParts } from '../../../store/invoices/global-parts.ts';
import { uninvoicedRows } from '../../../store/invoices/order-rows.ts';
import type { Table } from '../../../store/table.ts';

// An alarm goes off long before.
const MOST_COUNTED = 1_000;
const MONTHS = 13;
const BEGINNING = new Date(0);

/**
 * Counts what needs an operator: parts of global invoices that were refused, whose total differs, or whose former document
 * cannot be cancelled; 24 hours after the end of their period, parts that are not issued and paid orders without any invoice,
 * these up to 1,000; and 24 hours after the windows of their orders, parts that are not issued anew without those that left.
 */
export async function countLateGlobals(
  table: Table,
  { now, last, timeZone }: { readonly now: Date; readonly last: string; readonly timeZone: string },
): Promise<number> {
  const overdue = now >= globalDueAt(last, timeZone) ? last : shiftPeriod(last, -1);
  const { until } = toPeriodInstants(overdue, timeZone);
  const [parts, rows] = await Promise.all([
    globalParts(table, { from: shiftPeriod(toMonth(last), -MONTHS), until: last }),
    uninvoicedRows(table, { from: BEGINNING, until, limit: MOST_COUNTED }),
  ]);
  return parts.filter((part) => isBad(part) || isOverdue(part, now, timeZone)).length + rows.length;
}

const isBad = ({ status, reason }: GlobalPart): boolean => status === 'refused' || reason !== null;

function isOverdue({ status, isClosed, former, period }: GlobalPart, now: Date, timeZone: string): boolean {
  const isDone = status === 'empty' || status === 'refused' || (status === 'issued' && isClosed);
  if (isDone) return false;
  const isIssued = status === 'issued' || former !== null;
  const dueAt = isIssued ? globalReplacementDueAt(period, timeZone) : globalDueAt(period, timeZone);
  return dueAt !== null && now >= dueAt;
}
