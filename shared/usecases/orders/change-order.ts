import type { UpdateOrderRequest } from '../../api/orders/orders.ts';
import { cancelSale } from '../../domain/invoices/cancelled-sale.ts';
import { isInProgress } from '../../domain/invoices/documents/attempts.ts';
import { ivaRateAt } from '../../domain/iva-rates.ts';
import { answersForCredit, canChangeDetails, canChangeSum, isCancellable } from '../../domain/order.ts';
import { findUncovered, type UncoveredQuantity } from '../../domain/prescriptions/coverage.ts';
import { priceBasket, sumSubtotal } from '../../domain/pricing.ts';
import { Refusal, refuseInvalid, type ValidationError } from '../../domain/refusal.ts';
import { localDate } from '../../domain/working-day.ts';
import type { Message } from '../../messages/messages.ts';
import type { RefusalCode } from '../../messages/refusals.ts';
import type { Ids } from '../../store/ids.ts';
import { type Order, toViewer } from '../../store/orders/order.ts';
import type { Act } from '../../store/orders/order-history.ts';
import { changeOrderWrites } from '../../store/orders/order-writes.ts';
import { findOrder, nextVersion } from '../../store/orders/orders.ts';
import { type Person, toPerson } from '../../store/people/person.ts';
import type { Table } from '../../store/table.ts';
import type { UserCaller } from '../access/authenticate.ts';
import { newKey } from '../invoices/issuing/invoice-attempt.ts';
import { type BasketLine, findCoupon, toPricedLines } from '../quotes/basket.ts';
import { copyLines, renewCoupon } from './order-copies.ts';
import { checkLines, type OrderContext } from './order-terms.ts';

type Changing = {
  readonly id: number;
  readonly change: UpdateOrderRequest;
  readonly caller: UserCaller;
  readonly now: Date;
};
type Deps = Pick<OrderContext, 'catalog' | 'business'> & { readonly table: Table; readonly ids: Ids };

/**
 * Replaces the products of an order or cancels it. Of two changes at once, one wins and the other is refused with
 * `order_changed_meanwhile`.
 */
export async function changeOrder({ id, change, caller, now }: Changing, deps: Deps): Promise<Order> {
  const { table } = deps;
  const clientId = caller.client.id;
  const [before, actor] = await Promise.all([
    findOrder(table, { clientId, id, viewer: toViewer(caller.user) }),
    caller.confirmed,
  ]);
  if (!before) throw new Refusal('not_found');
  const stamp = { updatedBy: toPerson(actor), updatedAt: now.toISOString() };
  const context = { ...deps, client: caller.client, now };
  const after = change.details
    ? await replaceDetails(before, change.details, stamp, context, deps.ids)
    : cancelOrder(before, stamp, now);
  await commitOrderChange(table, before, after);
  return after;
}

/** Writes the next version of an order. Throws `order_changed_meanwhile` if it was changed since it was read. */
export async function commitOrderChange(table: Table, before: Order, after: Order): Promise<void> {
  const isWritten = await table.tryTransact(changeOrderWrites(before, after));
  if (!isWritten) throw new Refusal('order_changed_meanwhile');
}

type Stamp = { readonly updatedBy: Person; readonly updatedAt: string };

const toAct = ({ updatedBy }: Stamp, now: Date): Act => ({ by: { user: updatedBy.id }, now });

function refuseUnless(isAllowed: boolean, code: RefusalCode): void {
  if (!isAllowed) throw new Refusal(code);
}

const toParties = ({ generatedBy }: Order, { updatedBy }: Stamp) => ({ user: updatedBy, placedBy: generatedBy });

/** Cancels an order with its invoice, of which settling tells the provider; what cannot be cancelled is credited. */
function cancelOrder(before: Order, stamp: Stamp, now: Date): Order {
  refuseUnless(isCancellable(before.orderStatus), 'order_not_cancellable');
  refuseUnless(before.paymentStatus !== 'credit' || answersForCredit(toParties(before, stamp)), 'order_on_credit');
  const changes = { orderStatus: 'cancelled', ...cancelSale(before, { newKey: () => newKey(before), now }) } as const;
  return nextVersion(before, { ...stamp, ...changes }, toAct(stamp, now));
}

/**
 * Prices new products at today's catalog and at today's rates of the place of the order. Shipping method, price, own discount and dates stay; the coupon is applied
 * anew.
 */
async function replaceDetails(
  before: Order,
  details: NonNullable<UpdateOrderRequest['details']>,
  stamp: Stamp,
  context: OrderContext,
  ids: Ids,
): Promise<Order> {
  refuseUnless(canChangeDetails(before.orderStatus), 'order_not_changeable');
  refuseUnless(canChangeSum(before.paymentStatus, toParties(before, stamp)), 'order_paid');
  refuseUnless(before.cfdi === '', 'order_invoiced');
  refuseUnless(!isInProgress(before.invoice), 'invoice_in_progress');
  const { value: lines, errors } = checkLines(details, context.catalog, ['details']);
  refuseInvalid([...errors, ...uncoveredErrors(before, details, context)]);
  const { coupon, amounts } = repriceLines(before, lines, context);
  const { lines: lineAmounts, ...totals } = amounts;
  const lineIds = await ids.take('record', lines.length);
  const changes = {
    ...stamp,
    ...totals,
    coupon: renewCoupon(before.coupon, coupon),
    lines: copyLines(lines, lineAmounts, lineIds),
    linesAt: stamp.updatedAt,
  };
  return nextVersion(before, changes, toAct(stamp, context.now));
}

function repriceLines(before: Order, lines: readonly BasketLine[], { catalog, business, now }: OrderContext) {
  const { ivaRates } = business;
  const zipcode = (before.store ?? before.shipping)?.zipcode ?? null;
  const basket = toPricedLines(lines, ivaRateAt(zipcode, ivaRates));
  const { coupon: found } = findCoupon(before.coupon?.code, catalog, { subtotalCents: sumSubtotal(basket), now });
  // A code that was given to another coupon is not that of the order's any more.
  const coupon = found?.id === before.coupon?.id ? found : null;
  const { shippingPriceCents: priceCents, rateDiscountCents: discountCents } = before;
  const shipping = { priceCents, discountCents, ivaRateMicros: ivaRates.shippingMicros };
  return { coupon, amounts: priceBasket({ lines: basket, coupon, shipping }) };
}

/**
 * Refuses lines of an approved order that the verified prescriptions do not cover. A quoted order may have any line, since
 * its approval asks for the same.
 */
function uncoveredErrors(
  { orderStatus, prescriptions }: Order,
  details: NonNullable<UpdateOrderRequest['details']>,
  { catalog, business, now }: OrderContext,
): ValidationError[] {
  if (orderStatus !== 'approved') return [];
  const lines = details.map(({ product: productId, quantity }) => {
    return { productId, quantity, requiresPrescription: catalog.product(productId)?.requires_prescription === true };
  });
  const uncovered = findUncovered(lines, prescriptions, localDate(now, business.timeZone));
  const errors = new Map(uncovered.map((quantity) => [quantity.productId, toMessage(quantity)]));
  return details.flatMap(({ product }, index) => {
    const error = errors.get(product);
    return error ? [{ path: ['details', index, 'product'], ...error }] : [];
  });
}

const toMessage = ({ productId: product, coveredQuantity: quantity }: UncoveredQuantity): Message =>
  quantity === null
    ? { code: 'prescription_not_verified', values: { product } }
    : { code: 'prescription_covers_less', values: { product, quantity } };
