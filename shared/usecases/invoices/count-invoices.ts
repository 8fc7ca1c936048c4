import type { InvoiceListStatus } from '../../domain/invoices/invoice-status.ts';
import type { MetricName } from '../../runtime/metrics.ts';
import { type InvoiceRow, latestInvoices } from '../../store/invoices/invoice-rows.ts';
import type { Table } from '../../store/table.ts';

// An alarm goes off long before.
const MOST_COUNTED = 1_000;
// A younger attempt is most likely still in progress.
const UNSETTLED_AFTER_MS = 5 * 60 * 1_000;

/** Counts the invoices that need an operator, for alarms; each metric up to 1,000. */
export async function countUnsettled(table: Table, now: Date) {
  const isOld = ({ requestedAt }: InvoiceRow) => now.getTime() - Date.parse(requestedAt) >= UNSETTLED_AFTER_MS;
  const [requested, complementDue, cancellationRejected] = await Promise.all([
    listRows(table, 'requested'),
    listRows(table, 'complement_due'),
    listRows(table, 'cancellation_rejected'),
  ]);
  return {
    unsettledInvoices: requested.filter(isOld).length,
    complementDue: complementDue.length,
    cancellationRejected: cancellationRejected.length,
  } satisfies Partial<Record<MetricName, number>>;
}

/** Counts the mails of issued invoices that SES has not accepted, or of which that is unknown. */
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
