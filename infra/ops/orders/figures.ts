import * as z from 'zod';
import { countTimes, type Figures, PERIOD_KINDS, spreadTimes } from '../../../shared/domain/figures.ts';
import { formatCents } from '../../../shared/domain/money.ts';
import type { ClientRecord } from '../../../shared/store/access/clients.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { addUpOrders, type OrderFigures } from '../../../shared/usecases/order-lists/order-figures.ts';
import { namedClients } from '../clients/existing-client.ts';
import { command } from '../command.ts';
import type { CommandIo } from '../context.ts';
import { UsageError } from '../errors.ts';
import { day, recordId, refuseReversedDays } from '../input.ts';
import { recordTable } from '../output.ts';

export const ordersFigures = command({
  name: 'orders figures',
  summary: 'Add up orders and turnover by day or hour, by status, and the minutes to approval and shipment',
  example: '--from 2026-11-01 --to 2026-11-30',
  details: 'Both days are included, 92 at most. --json has the figures by status and of the whole time.\n\n',
  input: z.object({ from: day, to: day, client: recordId.optional(), by: z.enum(PERIOD_KINDS).default('day') }),
  check: refuseDays,
  async run({ from, to, client, by }, context) {
    const { table } = context;
    const { timeZone } = context.business;
    const clients = await namedClients(client, table);
    const figures = await addUpOrders({ from, to, by, timeZone, clientIds: clients.map(({ id }) => id) }, table);
    const [lacking] = figures.lacking;
    if (lacking !== undefined) throw refusedToOperator('figures_lacking', { client: lacking });
    const asked = { from, to, by, time_zone: timeZone, client: client ?? null };
    const document = { ...asked, ...represent(figures), clients: representClients(clients, figures) };
    return { document, text: figuresText(document, context) };
  },
});

const MOST_DAYS = 92;
const DAY_MS = 24 * 60 * 60 * 1_000;

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
const representClients = (clients: readonly ClientRecord[], { clients: figures }: OrderFigures) =>
  clients.flatMap(({ id, name }, index) => {
    const own = figures[index]?.figures;
    return own ? { id, name, orders: own.orders, turnover_cents: own.turnoverCents } : [];
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

/** Returns a row for each period and one for all of them; minutes are medians, or not exceeded by nine of ten orders. */
const figuresText = ({ periods, total }: ReturnType<typeof represent>, io: CommandIo): string =>
  recordTable([...periods, { ...total, start: 'total' }].map(toPeriodRow), io);

type Summed = ReturnType<typeof representFigures> & { readonly start: string };

const toPeriodRow = ({ start, orders, minutes_to_approval, minutes_to_shipment, ...sums }: Summed) => ({
  start,
  orders,
  turnover: formatCents(sums.turnover_cents),
  cancelled: formatCents(sums.cancelled_cents),
  approved: minutes_to_approval.count,
  approval_min: minutes_to_approval.median,
  approval_p90: minutes_to_approval.p90,
  shipped: minutes_to_shipment.count,
  shipment_min: minutes_to_shipment.median,
  shipment_p90: minutes_to_shipment.p90,
});
