import type { Position } from '../../api/lists.ts';
import { ORDER_PARTS } from '../../api/orders/order-parts.ts';
import type { Order as OrderAnswer } from '../../api/orders/orders.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { UserRecord } from '../../people/users.ts';
import { creationKey, patientViewer } from '../../store/keys.ts';
import type { Table } from '../../store/table.ts';
import { WHOLE_VIEW } from '../lists/delivery-delays.ts';
import { latestOfViews } from '../lists/order-page.ts';
import { representIncluding } from './included.ts';
import type { Sources } from './order.ts';

const ORDERS = 50;
// Lambda's answers end at 6 MB with their quotes escaped, and an order of 50 lines has 150 KB.
const MOST_CHARACTERS = 3_000_000;

/** Returns some orders of a patient behind a position, with all of their parts, newest first; none of another user. */
export async function exportOrders(
  user: UserRecord,
  after: Position,
  { table, ...sources }: Sources & { readonly table: Table },
): Promise<{ readonly orders: OrderAnswer[]; readonly last: Position | undefined }> {
  if (user.role !== 'patient') return { orders: [], last: undefined };
  const view = { clientId: user.clientId, viewer: patientViewer(user.id) };
  const found = await latestOfViews(table, [view], { range: toRange(after), limit: ORDERS });
  const orders: OrderAnswer[] = [];
  let characters = 0;
  for (const order of found.orders) {
    const answer = await representIncluding(order, user, { ...sources, include: ORDER_PARTS });
    characters += JSON.stringify(answer).length;
    if (orders.length > 0 && characters > MOST_CHARACTERS) break;
    orders.push(answer);
  }
  const last = found.hasMore || orders.length < found.orders.length ? orders.at(-1) : undefined;
  return { orders, last: last && [last.created_at, last.id] };
}

function toRange([createdAt, id]: Position) {
  if (createdAt === undefined) return WHOLE_VIEW;
  if (typeof createdAt === 'string' && typeof id === 'number')
    return { ...WHOLE_VIEW, until: creationKey(createdAt, id - 1) };
  throw new Refusal('invalid_input', { errors: [{ path: ['cursor'], code: 'cursor_unknown' }] });
}
