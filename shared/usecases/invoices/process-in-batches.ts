import { logError } from '../../runtime/log.ts';
import type { InvoiceRow } from '../../store/invoices/invoice-rows.ts';

/** The number of invoices by outcome, `failed` among them. */
export type Outcomes = Readonly<Record<string, number>>;

const AT_ONCE = 5;

/**
 * Runs a job's work on each invoice, five at a time, until all are done or the time is up. A failure is logged and
 * counted, and does not stop the others.
 */
export async function processInBatches(
  rows: readonly InvoiceRow[],
  timeoutMs: number,
  work: (row: InvoiceRow) => Promise<string>,
): Promise<Outcomes> {
  const end = Date.now() + timeoutMs;
  const outcomes: Record<string, number> = {};
  const waiting = rows.values();
  const worker = async () => {
    for (const row of waiting) {
      const outcome = await runOne(row, work);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (Date.now() >= end) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return outcomes;
}

async function runOne(row: InvoiceRow, work: (row: InvoiceRow) => Promise<string>): Promise<string> {
  try {
    return await work(row);
  } catch (error) {
    logError('work on an invoice failed', error, { orderId: row.orderId, status: row.status });
    return 'failed';
  }
}
