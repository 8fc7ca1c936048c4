import type { OrderStatus, PaymentStatus } from '../../domain/order.ts';
import type { Table } from '../table.ts';
import { readOrderPage } from './order-page.ts';
import type { OrderPage, View } from './selection.ts';

type Wanted = View & {
  readonly orderStatus?: OrderStatus | undefined;
  readonly paymentStatus?: PaymentStatus | undefined;
  readonly limit: number;
};

/**
 * Returns the latest orders of a view, the newest first, with the exact number of all that have these statuses. It costs
 * what the first page of a list costs, whatever the size of the view.
 */
export const latestOrders = (
  table: Table,
  { clientId, viewer, orderStatus, paymentStatus, limit }: Wanted,
): Promise<OrderPage> =>
  readOrderPage(table, {
    clientId,
    viewer,
    orderId: undefined,
    patientId: undefined,
    sentPhone: undefined,
    orderStatuses: orderStatus && [orderStatus],
    paymentStatuses: paymentStatus && [paymentStatus],
    nameWords: [],
    dateBounds: [],
    ordering: [{ field: 'createdAt', isDescending: true }],
    offset: 0,
    limit,
    after: undefined,
  });
