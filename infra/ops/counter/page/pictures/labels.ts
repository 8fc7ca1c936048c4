import type { DocumentOf } from '../call.ts';
import { translate } from '../text.ts';
import { formatAge, formatCalendarDay, formatShortDay } from '../ui/format.ts';
import { PICTURES_TEXTS } from './texts.ts';

export type Figures = DocumentOf<'orders-figures'>;
export type Period = Figures['periods'][number];

const DAY_LENGTH = '2026-11-21'.length;
const toDay = (start: string): string => start.slice(0, DAY_LENGTH);
const toHour = (start: string): string => start.slice(DAY_LENGTH + 1);

/** Names a day or an hour in full: `23 nov 2026, 13:00`. */
export const namePeriod = ({ start }: Period): string =>
  [formatCalendarDay(toDay(start)), toHour(start)].filter(Boolean).join(', ');

/** Labels a day or an hour on an axis; of the hours of several days the first of each alone, by its day. */
export function labelPeriod({ start }: Period, { from, to, by }: Figures): string {
  if (by === 'day') return formatShortDay(toDay(start));
  if (from === to) return toHour(start);
  return toHour(start) === '00:00' ? formatShortDay(toDay(start)) : '';
}

type Times = { readonly from: number; readonly until: number | null };

/** Names times from some minutes to others: `30 min – 60 min`. */
export const nameTimes = ({ from, until }: Times): string =>
  until === null
    ? translate(PICTURES_TEXTS.atLeast, { from: formatAge(from) })
    : `${from === 0 ? '0' : formatAge(from)} – ${formatAge(until)}`;

/** Labels times on an axis by their end; the longest by their beginning. */
export const labelTimes = ({ from, until }: Times): string =>
  until === null ? `> ${formatAge(from)}` : `< ${formatAge(until)}`;

const HOUR = 60;
const DAY = 24 * HOUR;

/** Names a time that others are within: rounded up, where an age is rounded down. */
export function nameLimit(minutes: number): string {
  if (minutes < 2 * HOUR) return formatAge(minutes);
  const unit = minutes <= 2 * DAY - HOUR ? HOUR : DAY;
  return formatAge(Math.ceil(minutes / unit) * unit);
}
