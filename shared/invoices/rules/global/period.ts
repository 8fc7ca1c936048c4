import { localDate, toMonthInstants } from '../../../domain/working-day.ts';
import type { GlobalInvoice } from '../build/cfdi.ts';

const MONTH = 'YYYY-MM'.length;

/** Returns the local month (`2026-11`). Throws RangeError for an unknown time zone. */
export const localMonth = (instant: Date, timeZone: string): string => localDate(instant, timeZone).slice(0, MONTH);

export function shiftMonth(period: string, count: number): string {
  const [year = 0, month = 0] = period.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + count, 1)).toISOString().slice(0, MONTH);
}

const HOUR_MS = 60 * 60 * 1_000;
// RMF 2.7.1.21: a global invoice is issued within 24 hours of the end of its period (Guía de llenado del CFDI global, page 4).
const DUE_AFTER_MS = 24 * HOUR_MS;
// Half a day covers an outage of the provider and an operator's night.
const WAITING_MS = 12 * HOUR_MS;

export const globalDueAt = (period: string, timeZone: string): Date =>
  new Date(toMonthInstants(period, timeZone).until.getTime() + DUE_AFTER_MS);

/** While orders' own invoices are in progress, a global invoice waits until this time; later orders go into another part. */
export const globalWaitsUntil = (period: string, timeZone: string): Date =>
  new Date(toMonthInstants(period, timeZone).until.getTime() + WAITING_MS);

/** SAT's Meses and Año are those of the sales (Guía, pages 11 and 12). */
export const toGlobalPeriod = (period: string): GlobalInvoice['period'] => ({
  month: period.slice('YYYY-'.length),
  year: Number(period.slice(0, 'YYYY'.length)),
});
