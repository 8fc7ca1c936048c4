import { type Cents, sumCents } from '../../domain/money.ts';
import { dayAfter, localClock, toInstant } from '../../domain/working-day.ts';
import type { Table } from '../../store/table.ts';
import type { Order } from '../order.ts';
import { createdOrders } from './entries.ts';

/**
 * A period until before `until`, in UTC. `start` is its beginning on the shop's clock: `2026-11-21` for a day,
 * `2026-11-21T13:00` for an hour; when clocks go back, two hours have the same `start`.
 */
type Period = { readonly start: string; readonly from: string; readonly until: string };

type Days = { readonly from: string; readonly to: string; readonly timeZone: string };

/** The facts that figures add up; times are UTC, null until they come. Without a wait for approval, `approvedAt` stays null. */
export type FiguredOrder = Pick<Order, 'createdAt' | 'orderStatus' | 'paymentStatus' | 'totalCents'> &
  Readonly<Record<'approvedAt' | 'shippedAt', string | null>>;

export type Figures = ReturnType<typeof sumFigures>;

export const PERIOD_KINDS = ['hour', 'day'] as const;
type PeriodKind = (typeof PERIOD_KINDS)[number];

/** The first and the last day on the shop's calendar, both included: `2026-11-21`. */
type FiguresRequest = Days & { readonly by: PeriodKind; readonly clientIds: readonly number[] };

/** Costs a query and a batch of reads for each 100 orders. */
export async function addUpOrders(request: FiguresRequest, table: Table) {
  const periods = listPeriods(request);
  const [first, last] = [periods[0], periods.at(-1)];
  if (!first || !last) return { total: sumFigures([]), periods: [], clients: [] };
  const clients: { readonly id: number; readonly orders: readonly FiguredOrder[] }[] = [];
  for (const id of request.clientIds) {
    const orders: FiguredOrder[] = [];
    for await (const page of createdOrders(table, id, { from: first.from, until: last.until }))
      orders.push(...page.map(toFigured));
    clients.push({ id, orders });
  }
  const orders = clients.flatMap((client) => client.orders);
  const groups = groupByPeriod(orders, periods);
  return {
    total: sumFigures(orders),
    periods: periods.map((period, index) => ({ ...period, figures: sumFigures(groups[index] ?? []) })),
    clients: clients.map(({ id, orders: own }) => ({ id, figures: sumFigures(own) })),
  };
}

/** Keeps no more of an order, as a month may have many. */
function toFigured({ createdAt, orderStatus, paymentStatus, totalCents, approvedAt = null, shippingDate }: Order) {
  return { createdAt, orderStatus, paymentStatus, totalCents, approvedAt, shippedAt: shippingDate };
}

/** Returns the local days from `from` through `to`, or their hours, without gaps. Throws RangeError for an unknown time zone. */
export function listPeriods({ from, to, by, timeZone }: Days & { readonly by: PeriodKind }): Period[] {
  const periods: Period[] = [];
  for (let date = from; date <= to; date = dayAfter(date)) {
    const day = toDayPeriod(date, timeZone);
    periods.push(...(by === 'day' ? [day] : splitHours(day, timeZone)));
  }
  return periods;
}

const toDayPeriod = (date: string, timeZone: string): Period => ({
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

export function sumFigures(orders: readonly FiguredOrder[]) {
  const cancelledCents = sumTotals(orders.filter(({ orderStatus }) => orderStatus === 'cancelled'));
  return {
    orders: orders.length,
    /** Without cancelled orders. */
    turnoverCents: sumTotals(orders) - cancelledCents,
    cancelledCents,
    byOrderStatus: countBy(orders, ({ orderStatus }) => orderStatus),
    byPaymentStatus: countBy(orders, ({ paymentStatus }) => paymentStatus),
    /** Whole minutes from each order to its first approval, if it has one; shortest first. */
    minutesToApproval: listMinutes(orders, ({ approvedAt }) => approvedAt),
    minutesToShipment: listMinutes(orders, ({ shippedAt }) => shippedAt),
  };
}

const sumTotals = (orders: readonly FiguredOrder[]): Cents => sumCents(orders.map(({ totalCents }) => totalCents));

/** Leaves out statuses without orders. */
function countBy(orders: readonly FiguredOrder[], toStatus: (order: FiguredOrder) => string): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(orders, toStatus)].map(([status, own]) => [status, own.length]));
}

const MINUTE_MS = 60_000;

const listMinutes = (orders: readonly FiguredOrder[], toTime: (order: FiguredOrder) => string | null): number[] =>
  orders
    .flatMap((order) => {
      const time = toTime(order);
      return time === null ? [] : [Math.floor((Date.parse(time) - Date.parse(order.createdAt)) / MINUTE_MS)];
    })
    .sort((one, other) => one - other);

/** Periods must be ordered and without gaps. */
export function groupByPeriod<Order extends Pick<FiguredOrder, 'createdAt'>>(
  orders: readonly Order[],
  periods: readonly Period[],
): Order[][] {
  const groups = periods.map((): Order[] => []);
  for (const order of orders) groups[findPeriod(order.createdAt, periods)]?.push(order);
  return groups;
}

/** Returns the index of the period of an instant, or the number of periods if none contains it. */
function findPeriod(instant: string, periods: readonly Period[]): number {
  let [low, high] = [0, periods.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (instant < (periods[middle] as Period).until) high = middle;
    else low = middle + 1;
  }
  return instant < (periods[low]?.from ?? '~') ? periods.length : low;
}

/** `sorted`: shortest first. Median and percentile are times that occur, null if there are none. */
export const spreadTimes = (sorted: readonly number[]) => ({
  median: pickTime(sorted, 0.5),
  p90: pickTime(sorted, 0.9),
});

// The nearest rank: the shortest time that this share of all does not exceed.
const pickTime = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? null;

const HOUR = 60;
const DAY = 24 * HOUR;
const BOUNDS = [0, 15, 30, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, DAY, 2 * DAY, 4 * DAY, 8 * DAY] as const;

/** Counts times in minutes from `from` until before `until`, in steps that grow from a quarter of an hour to days. */
export const countTimes = (minutes: readonly number[]) =>
  BOUNDS.map((from, index) => {
    const until = BOUNDS[index + 1] ?? null;
    const within = minutes.filter((time) => time >= from && (until === null || time < until));
    return { from, until, orders: within.length };
  });
