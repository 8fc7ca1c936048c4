import type { OrderStatus } from '../../../../shared/order/rules/status.ts';
import type { DocumentOf } from '../../server/counter-commands.ts';

export type QueueOrder = DocumentOf<'orders-list'>['orders'][number];

/** A part of the queue, to which it can be limited; `value` stands in the address. */
export type QueueTab = { readonly value: string; readonly label: string; has(order: QueueOrder): boolean };

export const DUE: QueueTab = { value: 'due', label: 'Para hoy', has: ({ is_due }) => is_due };
export const ALL: QueueTab = { value: 'all', label: 'Todas', has: () => true };

const inStatus =
  (...statuses: readonly OrderStatus[]) =>
  ({ order_status: status }: QueueOrder): boolean =>
    statuses.includes(status);
const isReady = inStatus('ready');
const isShipped = inStatus('shipped');

/** The parts of the day's work, in the order of an order's way; each open order is in one of them. */
export const TABS: readonly QueueTab[] = [
  DUE,
  { value: 'verify', label: 'Por verificar', has: inStatus('quoted', 'pending_approval') },
  { value: 'fill', label: 'Por surtir', has: inStatus('approved', 'in_process', 'shortage', 'delayed') },
  { value: 'ship', label: 'Por enviar', has: (order) => isReady(order) && order.store === null },
  {
    value: 'deliver',
    label: 'Por entregar',
    has: (order) => isShipped(order) || (isReady(order) && order.store !== null),
  },
  { value: 'refund', label: 'Por reembolsar', has: ({ waits_for }) => waits_for.includes('refund') },
  ALL,
];

/** The stores of the orders, by name, to one of which the queue can be limited. */
export function listStores(
  orders: readonly QueueOrder[],
): readonly { readonly value: string; readonly label: string }[] {
  const names = new Map(orders.flatMap(({ store }) => (store ? [[String(store.id), store.name]] : [])));
  return [...names].map(([value, label]) => ({ value, label })).sort((one, other) => compare(one.label, other.label));
}

/** Merges open orders and refunds by due time; an order that is in both, as it has just moved, appears once. */
export function joinQueue(open: readonly QueueOrder[], refunds: readonly QueueOrder[]): QueueOrder[] {
  const byId = new Map([...open, ...refunds].map((order) => [order.id, order]));
  return [...byId.values()].sort((one, other) => compare(one.due_at, other.due_at) || one.id - other.id);
}

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** Returns the orders created since the newest of an earlier queue that were not in it, newest last. */
export function findArrived(before: readonly QueueOrder[], after: readonly QueueOrder[]): QueueOrder[] {
  const ids = new Set(before.map(({ id }) => id));
  const newest = before.reduce((latest, { created_at }) => (created_at > latest ? created_at : latest), '');
  return after
    .filter(({ id, created_at }) => !ids.has(id) && created_at >= newest)
    .sort((one, other) => compare(one.created_at, other.created_at));
}
