import * as z from 'zod';
import type { ClientRecord } from '../../../shared/access/clients.ts';
import { namedClients } from '../../../shared/access/existing-client.ts';
import {
  addUpOrders,
  countTimes,
  type Figures,
  type OrderFigures,
  PERIOD_KINDS,
  spreadTimes,
} from '../../../shared/order/lists/figures.ts';
import { command } from '../../ops/command.ts';
import { UsageError } from '../../ops/errors.ts';
import { day, recordId, refuseReversedDays } from '../../ops/input.ts';

const MOST_DAYS = 92;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Adds up orders and turnover by day or hour, by status, and the minutes to approval and shipment. */
export const ordersFigures = command({
  name: 'orders figures',
  summary: 'Orders and turnover between two days',
  input: z.object({ from: day, to: day, client: recordId.optional(), by: z.enum(PERIOD_KINDS).default('day') }),
  check: refuseDays,
  async run({ from, to, client, by }, { table, business: { timeZone } }) {
    const clients = await namedClients(client, table);
    const figures = await addUpOrders({ from, to, by, timeZone, clientIds: clients.map(({ id }) => id) }, table);
    const request = { from, to, by, time_zone: timeZone, client: client ?? null };
    return { document: { ...request, ...represent(figures), clients: representClients(clients, figures) } };
  },
});

function refuseDays({ from, to }: { readonly from: string; readonly to: string }): void {
  refuseReversedDays({ from, to });
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days > MOST_DAYS) throw new UsageError(`--to: From --from on there may be ${MOST_DAYS} days, not ${days}.`);
}

const represent = ({ total, periods }: OrderFigures) => ({
  total: {
    ...representFigures(total),
    approval_times: countTimes(total.minutesToApproval),
    shipment_times: countTimes(total.minutesToShipment),
  },
  periods: periods.map(({ figures, ...period }) => ({ ...period, ...representFigures(figures) })),
});

/** Returns the figures of each client; both lists have one order. */
const representClients = (clients: readonly ClientRecord[], figures: OrderFigures) =>
  figures.clients.map(({ id, figures: { orders, turnoverCents } }, index) => {
    return { id, name: clients[index]?.name ?? '', orders, turnover_cents: turnoverCents };
  });

const representFigures = (figures: Figures) => ({
  orders: figures.orders,
  turnover_cents: figures.turnoverCents,
  cancelled_cents: figures.cancelledCents,
  order_status: Object.fromEntries(figures.byOrderStatus),
  payment_status: Object.fromEntries(figures.byPaymentStatus),
  minutes_to_approval: spreadTimes(figures.minutesToApproval),
  minutes_to_shipment: spreadTimes(figures.minutesToShipment),
});
