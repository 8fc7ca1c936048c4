import * as z from 'zod';
import { namedClients } from '../../../shared/access/clients.ts';
import {
  addUpOrders,
  countTimes,
  type Figures,
  PERIOD_KINDS,
  spreadTimes,
} from '../../../shared/order/lists/figures.ts';
import { command } from '../../ops/command.ts';
import { UsageError } from '../../ops/errors.ts';
import { day, recordId, refuseReversedDays } from '../../ops/input.ts';

const MOST_DAYS = 92;
const DAY_MS = 24 * 60 * 60 * 1_000;

export const ordersFigures = command({
  name: 'orders figures',
  summary: 'Orders and turnover between two days',
  input: z.object({ from: day, to: day, client: recordId.optional(), by: z.enum(PERIOD_KINDS).default('day') }),
  check: refuseDays,
  async run({ from, to, client, by }, { table, business: { timeZone } }) {
    const named = await namedClients(client, table);
    const request = { from, to, by, timeZone, clientIds: named.map(({ id }) => id) };
    const { total, periods, clients } = await addUpOrders(request, table);
    return {
      document: {
        ...{ from, to },
        total: {
          ...representSums(total),
          approval: representTimes(total.minutesToApproval),
          shipment: representTimes(total.minutesToShipment),
        },
        periods: periods.map(({ start, figures }) => ({ start, ...representSums(figures) })),
        // Both lists have one order.
        clients: clients.map(({ id, figures: { orders, turnoverCents } }, index) => {
          return { id, name: named[index]?.name ?? '', orders, turnover_cents: turnoverCents };
        }),
      },
    };
  },
});

function refuseDays({ from, to }: { readonly from: string; readonly to: string }): void {
  refuseReversedDays({ from, to });
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days > MOST_DAYS) throw new UsageError(`--to: From --from on there may be ${MOST_DAYS} days, not ${days}.`);
}

const representSums = ({ orders, turnoverCents, cancelledCents, byOrderStatus, byPaymentStatus }: Figures) => ({
  orders,
  turnover_cents: turnoverCents,
  cancelled_cents: cancelledCents,
  order_status: byOrderStatus,
  payment_status: byPaymentStatus,
});

const representTimes = (minutes: Figures['minutesToApproval']) => ({
  ...spreadTimes(minutes),
  counts: countTimes(minutes),
});
