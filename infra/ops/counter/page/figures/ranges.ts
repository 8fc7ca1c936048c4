import { localDate } from '../../../../../shared/domain/working-day.ts';

/** The names of the ranges that can be chosen; `own` is whatever days the reader writes. */
export const RANGES = { today: 'Hoy', week: '7 días', month: '30 días', own: 'Otro' } as const;
export type RangeName = keyof typeof RANGES;

/** The first and the last day of the shop's calendar, both included: `2026-11-21`. */
export type Days = { readonly from: string; readonly to: string };

const LENGTHS = { today: 1, week: 7, month: 30 } as const;

/** Returns the days of a named range, which ends with the day of an instant in the shop's time zone. */
export function toDays(name: keyof typeof LENGTHS, now: Date, timeZone: string): Days {
  const to = localDate(now, timeZone);
  return { from: addDays(to, 1 - LENGTHS[name]), to };
}

const DAY_MS = 86_400_000;

const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, date.length);

const countDays = ({ from, to }: Days): number => (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;

const MOST_DAYS = 92;

/** True if figures can be asked for of these days; a field that is not filled in makes them invalid. */
export const areValidDays = (days: Days): boolean => {
  const count = countDays(days);
  return count >= 1 && count <= MOST_DAYS;
};

// A week of hours is 168 bars.
const MOST_DAYS_BY_HOUR = 7;

export const canShowHours = (days: Days): boolean => countDays(days) <= MOST_DAYS_BY_HOUR;
