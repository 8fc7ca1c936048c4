import { localDate } from '../../domain/working-day.ts';

const RETENTION_YEARS = 5;
const YEAR = 'YYYY'.length;

/** The times of an order's events that a tax return includes. */
export type TaxedOrder = {
  readonly createdAt: string;
  readonly paymentDate: string | null;
  readonly invoice: Issued | null;
  readonly documents: readonly Issued[];
};
type Issued = { readonly issuedAt: string | null };

/**
 * Returns the last day (`YYYY-MM-DD`) on which an invoiced order's records must be kept: five years after the annual return of
 * the last year in which it had effects (CFF art. 30). Companies file it by 31 March (LISR art. 76), persons by 30 April (LISR
 * art. 150); the later date counts. A corrected return or an appeal extends the period, which this function cannot know.
 */
export const getTaxRetentionEnd = (order: TaxedOrder, timeZone: string): string =>
  `${findLastYear(order, timeZone) + 1 + RETENTION_YEARS}-04-30`;

// A sale has effects again when it is paid (LIVA art. 1-B) and when a credit note reduces its month's IVA (LIVA art. 7).
function findLastYear({ createdAt, paymentDate, invoice, documents }: TaxedOrder, timeZone: string): number {
  const issueTimes = [invoice, ...documents].map((document) => document?.issuedAt);
  const times = [createdAt, paymentDate, ...issueTimes].filter((time) => typeof time === 'string');
  return Math.max(...times.map((time) => toYear(time, timeZone)));
}

const toYear = (time: string, timeZone: string): number => Number(localDate(new Date(time), timeZone).slice(0, YEAR));
