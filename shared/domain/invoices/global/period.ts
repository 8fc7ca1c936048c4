import { localDate, toInstant, toMonthInstants } from '../../working-day.ts';
import type { GlobalInvoice } from '../content/cfdi.ts';

const MONTH = 'YYYY-MM'.length;
const DAY = 'YYYY-MM-DD'.length;

/** The period of a global invoice: a local month (`2026-11`) or a local day (`2026-11-21`). */
export type PeriodLength = 'month' | 'day';

/** True if a period is a day. */
export const isDay = (period: string): boolean => period.length === DAY;

/** Returns the local month of a period. */
export const toMonth = (period: string): string => period.slice(0, MONTH);

/** Returns the local month or day of an instant. RangeError for an unknown time zone. */
export function localPeriod(instant: Date, length: PeriodLength, timeZone: string): string {
  const day = localDate(instant, timeZone);
  return length === 'day' ? day : toMonth(day);
}

/** Returns the period of the same length that comes `count` periods later, or earlier if it is negative. */
export function shiftPeriod(period: string, count: number): string {
  const [year, month, day] = period.split('-').map(Number) as [number, number, number?];
  const shifted = day === undefined ? Date.UTC(year, month - 1 + count, 1) : Date.UTC(year, month - 1, day + count);
  return new Date(shifted).toISOString().slice(0, period.length);
}

/** Returns the instants at which a period begins and the next one does. RangeError for an unknown time zone. */
export function toPeriodInstants(period: string, timeZone: string): { from: Date; until: Date } {
  if (!isDay(period)) return toMonthInstants(period, timeZone);
  const toStart = (day: string) => toInstant(day, '00:00', timeZone);
  return { from: toStart(period), until: toStart(shiftPeriod(period, 1)) };
}

const HOUR_MS = 60 * 60 * 1_000;
// RMF 2.7.1.21: a global invoice is issued within 24 hours of the end of its period (Guía de llenado del CFDI global, page 4).
export const DUE_AFTER_MS = 24 * HOUR_MS;
// The provider may be down for a while, and an operator asleep.
const WAITING_MS = 12 * HOUR_MS;

/** Returns the time at which the global invoice of a period has to be issued. */
export const globalDueAt = (period: string, timeZone: string): Date =>
  new Date(toPeriodInstants(period, timeZone).until.getTime() + DUE_AFTER_MS);

/**
 * Returns the time until which the global invoice of a period waits for orders whose own invoice is in progress. One that
 * turns out not to be invoiced later gets into another part.
 */
export const globalWaitsUntil = (period: string, timeZone: string): Date =>
  new Date(toPeriodInstants(period, timeZone).until.getTime() + WAITING_MS);

// c_Periodicidad 01: a day, 04: a month; Meses and Año are those of the sales (Guía, pages 11 and 12).
export const toGlobalPeriod = (period: string): GlobalInvoice['period'] => ({
  periodicity: isDay(period) ? '01' : '04',
  month: period.slice('YYYY-'.length, MONTH),
  year: Number(period.slice(0, 'YYYY'.length)),
});
