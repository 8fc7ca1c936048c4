import * as z from 'zod';
import { ORDER_STATUSES, PAYMENT_STATUSES, parseFolio, REFUND_DUE } from '../../../shared/domain/order.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { patientViewer } from '../../../shared/store/keys.ts';
import { latestOrders } from '../../../shared/store/order-lists/latest-orders.ts';
import { listOpenOrders, listRefundsDue, OPEN_STATUSES } from '../../../shared/store/order-lists/open-orders.ts';
import { getOrderOfAnyClient } from '../../../shared/store/orders/orders.ts';
import { usersByEmail, usersByPhone } from '../../../shared/store/people/users.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { existingClient } from '../clients/existing-client.ts';
import { type Command, command } from '../command.ts';
import { emailAddress, flag, listLimit, phoneNumber, recordId, UsageError } from '../input.ts';
import { type OrderList, openOrdersResult, ordersResult } from './order-list-text.ts';

export const orderStatus = z.enum(ORDER_STATUSES).meta({ title: 'order_status' });
export const paymentStatus = z.enum(PAYMENT_STATUSES).meta({ title: 'payment_status' });

type ListOptions = {
  readonly status?: z.output<typeof orderStatus> | undefined;
  readonly payment?: z.output<typeof paymentStatus> | undefined;
  readonly refundDue: boolean;
  readonly limit: number;
};

const ordersList = command({
  name: 'orders list',
  summary: 'List the open orders of all clients, the oldest first, or the latest orders of a client, the newest first',
  example: '--status pending_approval',
  options: {
    client: recordId.optional(),
    status: orderStatus.optional(),
    payment: paymentStatus.optional(),
    refundDue: flag,
    limit: listLimit,
  },
  async run({ client, ...options }, call) {
    const table = openTable();
    if (options.refundDue && (options.status ?? options.payment)) {
      throw new UsageError(
        `--refund-due: It stands for --status ${REFUND_DUE.orderStatus} --payment ${REFUND_DUE.paymentStatus}.`,
      );
    }
    if (client !== undefined) {
      await existingClient(client, table);
      return ordersResult(await listLatest(table, client, options), call);
    }
    if (options.refundDue) return ordersResult(await listRefundsDue(table, options.limit), call);
    return openOrdersResult(await listOpen(table, options), now(), call);
  },
});

function listOpen(table: Table, { status, payment, limit }: ListOptions): Promise<OrderList> {
  const statuses = status ? [status] : OPEN_STATUSES;
  if (!statuses.every((each) => OPEN_STATUSES.includes(each))) {
    throw new UsageError(`--status: Without --client it must be one of: ${OPEN_STATUSES.join(', ')}.`);
  }
  return listOpenOrders(table, { statuses, paymentStatus: payment, limit });
}

async function listLatest(
  table: Table,
  clientId: number,
  { status, payment, refundDue, limit }: ListOptions,
): Promise<OrderList> {
  const statuses = refundDue ? REFUND_DUE : { orderStatus: status, paymentStatus: payment };
  const { orders, count } = await latestOrders(table, { clientId, viewer: 'client', ...statuses, limit });
  return { orders, hasMore: count > orders.length };
}

const folio = z
  .string()
  .max(25)
  .transform((written) => parseFolio(written) ?? 0)
  .refine((id) => id > 0, 'invalid_value' satisfies MessageCode)
  .meta({ title: 'RX-00000042' });

const ordersFind = command({
  name: 'orders find',
  summary: 'Find an order of any client by its folio, or the orders of the patients with an e-mail or a phone',
  example: '--email ana.paz@example.mx',
  options: {
    folio: folio.optional(),
    email: emailAddress.optional(),
    phone: phoneNumber.optional(),
    limit: listLimit,
  },
  oneOf: { names: ['folio', 'email', 'phone'], isRequired: true },
  run: async (sought, call) => ordersResult(await findOrders(openTable(), sought), call),
});

type Sought = {
  readonly folio?: number | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly limit: number;
};

/** Finds an order by one query, or those of patients by a query of their mark and a list of the view of each. */
async function findOrders(table: Table, { folio: id, email, phone, limit }: Sought): Promise<OrderList> {
  const order = id && (await getOrderOfAnyClient(table, id));
  if (order) return { orders: [order], hasMore: false };
  const users = [
    ...(email ? await usersByEmail(table, email) : []),
    ...(phone ? await usersByPhone(table, phone) : []),
  ];
  const views = users
    .filter(({ role }) => role === 'patient')
    .map((patient) => ({ clientId: patient.clientId, viewer: patientViewer(patient.id), limit }));
  const pages = await Promise.all(views.map((view) => latestOrders(table, view)));
  const found = pages.flatMap(({ orders }) => orders);
  const latestFirst = found.sort((one, other) => other.createdAt.localeCompare(one.createdAt) || other.id - one.id);
  return { orders: latestFirst.slice(0, limit), hasMore: pages.reduce((sum, { count }) => sum + count, 0) > limit };
}

export const orderListCommands: readonly Command[] = [ordersList, ordersFind];
