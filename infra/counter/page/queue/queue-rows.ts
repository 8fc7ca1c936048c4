import { ORDER_STATUS_TEXTS } from '../../../../shared/messages/status-texts.ts';
import { isFinished, ORDER_STATUSES } from '../../../../shared/order/rules/status.ts';
import type { OrderWait } from '../../../../shared/order/rules/waits.ts';
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
  refunded: 'Reembolsada',
  payment: 'Pago',
  refund: 'Reembolso',
  invoice: 'Factura',
};

/** A part of the queue, to which it can be limited. */
export type QueueFilter = { readonly name: string; has(order: QueueOrder): boolean };

export const DUE: QueueFilter = { name: 'Para hoy', has: ({ is_due }) => is_due };
export const ALL: QueueFilter = { name: 'Todas', has: () => true };

export const FILTERS: readonly QueueFilter[] = [
  DUE,
  ALL,
  ...ORDER_STATUSES.filter((status) => !isFinished(status)).map((status) => ({
    name: ORDER_STATUS_TEXTS[status].es,
    has: ({ order_status }: QueueOrder) => order_status === status,
  })),
  { name: 'Por reembolsar', has: ({ waits_for }) => waits_for.includes('refund') },
];

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

/** Returns the orders that an earlier queue did not have, those only that were created since its newest, the newest last. */
export function findArrived(before: readonly QueueOrder[], after: readonly QueueOrder[]): QueueOrder[] {
  const known = new Set(before.map(({ id }) => id));
  const newest = before.reduce((latest, { created_at }) => (created_at > latest ? created_at : latest), '');
  return after.filter(({ id, created_at }) => !known.has(id) && created_at >= newest).sort(byCreation);
}
