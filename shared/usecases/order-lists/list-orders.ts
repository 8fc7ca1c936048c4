import type { Position } from '../../api/lists.ts';
import type { OrderListItem } from '../../api/orders/order-list.ts';
import { formatCents } from '../../domain/money.ts';
import { patientOrderStatus } from '../../domain/order.ts';
import type { Role } from '../../domain/person.ts';
import { readOrderPage } from '../../store/order-lists/order-page.ts';
import type { Order } from '../../store/orders/order.ts';
import { joinName } from '../../store/people/person.ts';
import { type Deps, type ListedOrders, type Reader, selectOrders, toPosition } from './order-selection.ts';

/**
 * Lists the orders that match the query and that the caller may see, with the exact count of all matches, and the position
 * of the last one if more follow a page that is read by cursor.
 */
export async function listOrders(
  query: ListedOrders,
  caller: Reader,
  deps: Deps,
): Promise<{ count: number; results: OrderListItem[]; last?: Position | undefined }> {
  const selection = await selectOrders(query, caller, deps);
  if (!selection) return { count: 0, results: [] };
  const { count, orders, size } = await readOrderPage(deps.table, selection);
  const shown = orders.slice(0, query.limit);
  const last = size > query.limit ? shown.at(-1) : undefined;
  const results = shown.map((order) => representListed(order, caller.user.role));
  return { count, results, last: last && toPosition(last, query) };
}

function representListed(order: Order, reader: Role): OrderListItem {
  const { patient, paymentMethod, coupon } = order;
  // A doctor sees no address but one that came with the order.
  const shipping = reader === 'doctor' && !order.isShippingSent ? null : order.shipping;
  return {
    id: order.id,
    created_at: order.createdAt,
    order_status: order.orderStatus,
    patient_order_status: patientOrderStatus(order.orderStatus),
    patient: joinName(patient),
    payment_status: order.paymentStatus,
    products_count: order.lines.length,
    details: order.lines.map(({ defaultImage, quantity }) => ({ default_image: defaultImage, quantity })),
    shipping: shipping && {
      street: shipping.street,
      exterior_number: shipping.exterior_number,
      city: shipping.city,
    },
    payment_method: paymentMethod.name,
    coupon: coupon?.code ?? null,
    total: formatCents(order.totalCents),
    origin: order.origin,
    tags: '',
    subscription: null,
    expected_delivery_date: order.expectedDeliveryDate,
    max_delivery_date: order.maxDeliveryDate,
  };
}
