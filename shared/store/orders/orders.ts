import type { Role } from '../../domain/role.ts';
import { doctorViewer, orderKey, patientViewer, type Viewer } from '../keys.ts';
import { parseItem } from '../parse-item.ts';
import type { Item, Table } from '../table.ts';
import { type Order, storedOrder } from './order.ts';

const VIEWER: Readonly<Record<Role, (id: number) => Viewer>> = {
  patient: patientViewer,
  doctor: doctorViewer,
  insurance_employee: () => 'client',
};
/** Whose view of the client's orders a user has. */
export const toViewer = (user: { readonly id: number; readonly role: Role }): Viewer => VIEWER[user.role](user.id);

/** A patient sees their own orders, a doctor those they created, the client's insurance employees all of them. */
export const listViewers = ({ patient, generatedBy }: Order): Viewer[] => [
  'client',
  patientViewer(patient.id),
  ...(generatedBy.role === 'doctor' ? [doctorViewer(generatedBy.id)] : []),
];

/**
 * An order is one item: it is read and replaced whole, so that it is never half an order. With 50 lines and 10
 * prescriptions it has some 30 KB of the 400 that an item may have. It says who may see it, which makes its owner a part
 * of the query that reads it.
 */
export const orderItem = (order: Order): Item => ({
  ...orderKey(order.clientId, order.id),
  ...order,
  viewers: listViewers(order),
});

/** The order of a stored item. Throws InvalidItem. */
export const parseOrder = (item: Item): Order => parseItem(storedOrder, item, 'order');

/** The next version of an order, with these changes. */
export const nextVersion = (before: Order, changes: Partial<Order>): Order => ({
  ...before,
  ...changes,
  version: before.version + 1,
});

/** One order of a client, whoever looks; one read. */
export async function getOrder(
  table: Table,
  { clientId, id }: Pick<Order, 'clientId' | 'id'>,
): Promise<Order | undefined> {
  const item = await table.get(orderKey(clientId, id));
  return item && parseOrder(item);
}

/** One order of a client with all that belongs to it, if this viewer may see it; one query of one partition. */
export async function findOrder(
  table: Table,
  asked: { clientId: number; id: number; viewer: Viewer },
): Promise<Order | undefined> {
  const { pk } = orderKey(asked.clientId, asked.id);
  const mayBeSeen = { filter: 'contains(viewers, :viewer)', values: { ':viewer': asked.viewer } };
  const [item] = await table.all({ pk, ...mayBeSeen });
  return item && parseOrder(item);
}
