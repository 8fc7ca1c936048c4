import { addDays, localDate } from '../../../../shared/domain/working-day.ts';
import type { DocumentOf } from '../../server/counter-commands.ts';
import {
  formatAge,
  formatCalendarDay,
  formatCount,
  formatMoney,
  formatShortDay,
  formatShortMoney,
} from '../ui/format.ts';
import { ORDER, PAYMENT, type Status } from '../ui/statuses.ts';

export type Figures = DocumentOf<'orders-figures'>;
type Sums = Omit<Figures['periods'][number], 'start'>;

/** The series come from the bottom of a bar up; those that stand in the table alone are last. */
type Series = Omit<Status, 'text'> & { readonly name: string; readonly isInTableAlone?: boolean };
type Measure = Series & { toValue(sums: Sums): number };

/** A bar; its label on the axis may be ''. The values are in the order of the series. */
export type Bar = { readonly name: string; readonly label: string; readonly values: readonly number[] };

export type ChartData = {
  readonly title: string;
  readonly rowTitle: string;
  readonly bars: readonly Bar[];
  readonly series: readonly Series[];
  format(value: number): string;
  formatTick(value: number): string;
};

const CENTS_PER_PESO = 100;
export const formatCents = (cents: number): string => formatMoney(cents / CENTS_PER_PESO);

const COUNT = { format: formatCount, formatTick: formatCount };
const MONEY = { format: formatCents, formatTick: (cents: number) => formatShortMoney(cents / CENTS_PER_PESO) };
const PLAIN = { tone: 'accent', texture: 'full' } as const;

export function listCharts(figures: Figures): ChartData[] {
  const { total, periods } = figures;
  const byTime = (title: string, series: readonly Measure[], unit = COUNT): ChartData => {
    const bars = periods.map(({ start, ...sums }) => {
      return { ...namePeriod(start, figures), values: series.map(({ toValue }) => toValue(sums)) };
    });
    return { title, rowTitle: 'Cuándo', bars, series, ...unit };
  };
  const byStatus = (title: string, field: 'order_status' | 'payment_status', statuses: Record<string, Status>) => {
    const occurring = Object.entries(statuses).filter(([status]) => total[field][status]);
    const toMeasure = ([status, { text: name, ...look }]: (typeof occurring)[number]): Measure => {
      return { name, ...look, toValue: (sums) => sums[field][status] ?? 0 };
    };
    return byTime(title, occurring.map(toMeasure));
  };
  const sales: Measure[] = [
    { ...PLAIN, name: 'Ventas', toValue: ({ turnover_cents: cents }) => cents },
    { ...PLAIN, name: 'Cancelado', isInTableAlone: true, toValue: ({ cancelled_cents: cents }) => cents },
  ];
  return [
    byTime('Órdenes', [{ ...PLAIN, name: 'Órdenes', toValue: ({ orders }) => orders }]),
    byTime('Ventas', sales, MONEY),
    byStatus('Estado de las órdenes', 'order_status', ORDER),
    byStatus('Estado de los pagos', 'payment_status', PAYMENT),
    byDuration('Tiempo hasta la aprobación', total.approval),
    byDuration('Tiempo hasta el envío', total.shipment),
  ];
}

/** Names a day or an hour, in full and on the axis, where hours of several days are labelled once a day. */
function namePeriod(start: string, { from, to }: Figures): Pick<Bar, 'name' | 'label'> {
  const [day = '', hour] = start.split('T');
  if (hour === undefined) return { name: formatCalendarDay(day), label: formatShortDay(day) };
  const dayLabel = hour === '00:00' ? formatShortDay(day) : '';
  return { name: `${formatCalendarDay(day)}, ${hour}`, label: from === to ? hour : dayLabel };
}

const byDuration = (title: string, { counts }: Figures['total']['approval']): ChartData => ({
  title,
  rowTitle: 'Cuánto tardó',
  // The longest times are named by their beginning, the others by their end.
  bars: counts.map(({ from, until, orders }) => ({
    name: until === null ? `desde ${formatAge(from)}` : `${from === 0 ? '0' : formatAge(from)} – ${formatAge(until)}`,
    label: until === null ? `> ${formatAge(from)}` : `< ${formatAge(until)}`,
    values: [orders],
  })),
  series: [{ ...PLAIN, name: 'Órdenes' }],
  ...COUNT,
});

const HOUR = 60;
const DAY = 24 * HOUR;

/** Formats an upper limit: rounded up, where an age is rounded down. */
export function nameLimit(minutes: number): string {
  if (minutes < 2 * HOUR) return formatAge(minutes);
  const unit = minutes <= 2 * DAY - HOUR ? HOUR : DAY;
  return formatAge(Math.ceil(minutes / unit) * unit);
}

/** Returns about `count` round numbers from 0 to the first that is not below `highest`, in steps of 1, 2, 5, 10, 20 … */
export function listTicks(highest: number, count: number): number[] {
  const least = Math.max(1, highest / count);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((each) => each * power >= least) ?? 10);
  return Array.from({ length: Math.max(1, Math.ceil(highest / step)) + 1 }, (_, index) => index * step);
}

/** The first and the last day of the shop's calendar, both included: `2026-11-21`. */
export type Days = { readonly from: string; readonly to: string };

export function listLastDays(count: number, now: Date, timeZone: string): Days {
  const to = localDate(now, timeZone);
  return { from: addDays(to, 1 - count), to };
}

const DAY_MS = 86_400_000;

/** Returns NaN while a day is not filled in. */
export const countDays = ({ from, to }: Days): number => (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
