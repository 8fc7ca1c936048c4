import { type Cents, formatCents } from '../domain/money.ts';
import { refusedToOperator } from '../domain/operator-refusal.ts';
import { type SalePart, spreadAmount, sumParts, takeQuantity } from '../domain/sale-parts.ts';
import type { Order } from '../order/order.ts';

/** The part of an order to refund or credit: an amount, or lines and the shipment. */
export type AskedParts = {
  /** Spread over all that is left. */
  readonly amountCents?: Cents | undefined;
  /** Lines by their ids; without a quantity all that is left of it. A line may stand there again. */
  readonly lines?: readonly { readonly line: number; readonly quantity?: number | undefined }[];
  /** True for all that is left of the shipment. */
  readonly isShipping?: boolean;
};

/**
 * Returns the requested parts of an order; the caller has checked that the amount is left. Throws `move_not_allowed` if
 * the order has no such line, or not as much left of it.
 */
export function chooseParts(order: Order, open: readonly SalePart[], request: AskedParts): SalePart[] {
  if (request.amountCents !== undefined) return spreadAmount(open, request.amountCents);
  const remaining = new Map(open.map((part) => [part.line, part]));
  const wanted = [...(request.lines ?? []), ...(request.isShipping ? [{ line: null, quantity: undefined }] : [])];
  return wanted.map(({ line, quantity }) => {
    const part = remaining.get(line);
    if (!part) {
      const leftText = formatCents(sumParts(open));
      throw refusedToOperator('order_line_unknown', { order: order.id, line: Number(line), left: leftText });
    }
    const taken = takePart(order, part, quantity);
    remaining.set(line, { line, quantity: part.quantity - taken.quantity, cents: part.cents - taken.cents });
    return taken;
  });
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
