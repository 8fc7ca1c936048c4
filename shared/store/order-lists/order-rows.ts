import { foldText } from '../../domain/text.ts';
import { creationKey, entryPartition, statusKey, type Viewer, viewerKind, viewPartition } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { listViewers } from '../orders/orders.ts';
import type { Item, Write } from '../table.ts';
import { entryItem, type OrderEntry } from './order-entries.ts';

/** An order as a list shows it; the total in cents. */
export type OrderRow = OrderEntry & {
  readonly patientName: string;
  readonly lines: readonly { readonly defaultImage: string | null; readonly quantity: number }[];
  readonly shipping: { readonly street: string; readonly exteriorNumber: string; readonly city: string } | null;
  readonly paymentMethod: string;
  readonly couponCode: string | null;
  readonly totalCents: number;
  readonly origin: string;
};

/** The row of an order in one of its views; a doctor's has no address but one that came with the order. */
function toRow(order: Order, viewer: Viewer): OrderRow {
  const { patient } = order;
  const shipping = viewerKind(viewer) === 'doctor' && !order.isShippingSent ? null : order.shipping;
  const patientName = [patient.firstName, patient.lastName, patient.secondLastName].filter(Boolean).join(' ');
  return {
    id: order.id,
    createdAt: order.createdAt,
    orderStatus: order.orderStatus,
    paymentStatus: order.paymentStatus,
    patientId: patient.id,
    searchName: foldText(patientName),
    expectedDeliveryDate: order.expectedDeliveryDate,
    maxDeliveryDate: order.maxDeliveryDate,
    patientName,
    lines: order.lines.map(({ defaultImage, quantity }) => ({ defaultImage, quantity })),
    shipping: shipping && {
      street: shipping.street,
      exteriorNumber: shipping.exterior_number,
      city: shipping.city,
    },
    paymentMethod: order.paymentMethod.name,
    couponCode: order.coupon?.code ?? null,
    totalCents: order.totalCents,
    origin: order.origin,
  };
}

/** The items of an order in one view: its row, and its entry, which is a short form of the row. */
export type ListItems = { readonly row: Item; readonly entry: Item };

export function listItems(order: Order, viewer: Viewer): ListItems {
  const client = order.clientId;
  const row = toRow(order, viewer);
  return { row: { ...rowKeys(client, viewer, row), ...row }, entry: entryItem(entryPartition(client, viewer), row) };
}

/** The writes that put an order as it is into each of its views, in place of what was there. */
export function rowWrites(order: Order): Write[] {
  return listViewers(order).flatMap((viewer) => {
    const { row, entry } = listItems(order, viewer);
    return [{ Put: { Item: row } }, { Put: { Item: entry } }];
  });
}

function rowKeys(client: number, viewer: Viewer, row: OrderRow): Record<string, string> {
  const created = creationKey(row.createdAt, row.id);
  return {
    pk: viewPartition(client, viewer),
    sk: created,
    orderStatusKey: statusKey(row.orderStatus, created),
    paymentStatusKey: statusKey(row.paymentStatus, created),
  };
}

/** The row of a view that an item is, without its keys. */
export function rowOfItem({ pk: _, sk: __, orderStatusKey: ___, paymentStatusKey: ____, ...row }: Item): OrderRow {
  return row as OrderRow;
}
