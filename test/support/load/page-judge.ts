import type { OrderListItem } from '../../../shared/api/orders/order-list.ts';
import type { OrderStatus } from '../../../shared/domain/order.ts';

/** An order as its callers know it; times are those of `performance.now()`. */
export type KnownOrder = {
  readonly id: number;
  readonly createdAt: string;
  readonly name: string;
  readonly dueAt: string | null;
  readonly status: OrderStatus;
  readonly begunAt: number;
  readonly answeredAt: number;
  cancelling?: { readonly begunAt: number; answeredAt: number };
};

/** A list, and which orders belong to it apart from their statuses. */
export type JudgedList = {
  readonly query: string;
  readonly statuses?: readonly OrderStatus[];
  readonly has: (order: KnownOrder) => boolean;
};

/** A page that was read, the newest orders first. */
export type ReadPage = {
  readonly list: JudgedList;
  readonly page: number;
  readonly limit: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly count: number;
  readonly results: readonly OrderListItem[];
  readonly next: string | null;
};

/** Returns the statuses that an order had at some moment while a page was read. */
function statusesDuring({ status, cancelling }: KnownOrder, { startedAt, endedAt }: ReadPage): OrderStatus[] {
  if (!cancelling || cancelling.begunAt > endedAt) return [status];
  return cancelling.answeredAt < startedAt ? ['cancelled'] : [status, 'cancelled'];
}

const toSortKey = (createdAt: string, id: number): string => `${createdAt} ${String(id).padStart(15, '0')}`;

/** Returns what contradicts every moment between the start and the end of a page. */
export function judgePage(read: ReadPage, orders: readonly KnownOrder[]): string[] {
  const { list, page, limit, count, results, next, startedAt, endedAt } = read;
  const isWanted = (status: OrderStatus) => list.statuses?.includes(status) ?? true;
  const began = orders.filter((order) => list.has(order) && order.begunAt < endedAt);
  const possible = began.filter((order) => statusesDuring(order, read).some(isWanted));
  const certain = began.filter((order) => order.answeredAt < startedAt && statusesDuring(order, read).every(isWanted));

  const keys = results.map(({ created_at, id }) => toSortKey(created_at, id));
  const byId = new Map(possible.map((order) => [order.id, order]));
  const isOf = ({ id, order_status }: OrderListItem) => {
    const order = byId.get(id);
    return order !== undefined && isWanted(order_status) && statusesDuring(order, read).includes(order_status);
  };
  // The page covers what is between its ends, and beyond them if nothing comes before or after it.
  const newest = page === 1 ? '~' : (keys[0] ?? '');
  const oldest = next === null ? '' : (keys.at(-1) ?? '~');
  const shown = new Set(results.map(({ id }) => id));
  const isMissing = ({ createdAt, id }: KnownOrder) => {
    const key = toSortKey(createdAt, id);
    return key <= newest && key >= oldest && !shown.has(id);
  };
  const missing = certain.filter(isMissing).map(({ id }) => id);
  const ahead = (known: readonly KnownOrder[]) =>
    known.filter(({ createdAt, id }) => toSortKey(createdAt, id) > newest).length;
  const offset = (page - 1) * limit;

  return Object.entries({
    'shows an order twice': shown.size !== results.length,
    'is not sorted': keys.some((key, index) => index > 0 && key > (keys[index - 1] ?? '')),
    'shows an order that does not belong to it': !results.every(isOf),
    [`lacks ${missing.length} orders, ${missing[0]} among them`]: missing.length > 0,
    [`counts ${count} of ${certain.length} to ${possible.length}`]: count < certain.length || count > possible.length,
    'is not full': results.length < limit && next !== null,
    [`is not at ${offset}`]: !list.statuses && (ahead(certain) > offset || ahead(possible) < offset),
  }).flatMap(([fault, isSo]) => (isSo ? [`${list.query} page ${page} ${fault}`] : []));
}
