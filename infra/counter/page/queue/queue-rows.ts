import type { DocumentOf } from '../../server/counter-commands.ts';

export type Queue = DocumentOf<'orders-queue'>;
export type QueueOrder = Queue['orders'][number];
export type NewOrder = Queue['newest'][number];

export const TAB_LABELS: Readonly<Record<Queue['tab'], string>> = {
  due: 'Para hoy',
  verify: 'Por verificar',
  fill: 'Por surtir',
  ship: 'Por enviar',
  deliver: 'Por entregar',
  refund: 'Por reembolsar',
  all: 'Todas',
};

export const isTab = (name: string | undefined): name is Queue['tab'] => Object.hasOwn(TAB_LABELS, name ?? '');

/** Returns the orders created since the newest of an earlier queue that were not in it, newest last. */
export function findArrived(before: readonly NewOrder[], after: readonly NewOrder[]): NewOrder[] {
  const ids = new Set(before.map(({ id }) => id));
  const newest = before.reduce((latest, { created_at }) => (created_at > latest ? created_at : latest), '');
  return after
    .filter(({ id, created_at }) => !ids.has(id) && created_at >= newest)
    .sort((one, other) => one.created_at.localeCompare(other.created_at));
}
