import type { OrderStatus } from '../../../../../shared/domain/order.ts';
import type { OrderWait } from '../../../../../shared/domain/order-waits.ts';
import type { DocumentOf } from '../../server/counter-commands.ts';

export type QueueOrder = DocumentOf<'orders-list'>['orders'][number];

export const WAIT_TEXTS: Readonly<Record<OrderWait, string>> = {
  prescription: 'Receta',
  verification: 'Verificar receta',
  approval: 'Aprobación',
  stock: 'Existencias',
  preparation: 'Surtido',
  shipment: 'Envío',
  receipt: 'Entrega',
  payment: 'Pago',
  refund: 'Reembolso',
  invoice: 'Factura',
};

/** A filter of the queue: orders due now, all, those that wait for a refund, or the open ones of one status. */
export type QueueFilter = 'due' | 'all' | 'refund' | OrderStatus;

/** Puts open orders and refunds into one queue, what is due first at its head; an order that moved meanwhile stands once. */
export function joinQueue(open: readonly QueueOrder[], refunds: readonly QueueOrder[]): QueueOrder[] {
  const byId = new Map([...open, ...refunds].map((order) => [order.id, order]));
  return [...byId.values()].sort(byDueTime);
}

function byDueTime(one: QueueOrder, other: QueueOrder): number {
  if (one.due_at === other.due_at) return one.id - other.id;
  return one.due_at < other.due_at ? -1 : 1;
}

const byCreation = (one: QueueOrder, other: QueueOrder): number => (one.created_at < other.created_at ? -1 : 1);

export const filterQueue = (queue: readonly QueueOrder[], filter: QueueFilter): QueueOrder[] =>
  queue.filter((order) => isShown(order, filter));

function isShown({ is_due, order_status, waits_for }: QueueOrder, filter: QueueFilter): boolean {
  if (filter === 'all') return true;
  if (filter === 'due') return is_due;
  return filter === 'refund' ? waits_for.includes('refund') : order_status === filter;
}

/** Returns the orders that an earlier queue did not have, those only that were created since its newest, the newest last. */
export function findArrived(before: readonly QueueOrder[], after: readonly QueueOrder[]): QueueOrder[] {
  const known = new Set(before.map(({ id }) => id));
  const newest = before.reduce((latest, { created_at }) => (created_at > latest ? created_at : latest), '');
  return after.filter(({ id, created_at }) => !known.has(id) && created_at >= newest).sort(byCreation);
}

/** Returns the order to which a step leads from the selected one; the first one if that is not shown. */
export function stepFrom(
  shown: readonly QueueOrder[],
  selected: number | undefined,
  step: 1 | -1,
): QueueOrder | undefined {
  const at = shown.findIndex(({ id }) => id === selected);
  if (at < 0) return shown[0];
  return shown[Math.min(Math.max(at + step, 0), shown.length - 1)];
}
