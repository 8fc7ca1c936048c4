import { dayAfter, localClock, toInstant } from '../working-day.ts';

/**
 * A time from an instant to another one, which is not in it; both are UTC. `start` is its beginning as the clock of the shop
 * shows it: a day is `2026-11-21`, an hour `2026-11-21T13:00`, and the hour that comes twice when clocks go back has one
 * `start` twice.
 */
export type Period = { readonly start: string; readonly from: string; readonly until: string };

export const PERIOD_KINDS = ['hour', 'day'] as const;
export type PeriodKind = (typeof PERIOD_KINDS)[number];

export type Days = { readonly from: string; readonly to: string; readonly timeZone: string };

/**
 * Returns the local days (`2026-11-21`), both included, or their hours, without gaps; none if `to` is before `from`.
 * RangeError for an unknown time zone.
 */
export function listPeriods({ from, to, by, timeZone }: Days & { readonly by: PeriodKind }): Period[] {
  const periods: Period[] = [];
  for (let date = from; date <= to; date = dayAfter(date)) {
    const day = toDay(date, timeZone);
    if (by === 'day') periods.push(day);
    else periods.push(...splitHours(day, timeZone));
  }
  return periods;
}

const toDay = (date: string, timeZone: string): Period => ({
  start: date,
  from: toInstant(date, '00:00', timeZone).toISOString(),
  until: toInstant(dayAfter(date), '00:00', timeZone).toISOString(),
});

const HOUR_MS = 3_600_000;

function splitHours(day: Period, timeZone: string): Period[] {
  const hours: Period[] = [];
  const end = Date.parse(day.until);
  for (let at = Date.parse(day.from); at < end; at += HOUR_MS) {
    const { date, time } = localClock(new Date(at), timeZone);
    const until = new Date(Math.min(at + HOUR_MS, end)).toISOString();
    hours.push({ start: `${date}T${time.slice(0, 'HH:MM'.length)}`, from: new Date(at).toISOString(), until });
  }
  return hours;
}
