import { computed, signal } from '@preact/signals';

const LOCALE = 'es-MX';

/** The shop's time zone, in which every instant is shown; the server tells it. */
export const timeZone = signal('UTC');

// Made for each cell, the formatters took half of the time in which the queue is drawn.
const numbers = (options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(LOCALE, options);
const PESOS = { style: 'currency', currency: 'MXN', currencyDisplay: 'narrowSymbol' } as const;
const MONEY = numbers(PESOS);
const UNIT = { style: 'unit', unitDisplay: 'short' } as const;
const MINUTES = numbers({ ...UNIT, unit: 'minute' });
const HOURS = numbers({ ...UNIT, unit: 'hour' });
const DAYS = numbers({ ...UNIT, unit: 'day' });

const dates = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(LOCALE, options);
const CALENDAR_DAY = dates({ timeZone: 'UTC', dateStyle: 'medium' });
const SHORT_DAY = dates({ timeZone: 'UTC', day: 'numeric', month: 'short' });
const shopDay = computed(() => dates({ timeZone: timeZone.value, dateStyle: 'medium' }));
const shopTime = computed(() =>
  dates({ timeZone: timeZone.value, dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }),
);

const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });

export const formatDaysAgo = (days: number): string => RELATIVE.format(-days, 'day');

export const formatMoney = (amount: string | number): string => MONEY.format(Number(amount));

/** Returns a round amount in few letters: `12000` becomes `$12k`. */
export const formatShortMoney = numbers({ ...PESOS, notation: 'compact', maximumFractionDigits: 1 }).format;

export const formatCount = numbers().format;

export const formatDateTime = (instant: string): string => shopTime.value.format(new Date(instant));

export const formatDay = (instant: string): string => shopDay.value.format(new Date(instant));

export const formatCalendarDay = (day: string): string => CALENDAR_DAY.format(new Date(day));

export const formatShortDay = (day: string): string => SHORT_DAY.format(new Date(day));

/** Returns an age in the largest unit of which it has at least two. */
export function formatAge(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  if (hours < 2) return MINUTES.format(minutes);
  return hours < 48 ? HOURS.format(hours) : DAYS.format(Math.floor(hours / 24));
}

// Three cities and their surroundings have area codes of two digits, all others of three.
const MEXICAN_PHONE = /^\+52(?:(33|55|56|81)(\d{4})|(\d{3})(\d{3}))(\d{4})$/;

/** Returns a phone `+525512345678` as Mexico writes it, `55 1234 5678`; one of another country as it is. */
export function formatPhone(phone: string): string {
  const parts = MEXICAN_PHONE.exec(phone);
  return parts ? parts.slice(1).filter(Boolean).join('\u00a0') : phone;
}

/** Returns the address of a mail to one receiver (RFC 6068), whatever signs an e-mail has: `?` and `&` would add others. */
export const mailTo = (email: string): string => `mailto:${encodeURIComponent(email).replace('%40', '@')}`;
