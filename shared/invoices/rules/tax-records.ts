import { localDate } from '../../domain/working-day.ts';

const RETENTION_YEARS = 5;
const YEAR = 'YYYY'.length;

/** The times of an order (`2026-11-21T23:00:00.000Z`) at which something happened that a tax return states. */
export type TaxedOrder = {
  readonly createdAt: string;
  readonly paymentDate: string | null;
  readonly invoice: Issued | null;
  readonly documents: readonly Issued[];
};
type Issued = { readonly issuedAt: string | null };

/**
 * Returns the last day (`YYYY-MM-DD`) on which tax law requires the records of an invoiced order: five years after the due
 * date of the annual return of the last year in which it had effects (CFF art. 30). That return is due in the next year, by
 * 31 March for companies (LISR art. 76) and by 30 April for persons (LISR art. 150); the later date counts. A corrected return
 * or an appeal extends the period, which this function cannot know.
 */
export const getTaxRetentionEnd = (order: TaxedOrder, timeZone: string): string =>
  `${findLastYear(order, timeZone) + 1 + RETENTION_YEARS}-04-30`;

// A sale has effects again when it is paid, as its IVA is due then (LIVA art. 1-B), and when a credit note reduces the IVA of
// its month (LIVA art. 7).
function findLastYear({ createdAt, paymentDate, invoice, documents }: TaxedOrder, timeZone: string): number {
  const issued = [invoice, ...documents].map((document) => document?.issuedAt);
  const times = [createdAt, paymentDate, ...issued].filter((time) => typeof time === 'string');
  return Math.max(...times.map((time) => toYear(time, timeZone)));
}

const toYear = (time: string, timeZone: string): number => Number(localDate(new Date(time), timeZone).slice(0, YEAR));
