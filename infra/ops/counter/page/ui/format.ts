import { language } from '../preferences.ts';
import { session } from '../session.ts';

const LOCALES = { es: 'es-MX', en: 'en-GB' } as const;
const locale = (): string => LOCALES[language.value];
const timeZone = (): string => (session.value.state === 'open' ? session.value.session.timeZone : 'UTC');

// Made for each cell, the formatters took half of the time in which the queue is drawn.
const numberFormats = new Map<string, Intl.NumberFormat>();
const dateFormats = new Map<string, Intl.DateTimeFormat>();

/** Returns the formatter of numbers with these options in the chosen language, made once. */
function numberFormat(options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  const key = locale() + JSON.stringify(options);
  const format = numberFormats.get(key) ?? new Intl.NumberFormat(locale(), options);
  numberFormats.set(key, format);
  return format;
}

/** Returns the formatter of instants with these options in the chosen language, made once. */
function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = locale() + JSON.stringify(options);
  const format = dateFormats.get(key) ?? new Intl.DateTimeFormat(locale(), options);
  dateFormats.set(key, format);
  return format;
}

/** Makes the formatters of a list of orders while its orders are waited for: the first of each kind takes 10 to 20 ms. */
export function prepareFormats(): void {
  formatMoney(0);
  formatAge(0);
  formatDay(new Date().toISOString());
}

/** Returns an amount as the language writes it: `137.00` becomes `$137.00`. */
export const formatMoney = (amount: string | number): string =>
  numberFormat({ style: 'currency', currency: 'MXN', currencyDisplay: 'narrowSymbol' }).format(Number(amount));

/** Returns a round amount in few letters: `12000` becomes `$12k`. */
export const formatShortMoney = (amount: number): string =>
  numberFormat({
    style: 'currency',
    currency: 'MXN',
    currencyDisplay: 'narrowSymbol',
    notation: 'compact',
    maximumFractionDigits: 1,
  }).format(amount);

export const formatCount = (count: number): string => numberFormat().format(count);

/** Returns the day and the time of an instant in the shop's time zone. */
export const formatDateTime = (instant: string): string =>
  dateFormat({ timeZone: timeZone(), dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }).format(
    new Date(instant),
  );

/** Returns the day of an instant in the shop's time zone. */
export const formatDay = (instant: string): string =>
  dateFormat({ timeZone: timeZone(), dateStyle: 'medium' }).format(new Date(instant));

/** Returns a day of the calendar, which is written `2026-11-23`. */
export const formatCalendarDay = (day: string): string =>
  dateFormat({ timeZone: 'UTC', dateStyle: 'medium' }).format(new Date(`${day}T00:00:00Z`));

/** Returns the same without the year, in few letters: `23 nov`. */
export const formatShortDay = (day: string): string =>
  dateFormat({ timeZone: 'UTC', day: 'numeric', month: 'short' }).format(new Date(`${day}T00:00:00Z`));

const MINUTES_PER_HOUR = 60;
const HOURS_PER_DAY = 24;

/** Returns an age in the largest unit of which it has at least two. */
export function formatAge(minutes: number): string {
  const hours = Math.floor(minutes / MINUTES_PER_HOUR);
  if (hours < 2) return formatUnit(minutes, 'minute');
  return hours < 2 * HOURS_PER_DAY ? formatUnit(hours, 'hour') : formatUnit(Math.floor(hours / HOURS_PER_DAY), 'day');
}

const formatUnit = (count: number, unit: string): string =>
  numberFormat({ style: 'unit', unit, unitDisplay: 'short' }).format(count);

// Three cities and their surroundings have area codes of two digits, all others of three.
const MEXICAN_PHONE = /^\+52(?:(33|55|56|81)(\d{4})|(\d{3})(\d{3}))(\d{4})$/;

/** Returns a phone `+525512345678` as Mexico writes it, `55 1234 5678`; one of another country as it is. */
export function formatPhone(phone: string): string {
  const parts = MEXICAN_PHONE.exec(phone);
  return parts ? parts.slice(1).filter(Boolean).join('\u00a0') : phone;
}
