import type { OrderListItem } from '../../api/orders/order-list.ts';
import type { ListedPart } from '../../api/orders/order-parts.ts';
import type { Role } from '../../people/rules/roles.ts';
import type { Order } from '../order.ts';
import { formatFolio } from '../rules/status.ts';

export type Reader = { readonly id: number; readonly role: Role };

/** A doctor sees the address only if it came with the order. */
export const seesShipping = ({ isShippingSent }: Order, { role }: Reader): boolean =>
  role !== 'doctor' || isShippingSent;

/** Empty for readers who may not see the address, since a tracking number leads to it. */
export const representShipments = (order: Order, reader: Reader): NonNullable<OrderListItem['shipments']> =>
  (seesShipping(order, reader) ? (order.shipments ?? []) : []).map(
    ({ carrier, trackingNumber, trackingUrl, shippedAt }) => ({
      carrier,
      tracking_number: trackingNumber,
      tracking_url: trackingUrl,
      shipped_at: shippedAt,
    }),
  );

export function representListedParts(
  order: Order,
  reader: Reader,
  include: readonly ListedPart[] = [],
): Partial<Pick<OrderListItem, ListedPart | 'folio'>> {
  const asks = (part: ListedPart): boolean => include.includes(part);
  return {
    ...(asks('lines') && { folio: formatFolio(order.id), lines: order.lines.map(representLine) }),
    ...(asks('shipments') && { shipments: representShipments(order, reader) }),
    ...(asks('comments') && { comments: order.comments }),
  };
}

const representLine = ({ productId: product, name, presentation, quantity }: Order['lines'][number]) => {
  return { product, name, presentation, quantity };
};
