import { createdOrders } from '../order/lists/sources.ts';
import type { Order } from '../order/order.ts';
import {
  type FiguredOrder,
  type Figures,
  groupByPeriod,
  listPeriods,
  type Period,
  type PeriodKind,
  sumFigures,
} from '../order/rules/figures.ts';
import type { Table } from '../store/table.ts';

type FiguresRequest = {
  /** The first and last day of the shop's calendar: `2026-11-21`. */
  readonly from: string;
  readonly to: string;
  readonly by: PeriodKind;
  readonly timeZone: string;
  readonly clientIds: readonly number[];
};

export type OrderFigures = {
  readonly total: Figures;
  readonly periods: readonly (Period & { readonly figures: Figures })[];
  readonly clients: readonly { readonly id: number; readonly figures: Figures }[];
};

/** Costs a query and a batch of reads for each 100 orders. */
export async function addUpOrders(request: FiguresRequest, table: Table): Promise<OrderFigures> {
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

const toFigured = ({ createdAt, orderStatus, paymentStatus, totalCents, ...order }: Order): FiguredOrder => ({
  createdAt,
  orderStatus,
  paymentStatus,
  totalCents,
  approvedAt: order.approvedAt ?? null,
  shippedAt: order.shippingDate,
});
