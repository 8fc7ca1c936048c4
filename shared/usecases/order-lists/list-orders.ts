import type { OrderListItem, OrdersQuery } from '../../api/orders/order-list.ts';
import { formatCents } from '../../domain/money.ts';
import { ORDER_STATUSES, PAYMENT_STATUSES, patientOrderStatus } from '../../domain/order.ts';
import type { Role } from '../../domain/role.ts';
import { splitSearch } from '../../domain/text.ts';
import { toInstant } from '../../domain/working-day.ts';
import type { Business } from '../../runtime/business.ts';
import { readOrderPage } from '../../store/order-lists/order-page.ts';
import type { DateBound, OrderSelection } from '../../store/order-lists/selection.ts';
import type { Order } from '../../store/orders/order.ts';
import { toViewer } from '../../store/orders/viewers.ts';
import { joinName } from '../../store/people/person.ts';
import type { Table } from '../../store/table.ts';
import type { UserCaller } from '../access/authenticate.ts';

type Reader = Pick<UserCaller, 'client'> & { readonly user: Pick<UserCaller['user'], 'id' | 'role'> };
type Deps = { readonly table: Table; readonly business: Business };

/** Lists the orders that match the query and that the caller may see, with the exact count of all matches. */
export async function listOrders(
  query: OrdersQuery,
  caller: Reader,
  { table, business }: Deps,
): Promise<{ count: number; results: OrderListItem[] }> {
  const { count, orders } = await readOrderPage(table, toSelection(query, caller, business));
  return { count, results: orders.map((order) => representListed(order, caller.user.role)) };
}

function toSelection(query: OrdersQuery, { client, user }: Reader, { timeZone }: Business): OrderSelection {
  const { order_status__in: included, exclude_order_status__in: excluded, payment_status__in: payments } = query;
  return {
    clientId: client.id,
    viewer: toViewer(user),
    patientId: query.patient,
    orderStatuses: (included || excluded) && ORDER_STATUSES.filter(isAmong(included, excluded)),
    paymentStatuses: payments && PAYMENT_STATUSES.filter(isAmong(payments)),
    nameWords: splitSearch(query.search),
    dateBounds: dateBounds(query, timeZone),
    ordering: query.ordering.map(({ field, descending }) => ({ field: ORDERED[field], isDescending: descending })),
    offset: (query.page - 1) * query.limit,
    limit: query.limit,
  };
}

const isAmong =
  <Status>(included: readonly Status[] | undefined, excluded: readonly Status[] = []) =>
  (status: Status): boolean =>
    (included?.includes(status) ?? true) && !excluded.includes(status);

const ORDERED = { created_at: 'createdAt', expected_delivery_date: 'expectedDeliveryDate' } as const;

/**
 * Returns the bounds in instants: `before` includes the whole day, `after` begins with it, both in the shop's time
 * zone.
 */
function dateBounds(query: OrdersQuery, timeZone: string): DateBound[] {
  const until = (field: DateBound['field'], day: string | undefined): DateBound[] =>
    day === undefined ? [] : [{ field, comparison: '<', instant: instantText(day, '24:00', timeZone) }];
  const from = (field: DateBound['field'], day: string | undefined): DateBound[] =>
    day === undefined ? [] : [{ field, comparison: '>=', instant: instantText(day, '00:00', timeZone) }];
  return [
    ...until('expectedDeliveryDate', query.expected_delivery_date_before),
    ...from('expectedDeliveryDate', query.expected_delivery_date_after),
    ...until('maxDeliveryDate', query.max_delivery_date_before),
    ...from('maxDeliveryDate', query.max_delivery_date_after),
  ];
}

// No delivery lies outside of these days, and years of three or five digits do not sort as text.
const FIRST_DAY = '1970-01-01';
const LAST_DAY = '9990-01-01';

function instantText(day: string, time: string, timeZone: string): string {
  const known = day < FIRST_DAY ? FIRST_DAY : day > LAST_DAY ? LAST_DAY : day;
  return toInstant(known, time, timeZone).toISOString();
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
