import * as z from 'zod';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../../../shared/domain/order.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { latestOrders } from '../../../shared/store/order-lists/operator-lists.ts';
import { listOpenOrders, listRefundsDue, OPEN_STATUSES, type Queue } from '../../../shared/store/order-lists/queue.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { existingClient } from '../clients/existing-client.ts';
import { type Command, command } from '../command.ts';
import { flag, recordId, UsageError } from '../input.ts';
import { ordersFind } from './order-find.ts';
import { type OrderList, openOrdersResult, ordersResult, refundsResult } from './order-list-text.ts';
import { ordersSearch } from './order-search.ts';

export const orderStatus = z.enum(ORDER_STATUSES).meta({ title: 'order_status' });
export const paymentStatus = z.enum(PAYMENT_STATUSES).meta({ title: 'payment_status' });

// All that are open may be wanted at once.
const limit = recordId.pipe(z.number().max(5_000)).prefault('20').meta({ title: 'number' });

type ListOptions = {
  readonly status?: z.output<typeof orderStatus> | undefined;
  readonly payment?: z.output<typeof paymentStatus> | undefined;
  readonly refundDue: boolean;
  readonly limit: number;
};

export const ordersList = command({
  name: 'orders list',
  effect: 'reads',
  summary: 'List the open orders of all clients, the oldest first, or the latest orders of a client, the newest first',
  example: '--status pending_approval',
  options: {
    client: recordId.optional(),
    status: orderStatus.optional(),
    payment: paymentStatus.optional(),
    refundDue: flag,
    limit,
  },
  async run({ client, ...options }, call) {
    const table = openTable();
    if (options.refundDue && (options.status ?? options.payment)) {
      throw new UsageError('--refund-due: It goes with neither --status nor --payment.');
    }
    if (client !== undefined) await existingClient(client, table);
    if (options.refundDue) {
      return refundsResult(await listRefundsDue(table, { clientId: client, limit: options.limit }), now(), call);
    }
    if (client !== undefined) return ordersResult(await listLatest(table, client, options), now(), call);
    return openOrdersResult(await listOpen(table, options), now(), call);
  },
});

function listOpen(table: Table, { status, payment, limit }: ListOptions): Promise<Queue> {
  const statuses = status ? [status] : OPEN_STATUSES;
  if (!statuses.every((each) => OPEN_STATUSES.includes(each))) {
    throw new UsageError(`--status: Without --client it must be one of: ${OPEN_STATUSES.join(', ')}.`);
  }
  return listOpenOrders(table, { statuses, paymentStatus: payment, limit });
}

async function listLatest(
  table: Table,
  clientId: number,
  { status: orderStatus, payment: paymentStatus, limit }: ListOptions,
): Promise<OrderList> {
  const { orders, count } = await latestOrders(table, {
    clientId,
    viewer: 'client',
    orderStatus,
    paymentStatus,
    limit,
  });
  return { orders, hasMore: count > orders.length };
}

export const orderListCommands: readonly Command[] = [ordersList, ordersFind, ordersSearch];
