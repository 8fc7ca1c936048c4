import { localDate } from '../../../../shared/domain/working-day.ts';
import type { Text } from '../../../../shared/messages/say.ts';
import { ORDER_STATUS_TEXTS, PAYMENT_STATUS_TEXTS } from '../../../../shared/messages/status-texts.ts';
import type { DocumentOf } from '../../server/counter-commands.ts';
import {
  formatAge,
  formatCalendarDay,
  formatCount,
  formatMoney,
  formatShortDay,
  formatShortMoney,
} from '../ui/format.ts';

/** The data of a chart, which has bars and a table. */
export type ChartData = Unit & {
  readonly title: string;
  /** A sentence with the most important numbers. */
  readonly description: string;
  /** The title of the column that names the rows. */
  readonly rowTitle: string;
  readonly rows: readonly Row[];
  readonly series: readonly Series[];
};

/** A bar; its label on the axis may be ''. The values are in the order of the series. */
export type Row = { readonly key: string; readonly name: string; readonly label: string; readonly values: number[] };

/** Formats the values, and those at the axis if they are shorter there. */
type Unit = { format(value: number): string; formatTick?(value: number): string };

/**
 * The stacked series, from the bottom up; one without a fill is shown in the table alone. A fill is a class
 * of a colour and a texture in `figures.css`, so that neighbours differ without their colours too.
 */
type Series = { readonly name: string; readonly fill?: string };

export type Figures = DocumentOf<'orders-figures'>;
type Period = Figures['periods'][number];
type Total = Figures['total'];

const CENTS_PER_PESO = 100;
export const formatCents = (cents: number): string => formatMoney(cents / CENTS_PER_PESO);

const COUNT: Unit = { format: formatCount };
const MONEY: Unit = { format: formatCents, formatTick: (cents) => formatShortMoney(cents / CENTS_PER_PESO) };

/** A series of the charts by time, with the value that it has of a period or of the whole time. */
type Measure = Series & { toValue(sums: Omit<Period, 'from' | 'until' | 'start'>): number };

const ORDERS: Measure = { name: 'Órdenes', fill: 'plain', toValue: ({ orders }) => orders };
const TURNOVER: Measure = { name: 'Ventas', fill: 'plain', toValue: ({ turnover_cents: cents }) => cents };
const CANCELLED: Measure = { name: 'Cancelado', toValue: ({ cancelled_cents: cents }) => cents };

const BY_STATUS = 'Las órdenes de cada barra, según su estado de ahora.';

/** Returns the charts of orders, in the order in which they are shown. */
export function listCharts(figures: Figures): ChartData[] {
  const { total } = figures;
  const byTime = (title: string, description: string, measures: readonly Measure[], unit = COUNT): ChartData => ({
    title,
    description,
    rowTitle: 'Cuándo',
    rows: figures.periods.map((period) => ({
      key: period.from,
      name: namePeriod(period),
      label: labelPeriod(period, figures),
      values: measures.map(({ toValue }) => toValue(period)),
    })),
    series: measures,
    ...unit,
  });
  return [
    byTime('Órdenes', `Total: ${describeSum(figures, ORDERS, COUNT)}`, [ORDERS]),
    byTime('Ventas', `Total sin lo cancelado: ${describeSum(figures, TURNOVER, MONEY)}`, [TURNOVER, CANCELLED], MONEY),
    byTime('Estado de las órdenes', BY_STATUS, listMeasures(total, 'order_status', ORDER_STATUS_TEXTS)),
    byTime('Estado de los pagos', BY_STATUS, listMeasures(total, 'payment_status', PAYMENT_STATUS_TEXTS)),
    timesChart('Tiempo hasta la aprobación', total.minutes_to_approval, total.approval_times),
    timesChart('Tiempo hasta el envío', total.minutes_to_shipment, total.shipment_times),
  ];
}

function describeSum({ total, periods }: Figures, { toValue }: Measure, { format }: Unit): string {
  const most = periods.reduce((highest, period) => (toValue(period) > toValue(highest) ? period : highest));
  return `${format(toValue(total))}; máximo: ${format(toValue(most))}, ${namePeriod(most)}.`;
}

