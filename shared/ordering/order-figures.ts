import { type FiguredOrders, readFiguredOrders } from '../order/lists/operator-lists.ts';
import {
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
  /** The ids of clients with orders that cannot be added up until a rebuild repairs their entries. */
  readonly lacking: readonly number[];
};

/** Costs for each client 2 queries of counters, and a read unit for each pair of statuses and for some 22 orders. */
export async function addUpOrders(request: FiguresRequest, table: Table): Promise<OrderFigures> {
  const periods = listPeriods(request);
  const [first, last] = [periods[0], periods.at(-1)];
  if (!first || !last) return { total: sumFigures([]), periods: [], clients: [], lacking: [] };
  const clients: (FiguredOrders & { readonly id: number })[] = [];
  for (const id of request.clientIds) {
    clients.push({ id, ...(await readFiguredOrders(table, id, { from: first.from, until: last.until })) });
  }
  const orders = clients.flatMap((client) => client.orders);
  const groups = groupByPeriod(orders, periods);
  return {
    total: sumFigures(orders),
    periods: periods.map((period, index) => ({ ...period, figures: sumFigures(groups[index] ?? []) })),
    clients: clients.map(({ id, orders: own }) => ({ id, figures: sumFigures(own) })),
    lacking: clients.filter(({ lacking }) => lacking > 0).map(({ id }) => id),
  };
}
