import { type Cents, formatCents } from '../domain/money.ts';
import { refusedToOperator } from '../domain/operator-refusal.ts';
import { type SalePart, spreadAmount, sumParts, takeQuantity } from '../domain/sale-parts.ts';
import type { Order } from '../order/order.ts';

/** The part of an order to refund or credit: an amount spread over what remains, all of it, or lines and the shipment. */
export type PartsRequest = {
  readonly amountCents?: Cents | undefined;
  readonly isAll?: boolean;
  /** Lines by their ids, the whole remainder without a quantity. A line may appear more than once. */
  readonly lines?: readonly { readonly line: number; readonly quantity?: number | undefined }[];
  readonly isShipping?: boolean;
};

/** Returns the requested parts of an order. Throws `move_not_allowed` if a line is unknown or less of it remains. */
export function chooseParts(order: Order, open: readonly SalePart[], request: PartsRequest): SalePart[] {
  if (request.amountCents !== undefined) return spreadAmount(open, request.amountCents);
  if (request.isAll) return takeAll(order, open);
  const remaining = new Map(open.map((part) => [part.line, part]));
  const requests = [...(request.lines ?? []), ...(request.isShipping ? [{ line: null, quantity: undefined }] : [])];
  return requests.map(({ line, quantity }) => {
    const part = remaining.get(line);
    if (!part) {
      const left = formatCents(sumParts(open));
      throw refusedToOperator('order_line_unknown', { order: order.id, line: Number(line), left });
    }
    const taken = takePart(order, part, quantity);
    remaining.set(line, { line, quantity: part.quantity - taken.quantity, cents: part.cents - taken.cents });
    return taken;
  });
}

function takeAll({ id: order }: Order, open: readonly SalePart[]): SalePart[] {
  const parts = open.filter(({ cents }) => cents > 0);
  if (parts.length === 0) throw refusedToOperator('nothing_left', { order });
  return parts;
}

function takePart({ id: order }: Order, open: SalePart, quantity = open.quantity): SalePart {
  if (open.line !== null && (quantity > open.quantity || quantity === 0)) {
    throw refusedToOperator('order_line_too_large', { order, line: open.line, left: open.quantity });
  }
  const taken = open.line === null ? open : takeQuantity(open, quantity);
  if (taken.cents > 0) return taken;
  if (open.line === null) throw refusedToOperator('order_shipping_free', { order });
  throw refusedToOperator('order_line_free', { order, line: open.line });
}
