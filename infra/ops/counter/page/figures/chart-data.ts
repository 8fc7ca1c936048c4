import type { OrderStatus, PaymentStatus } from '../../../../../shared/domain/order.ts';
import { localDate } from '../../../../../shared/domain/working-day.ts';
import { ORDER_STATUS_TEXTS, PAYMENT_STATUS_TEXTS } from '../../../../../shared/messages/status-texts.ts';
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
export type ChartData = {
  readonly title: string;
  /** A sentence with the most important numbers. */
  readonly description: string;
  /** The title of the column that names the rows. */
  readonly rowTitle: string;
  /** A bar each; its label on the axis may be ''. The values are in the order of the series. */
  readonly rows: readonly {
    readonly key: string;
    readonly name: string;
    readonly label: string;
    readonly values: readonly number[];
  }[];
  /**
   * The stacked series, from the bottom up; one without a fill is shown in the table alone. A fill is the classes of a colour
   * and of a texture in `figures.css`, so that neighbours differ without their colours too.
   */
  readonly series: readonly { readonly name: string; readonly fill?: string }[];
  /** The smallest step between the lines of values: 1 for what is counted. */
  readonly smallestStep: number;
  format(value: number): string;
  formatTick?(value: number): string;
};

export type Figures = DocumentOf<'orders-figures'>;
type Period = Figures['periods'][number];
type Total = Figures['total'];

const CENTS_PER_PESO = 100;
export const formatCents = (cents: number): string => formatMoney(cents / CENTS_PER_PESO);

const COUNTED = { smallestStep: 1, format: formatCount } as const;

/** Returns the charts of orders, in the order in which they are shown. */
export function listCharts(figures: Figures): ChartData[] {
  const { total } = figures;
  return [
    ordersChart(figures),
    turnoverChart(figures),
    statusChart(figures, 'Estado de las órdenes', 'order_status', ORDER_FILLS),
    statusChart(figures, 'Estado de los pagos', 'payment_status', PAYMENT_FILLS),
    timesChart('Tiempo hasta la aprobación', total.minutes_to_approval, total.approval_times),
    timesChart('Tiempo hasta el envío', total.minutes_to_shipment, total.shipment_times),
  ];
}

function ordersChart(figures: Figures): ChartData {
  const most = findMost(figures, ({ orders }) => orders);
  return {
    title: 'Órdenes',
    description: `Total: ${formatCount(figures.total.orders)}; máximo: ${formatCount(most.orders)}, ${namePeriod(most)}.`,
    rowTitle: 'Cuándo',
    rows: toRows(figures, ({ orders }) => [orders]),
    series: [{ name: 'Órdenes', fill: 'plain' }],
    ...COUNTED,
  };
}

/** Draws the turnover without cancelled orders, which the table has beside it. */
function turnoverChart(figures: Figures): ChartData {
  const { total } = figures;
  const most = findMost(figures, (period) => period.turnover_cents);
  const highest = `máximo: ${formatCents(most.turnover_cents)}, ${namePeriod(most)}`;
  return {
    title: 'Ventas',
    description: `Total sin lo cancelado: ${formatCents(total.turnover_cents)}; ${highest}.`,
    rowTitle: 'Cuándo',
    rows: toRows(figures, ({ turnover_cents, cancelled_cents }) => [turnover_cents, cancelled_cents]),
    series: [{ name: 'Ventas', fill: 'plain' }, { name: 'Cancelado' }],
    smallestStep: CENTS_PER_PESO,
    format: formatCents,
    formatTick: (cents) => formatShortMoney(cents / CENTS_PER_PESO),
  };
}

const toRows = (figures: Figures, toValues: (period: Period) => readonly number[]): ChartData['rows'] =>
  figures.periods.map((period) => ({
    key: period.from,
    name: namePeriod(period),
    label: labelPeriod(period, figures),
    values: toValues(period),
  }));

const findMost = ({ periods }: Figures, toValue: (period: Period) => number): Period =>
  periods.reduce((most, period) => (toValue(period) > toValue(most) ? period : most));

const ORDER_FILLS: Readonly<Record<OrderStatus, string>> = {
  quoted: 'waiting dots',
  pending_approval: 'waiting stripes',
  approved: 'working',
  in_process: 'working stripes',
  ready: 'going',
  shipped: 'going stripes',
  delivered: 'done',
  cancelled: 'ended dots',
  delayed: 'trouble stripes',
  shortage: 'trouble',
};
const PAYMENT_FILLS: Readonly<Record<PaymentStatus, string>> = {
  unpaid: 'waiting stripes',
  credit: 'working dots',
  paid: 'done',
  in_process: 'going stripes',
  processing: 'going',
  rejected: 'trouble dots',
};

