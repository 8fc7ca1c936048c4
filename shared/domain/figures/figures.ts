import { type Cents, sumCents } from '../money.ts';
import { ORDER_STATUSES, type OrderStatus, PAYMENT_STATUSES, type PaymentStatus } from '../order.ts';
import type { Period } from './periods.ts';

/** The facts about an order that figures add up; times are UTC, null until they come. An order that never waited for approval has no time of it. */
export type FiguredOrder = {
  readonly createdAt: string;
  readonly orderStatus: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly totalCents: Cents;
  readonly approvedAt: string | null;
  readonly shippedAt: string | null;
};

/** The orders with a status, and what they amount to. */
type Amount = { readonly orders: number; readonly cents: Cents };

/** The sums of some orders, as they are now; statuses that none of them has are left out. */
export type Figures = {
  /** All of them, cancelled ones too. */
  readonly orders: number;
  /** The totals of those that are not cancelled. */
  readonly turnoverCents: Cents;
  readonly cancelledCents: Cents;
  readonly byOrderStatus: ReadonlyMap<OrderStatus, Amount>;
  readonly byPaymentStatus: ReadonlyMap<PaymentStatus, Amount>;
  /** Whole minutes from each order to its first approval, of those that have one; the shortest first. */
  readonly minutesToApproval: readonly number[];
  readonly minutesToShipment: readonly number[];
};

/** Adds up orders. */
export function sumFigures(orders: readonly FiguredOrder[]): Figures {
  const cancelledCents = sumTotals(orders.filter(({ orderStatus }) => orderStatus === 'cancelled'));
  return {
    orders: orders.length,
    turnoverCents: sumTotals(orders) - cancelledCents,
    cancelledCents,
    byOrderStatus: sumByStatus(ORDER_STATUSES, orders, ({ orderStatus }) => orderStatus),
    byPaymentStatus: sumByStatus(PAYMENT_STATUSES, orders, ({ paymentStatus }) => paymentStatus),
    minutesToApproval: listMinutes(orders, ({ approvedAt }) => approvedAt),
    minutesToShipment: listMinutes(orders, ({ shippedAt }) => shippedAt),
  };
}

const sumTotals = (orders: readonly FiguredOrder[]): Cents => sumCents(orders.map(({ totalCents }) => totalCents));

/** Returns the amounts in the order of the statuses. */
function sumByStatus<Status>(
  statuses: readonly Status[],
  orders: readonly FiguredOrder[],
  toStatus: (order: FiguredOrder) => Status,
): Map<Status, Amount> {
  const groups = Map.groupBy(orders, toStatus);
  const amounts = statuses.map((status): [Status, Amount] => {
    const own = groups.get(status) ?? [];
    return [status, { orders: own.length, cents: sumTotals(own) }];
  });
  return new Map(amounts.filter(([, { orders: count }]) => count > 0));
}

const MINUTE_MS = 60_000;

const listMinutes = (orders: readonly FiguredOrder[], toTime: (order: FiguredOrder) => string | null): number[] =>
  orders
    .flatMap((order) => {
      const time = toTime(order);
      return time === null ? [] : [Math.floor((Date.parse(time) - Date.parse(order.createdAt)) / MINUTE_MS)];
    })
    .sort((one, other) => one - other);

/** Returns the orders that were created in each period; periods come in their order and without gaps. */
export function groupByPeriod<Order extends Pick<FiguredOrder, 'createdAt'>>(
  orders: readonly Order[],
  periods: readonly Period[],
): Order[][] {
  const groups = periods.map((): Order[] => []);
  for (const order of orders) groups[findPeriod(order.createdAt, periods)]?.push(order);
  return groups;
}

/** Returns the place of the period that an instant is in, one beyond all places if it is in none. */
function findPeriod(instant: string, periods: readonly Period[]): number {
  let [low, high] = [0, periods.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (instant < (periods[middle] as Period).until) high = middle;
    else low = middle + 1;
  }
  return instant < (periods[low]?.from ?? '~') ? periods.length : low;
}
