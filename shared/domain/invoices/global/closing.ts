import { toMonthInstants } from '../../working-day.ts';
import { INVOICE_WINDOW_MS } from '../invoice-window.ts';
import { DUE_AFTER_MS, isDay, toMonth, toPeriodInstants } from './period.ts';

/** Returns the first instant at which no order that was paid on a local day can ask for an invoice of its own any more. */
function getWindowsEnd(day: string, timeZone: string): Date {
  const { until } = toPeriodInstants(day, timeZone);
  const endOfMonth = toMonthInstants(toMonth(day), timeZone).until;
  return new Date(Math.min(until.getTime() + INVOICE_WINDOW_MS, endOfMonth.getTime()));
}

// A request that began within the window lasts 10 s at most, and the job that retries five minutes.
const MARGIN_MS = 15 * 60 * 1_000;

/** Returns the time from which a global invoice is issued anew without the orders that left it; null for that of a month. */
export const globalClosesAt = (period: string, timeZone: string): Date | null =>
  isDay(period) ? new Date(getWindowsEnd(period, timeZone).getTime() + MARGIN_MS) : null;

/**
 * Returns the time at which a global invoice without the orders that left it is overdue; null for that of a month. No term of
 * SAT was found for it, so it is that of the first one.
 */
export const globalReplacementDueAt = (period: string, timeZone: string): Date | null =>
  isDay(period) ? new Date(getWindowsEnd(period, timeZone).getTime() + DUE_AFTER_MS) : null;