/** Stacks the statuses that occur, in the order of their fills. */
function statusChart(
  figures: Figures,
  title: string,
  field: 'order_status' | 'payment_status',
  fills: Readonly<Record<string, string>>,
): ChartData {
  const texts: Readonly<Record<string, { readonly es: string }>> =
    field === 'order_status' ? ORDER_STATUS_TEXTS : PAYMENT_STATUS_TEXTS;
  const count = (counted: Pick<Period, typeof field>, status: string) => counted[field][status]?.orders ?? 0;
  const shown = Object.entries(fills).filter(([status]) => count(figures.total, status) > 0);
  return {
    title,
    description: 'Las órdenes de cada barra, según su estado de ahora.',
    rowTitle: 'Cuándo',
    rows: toRows(figures, (period) => shown.map(([status]) => count(period, status))),
    series: shown.map(([status, fill]) => ({ name: texts[status]?.es ?? status, fill })),
    ...COUNTED,
  };
}

/** Draws the number of orders by the time that they took. */
function timesChart(title: string, spread: Total['minutes_to_approval'], times: Total['approval_times']): ChartData {
  return {
    title,
    description: describeSpread(spread),
    rowTitle: 'Cuánto tardó',
    rows: times.map((each) => ({
      key: String(each.from),
      name: nameTimes(each),
      label: labelTimes(each),
      values: [each.orders],
    })),
    series: [{ name: 'Órdenes', fill: 'plain' }],
    ...COUNTED,
  };
}

function describeSpread({ count, median, p90 }: Total['minutes_to_approval']): string {
  if (median === null || p90 === null) return 'Ninguno todavía.';
  const most = `la mitad en ${nameLimit(median)} o menos, nueve de diez en ${nameLimit(p90)} o menos`;
  return `Órdenes: ${formatCount(count)}; ${most}.`;
}

const DAY_LENGTH = '2026-11-21'.length;
const toDay = (start: string): string => start.slice(0, DAY_LENGTH);
const toHour = (start: string): string => start.slice(DAY_LENGTH + 1);

/** Names a day or an hour in full: `23 nov 2026, 13:00`. */
const namePeriod = ({ start }: Period): string =>
  [formatCalendarDay(toDay(start)), toHour(start)].filter(Boolean).join(', ');

/** Labels a day or an hour on an axis; of the hours of several days the first of each alone, by its day. */
function labelPeriod({ start }: Period, { from, to, by }: Figures): string {
  if (by === 'day') return formatShortDay(toDay(start));
  if (from === to) return toHour(start);
  return toHour(start) === '00:00' ? formatShortDay(toDay(start)) : '';
}

type Times = { readonly from: number; readonly until: number | null };

/** Names times from some minutes to others: `30 min – 60 min`. */
const nameTimes = ({ from, until }: Times): string =>
  until === null ? `desde ${formatAge(from)}` : `${from === 0 ? '0' : formatAge(from)} – ${formatAge(until)}`;

/** Labels times on an axis by their end; the longest by their beginning. */
const labelTimes = ({ from, until }: Times): string =>
  until === null ? `> ${formatAge(from)}` : `< ${formatAge(until)}`;

const HOUR = 60;
const DAY = 24 * HOUR;

/** Names a time that others are within: rounded up, where an age is rounded down. */
export function nameLimit(minutes: number): string {
  if (minutes < 2 * HOUR) return formatAge(minutes);
  const unit = minutes <= 2 * DAY - HOUR ? HOUR : DAY;
  return formatAge(Math.ceil(minutes / unit) * unit);
}

const STEPS = [1, 2, 5, 10] as const;

/**
 * Returns round numbers from 0 to the first that is not below `highest`, about as many as asked for, in steps of 1, 2 or
 * 5 times a power of ten, and of `smallestStep` at least.
 */
export function listTicks(highest: number, count: number, smallestStep: number): number[] {
  const step = Math.max(smallestStep, roundStep(highest / count));
  const last = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: last + 1 }, (_, index) => index * step);
}

function roundStep(step: number): number {
  if (step <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(step));
  return power * (STEPS.find((each) => each * power >= step) ?? 10);
}

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
