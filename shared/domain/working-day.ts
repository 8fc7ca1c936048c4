/** From `cutoff` (local `HH:MM`) on, an order counts as of the next working day. Holidays: LFT art. 74 and published ones. */
export type BusinessCalendar = { timeZone: string; cutoff: string; holidays: ReadonlySet<string> };

// A promised day ends at this local time.
const DELIVERY_TIME = '17:00';

/**
 * Returns an order's delivery dates as instants of 17:00 local time. Counting starts today, or on the next working day after
 * the cut-off and on a day without work; 0 days is that day itself (rule of the API). Throws RangeError for an unknown time
 * zone.
 */
export function deliveryDates(input: {
  now: Date;
  calendar: BusinessCalendar;
  min_delivery_days: number | null;
  max_delivery_days: number | null;
}): { expectedDeliveryDate: Date | null; maxDeliveryDate: Date | null } {
  const start = firstWorkingDay(input.now, input.calendar);
  return {
    expectedDeliveryDate: promisedInstant(start, input.min_delivery_days, input.calendar),
    maxDeliveryDate: promisedInstant(start, input.max_delivery_days, input.calendar),
  };
}

function firstWorkingDay(now: Date, { timeZone, cutoff, holidays }: BusinessCalendar): string {
  const { date, time } = localClock(now, timeZone);
  // As texts, 13:59:59 is before 14:00, and 14:00:00 is not.
  return time < cutoff && isWorkingDay(date, holidays) ? date : nextWorkingDay(date, holidays);
}

function promisedInstant(start: string, workingDays: number | null, calendar: BusinessCalendar): Date | null {
  if (workingDays === null) return null;
  let date = start;
  for (let days = 0; days < workingDays; days += 1) date = nextWorkingDay(date, calendar.holidays);
  return toInstant(date, DELIVERY_TIME, calendar.timeZone);
}

function nextWorkingDay(date: string, holidays: ReadonlySet<string>): string {
  let next = dayAfter(date);
  while (!isWorkingDay(next, holidays)) next = dayAfter(next);
  return next;
}

const DAY_MS = 86_400_000;

/** Plain dates (`YYYY-MM-DD`) are counted in UTC, where every day has 24 hours. */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, date.length);

export const dayAfter = (date: string): string => addDays(date, 1);

const SUNDAY = 0;
const SATURDAY = 6;

function isWorkingDay(date: string, holidays: ReadonlySet<string>): boolean {
  const weekday = new Date(date).getUTCDay();
  return weekday !== SATURDAY && weekday !== SUNDAY && !holidays.has(date);
}

/** Returns `YYYY-MM-DD`. Throws RangeError for an unknown time zone. */
export const localDate = (instant: Date, timeZone: string): string => localClock(instant, timeZone).date;

/**
 * Returns the instant of a local date (`YYYY-MM-DD`) and time (`HH:MM` or `HH:MM:SS`). When clocks change, a repeated time is
 * the earlier one, and a skipped time counts on (02:30 becomes 03:30). Throws RangeError for an unknown time zone and invalid
 * texts.
 */
export function toInstant(date: string, time: string, timeZone: string): Date {
  const asUtc = Date.parse(`${date}T${time}Z`);
  const offsetBefore = offsetMs(asUtc - DAY_MS, timeZone);
  const offsetAfter = offsetMs(asUtc + DAY_MS, timeZone);
  const [early, late] = [asUtc - offsetBefore, asUtc - offsetAfter];
  const isLate =
    early !== late && offsetMs(early, timeZone) !== offsetBefore && offsetMs(late, timeZone) === offsetAfter;
  return new Date(isLate ? late : early);
}

/** Returns the local month (`2026-11`). Throws RangeError for an unknown time zone. */
export const localMonth = (instant: Date, timeZone: string): string =>
  localDate(instant, timeZone).slice(0, 'YYYY-MM'.length);

export function shiftMonth(month: string, count: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + count)).toISOString().slice(0, 'YYYY-MM'.length);
}

/** Throws RangeError for an unknown time zone. */
export const startOfNextMonth = (instant: Date, timeZone: string): Date =>
  toInstant(`${shiftMonth(localMonth(instant, timeZone), 1)}-01`, '00:00', timeZone);

/** Returns the start of a local month (`2026-11`) and of the next one. Throws RangeError for an unknown time zone. */
export function toMonthInstants(month: string, timeZone: string): { from: Date; until: Date } {
  const from = toInstant(`${month}-01`, '00:00', timeZone);
  return { from, until: startOfNextMonth(from, timeZone) };
}

// Whole seconds, because the formatter shows no fractions.
function offsetMs(instantMs: number, timeZone: string): number {
  const { date, time } = localClock(new Date(instantMs), timeZone);
  return Date.parse(`${date}T${time}Z`) - instantMs;
}

/** Returns `YYYY-MM-DD` and `HH:MM:SS`. Throws RangeError for an unknown time zone. */
export function localClock(instant: Date, timeZone: string): { date: string; time: string } {
  // Swedish writes year, month, day. Only digits are read, as separators change between versions of ICU; formatToParts takes
  // three times as long (5.0 against 1.6 µs), and a quote reads the clock five to nine times.
  const [year, month, day, hour, minute, second] = getClock(timeZone).format(instant).match(/\d+/g) ?? [];
  return { date: `${year}-${month}-${day}`, time: `${hour}:${minute}:${second}` };
}

export const isTimeZone = (name: string): boolean => Intl.supportedValuesOf('timeZone').includes(name);

/** Returns `2026-11-21T17:00:00`. Throws RangeError for an unknown time zone. */
export function toLocalTime(instant: Date, timeZone: string): string {
  const { date, time } = localClock(instant, timeZone);
  return `${date}T${time}`;
}

// Creating a formatter takes 60 µs, so each zone has one.
const clocks = new Map<string, Intl.DateTimeFormat>();

function getClock(timeZone: string): Intl.DateTimeFormat {
  const cached = clocks.get(timeZone);
  if (cached !== undefined) return cached;
  const two = '2-digit';
  const parts = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const;
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, hourCycle: 'h23', ...parts });
  clocks.set(timeZone, clock);
  return clock;
}

const MINUTE_MS = 60_000;

/** Returns an ISO time, `2026-11-21T23:00:00.000Z`. */
export const addMinutes = (instant: Date, minutes: number): string =>
  new Date(instant.getTime() + minutes * MINUTE_MS).toISOString();
