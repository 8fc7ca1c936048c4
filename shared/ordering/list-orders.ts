import * as z from 'zod';
import type { UserCaller } from '../access/authenticate.ts';
import type { Position } from '../api/lists.ts';
import type { OrderListItem, OrdersQuery } from '../api/orders/order-list.ts';
import { formatCents } from '../domain/money.ts';
import { Refusal } from '../domain/refusal.ts';
import { splitSearch } from '../domain/text.ts';
import { toInstant } from '../domain/working-day.ts';
import { type Reader, representListedParts, seesShipping } from '../order/answers/parts.ts';
import type { DateBound } from '../order/lists/delivery-delays.ts';
import { type OrderSelection, type Place, readOrderPage } from '../order/lists/order-page.ts';
import { type Order, toViewer } from '../order/order.ts';
import { ORDER_STATUSES, PAYMENT_STATUSES, patientOrderStatus } from '../order/rules/status.ts';
import { joinName } from '../people/person.ts';
import { markedPatient } from '../people/users.ts';
import type { Business } from '../runtime/config.ts';
import { emailKey, phoneKey } from '../store/keys.ts';
import type { Table } from '../store/table.ts';

type Caller = Pick<UserCaller, 'client'> & { readonly user: Reader };
type Deps = { readonly table: Table; readonly business: Business };

type ListedOrders = OrdersQuery & { readonly after?: Position };

const ORDERED = { created_at: 'createdAt', expected_delivery_date: 'expectedDeliveryDate' } as const;

/** Lists the matching orders that the caller may see, with their exact count, and the last position if more follow by cursor. */
export async function listOrders(
  query: ListedOrders,
  caller: Caller,
  deps: Deps,
): Promise<{ count: number; results: OrderListItem[]; last?: Position | undefined }> {
  const selection = await selectOrders(query, caller, deps);
  if (!selection) return { count: 0, results: [] };
  const { count, orders, size } = await readOrderPage(deps.table, selection);
  const shown = orders.slice(0, query.limit);
  const last = size > query.limit ? shown.at(-1) : undefined;
  const results = shown.map((order) => ({
    ...representListed(order, caller.user),
    ...representListedParts(order, caller.user, query.include),
  }));
  return { count, results, last: last && toPosition(last, query) };
}

function representListed(order: Order, reader: Reader): OrderListItem {
  const { patient, paymentMethod, coupon } = order;
  const shipping = seesShipping(order, reader) ? order.shipping : null;
  return {
    id: order.id,
    created_at: order.createdAt,
    order_status: order.orderStatus,
    patient_order_status: patientOrderStatus(order.orderStatus),
    patient: joinName(patient),
    payment_status: order.paymentStatus,
    products_count: order.lines.length,
    details: order.lines.map(({ defaultImage, quantity }) => ({ default_image: defaultImage, quantity })),
    shipping: shipping && { street: shipping.street, exterior_number: shipping.exterior_number, city: shipping.city },
    payment_method: paymentMethod.name,
    coupon: coupon?.code ?? null,
    total: formatCents(order.totalCents),
    origin: order.origin,
    tags: order.tags.join(','),
    subscription: null,
    expected_delivery_date: order.expectedDeliveryDate,
    max_delivery_date: order.maxDeliveryDate,
  };
}

