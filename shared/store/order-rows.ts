import { foldText } from '../domain/text.ts';
import { creationKey, viewPartition } from './keys.ts';
import { type Order, type Viewer, viewersOf } from './orders.ts';
import type { Write } from './table.ts';

/** What lists filter, search and order orders by. Dates are UTC instants; `searchName` is folded. */
export type OrderEntry = {
  readonly id: number;
  readonly createdAt: string;
  readonly orderStatus: Order['header']['orderStatus'];
  readonly paymentStatus: Order['header']['paymentStatus'];
  readonly patientId: number;
  readonly searchName: string;
  readonly expectedDeliveryDate: string | null;
  readonly maxDeliveryDate: string | null;
};

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
export function rowOf({ header, lines }: Order, viewer: Viewer): OrderRow {
  const { patient } = header;
  const shipping = viewer.startsWith('doctor') && !header.isShippingSent ? null : header.shipping;
  const patientName = [patient.firstName, patient.lastName, patient.secondLastName].filter(Boolean).join(' ');
  return {
    id: header.id,
    createdAt: header.createdAt,
    orderStatus: header.orderStatus,
    paymentStatus: header.paymentStatus,
    patientId: patient.id,
    searchName: foldText(patientName),
    expectedDeliveryDate: header.expectedDeliveryDate,
    maxDeliveryDate: header.maxDeliveryDate,
    patientName,
    lines: lines.map(({ defaultImage, quantity }) => ({ defaultImage, quantity })),
    shipping: shipping && {
      street: shipping.street,
      exteriorNumber: shipping.exteriorNumber,
      city: shipping.city,
    },
    paymentMethod: header.paymentMethod.name,
    couponCode: header.coupon?.code ?? null,
    totalCents: header.totalCents,
    origin: header.origin,
  };
}

/** The writes that put an order as it is into each of its views, in place of what was there. */
export function rowWrites(order: Order): Write[] {
  return viewersOf(order.header).map((viewer) => {
    const row = rowOf(order, viewer);
    return { Put: { Item: { ...rowKeys(order.header.clientId, viewer, row), ...row } } };
  });
}

function rowKeys(client: number, viewer: Viewer, row: OrderRow): Record<string, string> {
  const created = creationKey(row.createdAt, row.id);
  return {
    pk: viewPartition(client, viewer),
    sk: created,
    creationKey: created,
    orderStatusKey: `${row.orderStatus}#${created}`,
    paymentStatusKey: `${row.paymentStatus}#${created}`,
  };
}