/** Returns the statuses that occur, in their order. */
function listMeasures(total: Total, field: 'order_status' | 'payment_status', texts: Record<string, Text>): Measure[] {
  const measures = Object.entries(texts).map(([status, { es: name }]) => {
    const toValue: Measure['toValue'] = (sums) => sums[field][status]?.orders ?? 0;
    return { name, fill: `${field}-${status}`, toValue };
  });
  return measures.filter(({ toValue }) => toValue(total) > 0);
}

/** Draws the number of orders by the time that they took. */
function timesChart(title: string, spread: Total['minutes_to_approval'], times: Total['approval_times']): ChartData {
  return {
    title,
    description: describeSpread(spread),
    rowTitle: 'Cuánto tardó',
    rows: times.map(({ from, until, orders }) => ({
      key: String(from),
      // The longest times are named by their beginning, the others by their end.
      name: until === null ? `desde ${formatAge(from)}` : `${from === 0 ? '0' : formatAge(from)} – ${formatAge(until)}`,
      label: until === null ? `> ${formatAge(from)}` : `< ${formatAge(until)}`,
      values: [orders],
    })),
    series: [{ name: 'Órdenes', fill: 'plain' }],
    ...COUNT,
  };
}

function describeSpread({ count, median, p90 }: Total['minutes_to_approval']): string {
  if (median === null || p90 === null) return 'Ninguno todavía.';
  const most = `la mitad en ${nameLimit(median)} o menos, nueve de diez en ${nameLimit(p90)} o menos`;
  return `Órdenes: ${formatCount(count)}; ${most}.`;
}

/** Names a day or an hour in full: `23 nov 2026, 13:00`. */
function namePeriod({ start }: Period): string {
  const [day = '', hour] = start.split('T');
  return hour === undefined ? formatCalendarDay(day) : `${formatCalendarDay(day)}, ${hour}`;
}

/** Labels a day or an hour on an axis; of the hours of several days the first of each alone, by its day. */
function labelPeriod({ start }: Period, { from, to }: Figures): string {
  const [day = '', hour] = start.split('T');
  if (hour === undefined) return formatShortDay(day);
  if (from === to) return hour;
  return hour === '00:00' ? formatShortDay(day) : '';
}

const HOUR = 60;
const DAY = 24 * HOUR;

/** Names a time that others are within: rounded up, where an age is rounded down. */
export function nameLimit(minutes: number): string {
  if (minutes < 2 * HOUR) return formatAge(minutes);
  const unit = minutes <= 2 * DAY - HOUR ? HOUR : DAY;
  return formatAge(Math.ceil(minutes / unit) * unit);
}

const STEPS = [1, 2, 5, 10];

/**
 * Returns round numbers from 0 to the first that is not below `highest`, about as many as asked for, in steps of 1, 2 or
 * 5 times a power of ten.
 */
export function listTicks(highest: number, count: number): number[] {
  const least = Math.max(1, highest / count);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * (STEPS.find((each) => each * power >= least) ?? 10);
  const last = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: last + 1 }, (_, index) => index * step);
}

/** The first and the last day of the shop's calendar, both included: `2026-11-21`. */
export type Days = { readonly from: string; readonly to: string };

const DAY_MS = 86_400_000;

/** Returns so many days, of which the last is that of an instant in the shop's time zone. */
export function listLastDays(count: number, now: Date, timeZone: string): Days {
  const to = localDate(now, timeZone);
  const from = new Date(Date.parse(to) - (count - 1) * DAY_MS);
  return { from: from.toISOString().slice(0, to.length), to };
}

const countDays = ({ from, to }: Days): number => (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;

const MOST_DAYS = 92;

/** True if figures can be asked for of these days; a field that is not filled in makes them invalid. */
export const areValidDays = (days: Days): boolean => countDays(days) >= 1 && countDays(days) <= MOST_DAYS;

// A week of hours is 168 bars.
const MOST_DAYS_BY_HOUR = 7;

export const canShowHours = (days: Days): boolean => countDays(days) <= MOST_DAYS_BY_HOUR;