/** Undefined if no order can match. */
async function selectOrders(
  query: ListedOrders,
  { client, user }: Caller,
  { table, business: { timeZone } }: Deps,
): Promise<OrderSelection | undefined> {
  const nameWords = splitSearch(query.search);
  if (!nameWords) return undefined;
  // A doctor sees only phones that they sent, and must not find out others by a filter.
  const { phone, ...others } = query;
  const isDoctor = user.role === 'doctor';
  const patientId = await findPatient(isDoctor ? others : query, client.id, table);
  if (patientId === 'nobody') return undefined;
  const { order_status__in: included, exclude_order_status__in: excluded, payment_status__in: payments } = query;
  return {
    clientId: client.id,
    viewer: toViewer(user),
    orderId: query.folio,
    patientId,
    sentPhone: isDoctor ? phone : undefined,
    storeId: query.store,
    insuranceRefundStatus: query.insurance_refund_status,
    orderStatuses: (included || excluded) && ORDER_STATUSES.filter(isAmong(included, excluded)),
    paymentStatuses: payments && PAYMENT_STATUSES.filter(isAmong(payments)),
    nameWords,
    dateBounds: dateBounds(query, timeZone),
    ordering: query.ordering.map(({ field, descending }) => ({ field: ORDERED[field], isDescending: descending })),
    offset: (query.page - 1) * query.limit,
    // One order more shows whether any follow.
    limit: query.after ? query.limit + 1 : query.limit,
    after: query.after?.length ? parsePlace(query.after, query) : undefined,
  };
}

const toPosition = (order: Order, { ordering }: OrdersQuery): Position => [
  ...ordering.map(({ field }) => order[ORDERED[field]]),
  order.id,
];

const instant = z.iso.datetime({ precision: 3 });
const place = z.object({
  createdAt: instant.exactOptional(),
  expectedDeliveryDate: instant.nullable().exactOptional(),
  id: z.int().positive(),
});

/** Cursors are not signed. Throws `invalid_input`. */
function parsePlace(position: Position, { ordering }: OrdersQuery): Place {
  const fields = Object.fromEntries(ordering.map(({ field }, index) => [ORDERED[field], position[index]]));
  const { data } = place.safeParse({ ...fields, id: position.at(-1) });
  if (!data) throw new Refusal('invalid_input', { errors: [{ path: ['cursor'], code: 'cursor_unknown' }] });
  return data;
}

/** Returns the patient whom all given filters name; undefined without such filters. */
async function findPatient(
  { patient, email, phone }: Pick<OrdersQuery, 'patient' | 'email' | 'phone'>,
  clientId: number,
  table: Table,
): Promise<number | 'nobody' | undefined> {
  const named = await Promise.all([
    ...(patient === undefined ? [] : [patient]),
    ...(email === undefined ? [] : [markedPatient(table, emailKey(clientId, email))]),
    ...(phone === undefined ? [] : [markedPatient(table, phoneKey(clientId, phone))]),
  ]);
  if (named.length === 0) return undefined;
  const [id = 'nobody'] = named;
  return named.every((other) => other === id) ? id : 'nobody';
}

const isAmong =
  <Status>(included: readonly Status[] | undefined, excluded: readonly Status[] = []) =>
  (status: Status): boolean =>
    (included?.includes(status) ?? true) && !excluded.includes(status);

const DATES = [
  ['createdAt', 'created_at'],
  ['expectedDeliveryDate', 'expected_delivery_date'],
  ['maxDeliveryDate', 'max_delivery_date'],
] as const;

/** Bounds in the shop's time zone: `before` includes the whole day, `after` starts with it. */
const dateBounds = (query: OrdersQuery, timeZone: string): DateBound[] =>
  DATES.flatMap(([field, name]) => {
    const [until, from] = [query[`${name}_before`], query[`${name}_after`]];
    return [
      ...(until === undefined ? [] : [{ field, comparison: '<', instant: toBound(until, '24:00', timeZone) } as const]),
      ...(from === undefined ? [] : [{ field, comparison: '>=', instant: toBound(from, '00:00', timeZone) } as const]),
    ];
  });

// No order or delivery lies outside these days, and years of three or five digits do not sort as text.
const FIRST_DAY = '1970-01-01';
const LAST_DAY = '9990-01-01';

function toBound(day: string, time: string, timeZone: string): string {
  const bounded = day < FIRST_DAY ? FIRST_DAY : day > LAST_DAY ? LAST_DAY : day;
  return toInstant(bounded, time, timeZone).toISOString();
}
