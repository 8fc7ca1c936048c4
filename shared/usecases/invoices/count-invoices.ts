import type { InvoiceStanding } from '../../domain/invoices/invoice-status.ts';
import type { MetricName } from '../../runtime/metrics.ts';
import { type InvoiceRow, latestInvoices } from '../../store/invoices/invoice-rows.ts';
import type { Table } from '../../store/table.ts';

// An alarm rings long before, and what is settled and sent stands elsewhere.
const MOST_COUNTED = 1_000;
// What is younger is most likely under way.
const UNSETTLED_AFTER_MS = 5 * 60 * 1_000;

/** What an operator has to know of invoices, for alarms; each is counted up to 1,000. */
export async function countUnsettled(table: Table, now: Date) {
  const isOld = ({ requestedAt }: InvoiceRow) => now.getTime() - Date.parse(requestedAt) >= UNSETTLED_AFTER_MS;
  const [requested, complementDue, cancellationRejected] = await Promise.all([
    rowsOf(table, 'requested'),
    rowsOf(table, 'complement_due'),
    rowsOf(table, 'cancellation_rejected'),
  ]);
  return {
    unsettledInvoices: requested.filter(isOld).length,
    complementDue: complementDue.length,
    cancellationRejected: cancellationRejected.length,
  } satisfies Partial<Record<MetricName, number>>;
}

/** The mails of issued invoices that SES has not taken, or not for all that is known. */
export async function countUnsent(table: Table) {
  const [due, unconfirmed, givenUp] = await Promise.all([
    rowsOf(table, 'mail_due'),
    rowsOf(table, 'mail_unconfirmed'),
    rowsOf(table, 'mail_given_up'),
  ]);
  const refused = due.filter(({ mail }) => mail === 'due').length;
  return { unsentMail: refused + unconfirmed.length + givenUp.length } satisfies Partial<Record<MetricName, number>>;
}

const rowsOf = (table: Table, standing: InvoiceStanding) => latestInvoices(table, standing, MOST_COUNTED);
