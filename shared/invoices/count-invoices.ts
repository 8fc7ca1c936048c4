import { localDate, shiftMonth, toMonthInstants } from '../domain/working-day.ts';
import { type InvoiceRow, latestInvoices, uninvoicedRows } from '../order/rows/invoice-rows.ts';
import type { MetricName } from '../runtime/metrics.ts';
import type { Table } from '../store/table.ts';
import { type GlobalPart, globalParts } from './global/global-parts.ts';
import { getComplementDeadline } from './rules/build/invoice.ts';
import { globalDueAt } from './rules/global/sales.ts';
import type { InvoiceListStatus } from './rules/invoice-status.ts';

const MOST_COUNTED = 1_000;
// A credit note that waits for its global invoice, whose delay has an alarm of its own.
const WAITS_FOR_GLOBAL = 'global_not_issued';
// A younger attempt is most likely still in progress.
const LATE_AFTER_MS = 5 * 60 * 1_000;

/** Counts the tax documents that need an operator; each metric stops at 1,000, long after its alarm. */
export async function countUnsettled(
  table: Table,
  { now, timeZone }: { readonly now: Date; readonly timeZone: string },
) {
  const isOld = ({ requestedAt }: InvoiceRow) => now.getTime() - Date.parse(requestedAt) >= LATE_AFTER_MS;
  const isTried = ({ reason }: InvoiceRow) => reason !== WAITS_FOR_GLOBAL;
  const isComplementNear = ({ paidAt }: InvoiceRow) =>
    paidAt !== undefined && isDeadlineNear(getComplementDeadline(paidAt, timeZone), localDate(now, timeZone));
  const [requested, retrying, notIssued, totalDiffers, pueUnpaid, complementDue, cancellationRejected] =
    await Promise.all([
      listRows(table, 'requested'),
      listRows(table, 'retrying'),
      listRows(table, 'not_issued'),
      listRows(table, 'total_differs'),
      listRows(table, 'pue_unpaid'),
      listRows(table, 'complement_due'),
      listRows(table, 'cancellation_rejected'),
    ]);
  return {
    unsettledInvoices: requested.filter(isOld).length + retrying.filter(isTried).length,
    notIssued: notIssued.length,
    totalDiffers: totalDiffers.length,
    pueUnpaid: pueUnpaid.length,
    complementDue: [requested, retrying, notIssued, totalDiffers, pueUnpaid, complementDue]
      .flat()
      .filter(isComplementNear).length,
    cancellationRejected: cancellationRejected.length,
  } satisfies Partial<Record<MetricName, number>>;
}

// An operator has two days for a complement that no job could issue.
const NEAR_DAYS = 2;
const DAY_MS = 86_400_000;

const isDeadlineNear = (deadline: string, today: string): boolean =>
  Date.parse(deadline) - Date.parse(today) <= NEAR_DAYS * DAY_MS;

/** Counts mails of issued invoices that SES refused or whose outcome is unknown. */
export async function countUnsent(table: Table) {
  const [due, unconfirmed, givenUp] = await Promise.all([
    listRows(table, 'mail_due'),
    listRows(table, 'mail_unconfirmed'),
    listRows(table, 'mail_given_up'),
  ]);
  const refused = due.filter(({ mail }) => mail === 'due').length;
  return { unsentMail: refused + unconfirmed.length + givenUp.length } satisfies Partial<Record<MetricName, number>>;
}

const listRows = (table: Table, status: InvoiceListStatus) => latestInvoices(table, status, MOST_COUNTED);

const MONTHS = 13;
const BEGINNING = new Date(0);

/** Counts failed parts of global invoices and, 24 hours after their month, unissued parts and orders without an invoice. */
export async function countLateGlobals(
  table: Table,
  { now, last, timeZone }: { readonly now: Date; readonly last: string; readonly timeZone: string },
): Promise<number> {
  const overdue = now >= globalDueAt(last, timeZone) ? last : shiftMonth(last, -1);
  const { until } = toMonthInstants(overdue, timeZone);
  const [parts, rows] = await Promise.all([
    globalParts(table, { from: shiftMonth(last, -MONTHS), until: last }),
    uninvoicedRows(table, { from: BEGINNING, until, limit: MOST_COUNTED }),
  ]);
  return parts.filter((part) => isBad(part) || (isPending(part) && part.period <= overdue)).length + rows.length;
}

const isBad = ({ status, reason }: GlobalPart): boolean => status === 'refused' || reason !== null;
const isPending = ({ status }: GlobalPart): boolean => status === 'collecting' || status === 'requested';
