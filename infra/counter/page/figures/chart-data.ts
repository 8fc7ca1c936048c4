import { localDate } from '../../../../shared/domain/working-day.ts';
import type { DocumentOf } from '../../server/counter-commands.ts';
import {
  formatAge,
  formatCalendarDay,
  formatCount,
  formatMoney,
  formatShortDay,
  formatShortMoney,
} from '../ui/format.ts';
import { ORDER, PAYMENT, type Status } from '../ui/statuses.tsx';

export type ChartData = Unit & {
  readonly title: string;
  readonly description: string;
  readonly rowTitle: string;
  readonly rows: readonly Row[];
  readonly series: readonly Series[];
};

/** A bar; its label on the axis may be ''. The values are in the order of the series. */
export type Row = { readonly name: string; readonly label: string; readonly values: readonly number[] };

/** A series; one without a fill is shown in the table alone. */
type Series = { readonly name: string; readonly fill?: Pick<Status, 'tone' | 'texture'> };

type Unit = { format(value: number): string; formatTick(value: number): string };

export type Figures = DocumentOf<'orders-figures'>;
type Period = Figures['periods'][number];
type Total = Figures['total'];

const CENTS_PER_PESO = 100;
export const formatCents = (cents: number): string => formatMoney(cents / CENTS_PER_PESO);

const COUNT: Unit = { format: formatCount, formatTick: formatCount };
const MONEY: Unit = { format: formatCents, formatTick: (cents) => formatShortMoney(cents / CENTS_PER_PESO) };

/** A series of the charts by time, with the value that it has of a period or of the whole time. */
type Measure = Series & { toValue(sums: Pick<Period, keyof Period & keyof Total>): number };

const PLAIN = { tone: 'accent', texture: 'full' } as const;
const ORDERS: Measure = { name: 'Órdenes', fill: PLAIN, toValue: ({ orders }) => orders };
const TURNOVER: Measure = { name: 'Ventas', fill: PLAIN, toValue: ({ turnover_cents: cents }) => cents };
const CANCELLED: Measure = { name: 'Cancelado', toValue: ({ cancelled_cents: cents }) => cents };

const BY_STATUS = 'Las órdenes de cada barra, según su estado de ahora.';

export function listCharts(figures: Figures): ChartData[] {
  const { total, periods } = figures;
  const byTime = (title: string, description: string, series: readonly Measure[], unit = COUNT): ChartData => {
    const rows = periods.map((period) => ({
      ...namePeriod(period, figures),
      values: series.map(({ toValue }) => toValue(period)),
    }));
    return { title, description, rowTitle: 'Cuándo', rows, series, ...unit };
  };
  return [
    byTime('Órdenes', `Total: ${describeSum(figures, ORDERS, COUNT)}`, [ORDERS]),
    byTime('Ventas', `Total sin lo cancelado: ${describeSum(figures, TURNOVER, MONEY)}`, [TURNOVER, CANCELLED], MONEY),
    byTime('Estado de las órdenes', BY_STATUS, listMeasures(total, 'order_status', ORDER)),
    byTime('Estado de los pagos', BY_STATUS, listMeasures(total, 'payment_status', PAYMENT)),
    byDuration('Tiempo hasta la aprobación', total.minutes_to_approval, total.approval_times),
    byDuration('Tiempo hasta el envío', total.minutes_to_shipment, total.shipment_times),
  ];
}

function describeSum(figures: Figures, { toValue }: Measure, { format }: Unit): string {
  const most = figures.periods.reduce((highest, period) => (toValue(period) > toValue(highest) ? period : highest));
  return `${format(toValue(figures.total))}; máximo: ${format(toValue(most))}, ${namePeriod(most, figures).name}.`;
}

const listMeasures = (
  total: Total,
  field: 'order_status' | 'payment_status',
  statuses: typeof ORDER | typeof PAYMENT,
): Measure[] =>
  Object.entries(statuses)
    .map(
      ([status, { text: name, ...fill }]): Measure => ({
        name,
        fill,
        toValue: (sums) => sums[field][status]?.orders ?? 0,
      }),
    )
    .filter(({ toValue }) => toValue(total) > 0);

/** Names a day or an hour in full and on the axis; of the hours of several days the first of each alone has a label. */
function namePeriod({ start }: Period, { from, to }: Figures): Pick<Row, 'name' | 'label'> {
  const [day = '', hour] = start.split('T');
  if (hour === undefined) return { name: formatCalendarDay(day), label: formatShortDay(day) };
  const dayLabel = hour === '00:00' ? formatShortDay(day) : '';
  return { name: `${formatCalendarDay(day)}, ${hour}`, label: from === to ? hour : dayLabel };
}

const byDuration = (
  title: string,
  spread: Total['minutes_to_approval'],
  times: Total['approval_times'],
): ChartData => ({
  title,
  description: describeSpread(spread),
  rowTitle: 'Cuánto tardó',
  // The longest times are named by their beginning, the others by their end.
  rows: times.map(({ from, until, orders }) => ({
    name: until === null ? `desde ${formatAge(from)}` : `${from === 0 ? '0' : formatAge(from)} – ${formatAge(until)}`,
    label: until === null ? `> ${formatAge(from)}` : `< ${formatAge(until)}`,
    values: [orders],
  })),
  series: [{ name: 'Órdenes', fill: PLAIN }],
  ...COUNT,
});

function describeSpread({ count, median, p90 }: Total['minutes_to_approval']): string {
  if (median === null || p90 === null) return 'Ninguno todavía.';
  const most = `la mitad en ${nameLimit(median)} o menos, nueve de diez en ${nameLimit(p90)} o menos`;
  return `Órdenes: ${formatCount(count)}; ${most}.`;
}

const HOUR = 60;
const DAY = 24 * HOUR;

/** Names a time that others are within: rounded up, where an age is rounded down. */
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

const DAY_MS = 86_400_000;

/** Returns so many days, of which the last is that of an instant in the shop's time zone. */
export function listLastDays(count: number, now: Date, timeZone: string): Days {
  const to = localDate(now, timeZone);
  const from = new Date(Date.parse(to) - (count - 1) * DAY_MS);
  return { from: from.toISOString().slice(0, to.length), to };
}

const countDays = ({ from, to }: Days): number => (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;

/** True if figures can be asked for of these days; a field that is not filled in makes them invalid. */
export const areValidDays = (days: Days): boolean => countDays(days) >= 1 && countDays(days) <= 92;

// A week of hours is 168 bars.
export const canShowHours = (days: Days): boolean => countDays(days) <= 7;
