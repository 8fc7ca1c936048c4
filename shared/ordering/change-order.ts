import type { UserCaller } from '../access/authenticate.ts';
import type { UpdateOrderRequest } from '../api/orders/orders.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Cents } from '../domain/money.ts';
import { ivaRateAt, priceBasket, sumSubtotal } from '../domain/pricing.ts';
import { Refusal, refuseInvalid, type ValidationError } from '../domain/refusal.ts';
import { localDate } from '../domain/working-day.ts';
import { toStarting } from '../invoices/invoice-attempt.ts';
import { isInProgress } from '../invoices/rules/document-life.ts';
import { cancelSale } from '../invoices/rules/owed-documents.ts';
import type { Message } from '../messages/messages.ts';
import type { RefusalCode } from '../messages/refusals.ts';
import { type Order, toViewer } from '../order/order.ts';
import { type Act, type Happening, listDocumentEvents } from '../order/order-events.ts';
import { commit } from '../order/order-writes.ts';
import { findOrder } from '../order/orders.ts';
import {
  answersForCredit,
  canChangeDetails,
  canChangeSum,
  isCancellable,
  type PaymentStatus,
  startPayment,
} from '../order/rules/status.ts';
import { listPaymentEvents } from '../payments/payment-events.ts';
import { askForPayment, type PaymentDeps } from '../payments/reconcile-payment.ts';
import { withdrawPayment } from '../payments/retry-payment.ts';
import { mayAddReference } from '../payments/rules/order-payment.ts';
import { collectionErrors, startPaymentAttempt } from '../payments/start-payment.ts';
import { toPerson } from '../people/person.ts';
import { findUncovered, type UncoveredQuantity } from '../prescriptions/rules/prescription.ts';
import { type BasketLine, findCoupon, nameProduct, toPricedLines } from '../quotes/quote.ts';
import { readLevels } from '../stock/stock.ts';
import type { Ids } from '../store/ids.ts';
import type { Table } from '../store/table.ts';
import { checkLines, type OrderContext } from './check-order.ts';
import { copyLines, renewCoupon } from './draft-order.ts';
import { getStockStore, listTracked, reserveDetails } from './order-stock.ts';

type Changing = {
  readonly id: number;
  readonly change: UpdateOrderRequest;
  readonly caller: UserCaller;
  readonly now: Date;
};
type Deps = Pick<OrderContext, 'catalog' | 'business' | 'collecting'> & PaymentDeps & { readonly ids: Ids };

/** Replaces the products of an order, or cancels it. If two changes collide, one is refused with `order_changed_meanwhile`. */
export async function changeOrder({ id, change, caller, now }: Changing, deps: Deps): Promise<Order> {
  const { table } = deps;
  const clientId = caller.client.id;
  const [before, actor] = await Promise.all([
    findOrder(table, { clientId, id, viewer: toViewer(caller.user) }),
    caller.confirmed,
  ]);
  if (!before) throw new Refusal('not_found');
  const parties = { user: actor, placedBy: before.generatedBy };
  const act = { by: { user: actor.id }, now };
  if (!change.details && before.orderStatus === 'cancelled') {
    refuseOnCredit(before, parties);
    return before;
  }
  const changes = change.details
    ? await replaceDetails(before, change.details, parties, { ...deps, client: caller.client, now }, deps)
    : cancelOrder(before, parties, now);
  const stamp = { updatedBy: toPerson(actor), updatedAt: now.toISOString() };
  const changed = { ...before, ...changes, ...stamp };
  const committing = commit(table, before, changed, act, ...listEvents(before, changed, change));
  const after = await committing.catch((error: unknown) => explainStock(error, before, change, deps));
  // Only a new reference, or the end of the current one, needs the provider.
  const isReconciled = after.payment === before.payment && after.orderStatus === before.orderStatus;
  return isReconciled ? after : askForPayment(after, act, deps);
}

/** Says what is left if another order was faster and that is too little. Throws always. */
async function explainStock(
  error: unknown,
  before: Order,
  { details }: UpdateOrderRequest,
  deps: Deps,
): Promise<never> {
  if (!details || !(error instanceof Refusal) || error.code !== 'out_of_stock') throw error;
  await reserveChange(before, details, deps, deps.table);
  throw new Refusal('order_changed_meanwhile');
}

const listEvents = (before: Order, after: Order, { details }: UpdateOrderRequest): Happening[] =>
  details
    ? [...listPaymentEvents(before, after), { what: 'changed' }]
    : [{ what: 'cancelled', from: before.orderStatus, to: 'cancelled' }, ...listDocumentEvents(before, after)];

type Parties = Parameters<typeof answersForCredit>[0];

function refuseUnless(isAllowed: boolean, code: RefusalCode): void {
  if (!isAllowed) throw new Refusal(code);
}

const refuseOnCredit = ({ paymentStatus }: Order, parties: Parties): void =>
  refuseUnless(paymentStatus !== 'credit' || answersForCredit(parties), 'order_on_credit');

/** A job cancels the invoice with the provider, or credits it if that is impossible. */
function cancelOrder(before: Order, parties: Parties, now: Date): Partial<Order> {
  refuseUnless(isCancellable(before.orderStatus), 'order_not_cancellable');
  refuseOnCredit(before, parties);
  return { orderStatus: 'cancelled', ...cancelSale(before, toStarting(before, now)) };
}

type Details = NonNullable<UpdateOrderRequest['details']>;

/** Applies today's catalog and local rates. Shipping method, price, own discount and dates stay; the coupon is applied anew. */
async function replaceDetails(
  before: Order,
  details: Details,
  parties: Parties,
  context: OrderContext,
  deps: Deps,
): Promise<Partial<Order>> {
  const lines = checkDetails(before, details, parties, context);
  const { coupon, totals, lineAmounts } = repriceLines(before, lines, context);
  const stock = await reserveChange(before, details, context, deps.table);
  refuseInvalid(collectionErrors(before.paymentMethod, totals.totalCents, ['details']));
  const [referenceId = 0, ...lineIds] = await deps.ids.take('record', 1 + lines.length);
  const act = { by: { user: parties.user.id }, now: context.now };
  const payment = await replacePayment(before, totals, referenceId, act, deps);
  return {
    ...totals,
    ...payment,
    ...stock,
    coupon: renewCoupon(before.coupon, coupon),
    lines: copyLines(lines, lineAmounts, lineIds),
    linesAt: context.now.toISOString(),
  };
}

function checkDetails(before: Order, details: Details, parties: Parties, context: OrderContext): BasketLine[] {
  refuseUnless(canChangeDetails(before.orderStatus), 'order_not_changeable');
  refuseUnless(canChangeSum(getOpenPayment(before), parties), 'order_paid');
  refuseUnless(before.cfdi === '', 'order_invoiced');
  refuseUnless(!isInProgress(before.invoice), 'invoice_in_progress');
  const former = before.lines.map(({ productId: product, quantity }) => ({ product, quantity }));
  const { value: lines, errors } = checkLines(details, context.catalog, ['details'], former);
  refuseInvalid([...errors, ...uncoveredErrors(before, details, context)]);
  return lines;
}

async function reserveChange(
  before: Order,
  details: Details,
  { catalog, business }: Pick<OrderContext, 'catalog' | 'business'>,
  table: Table,
) {
  const store = getStockStore(before, business);
  const held = (before.stock?.products ?? []).map(({ product }) => product);
  const levels = await readLevels(table, store, [...listTracked(details, catalog), ...held]);
  return reserveDetails({ details, catalog, store, levels, path: ['details'], before });
}

/** Returns the payment that decides whether the sum may change: nobody has paid an order of 0. */
const getOpenPayment = ({ totalCents, paymentStatus, paymentMethod }: Order): PaymentStatus =>
  totalCents === 0 ? paymentMethod.initial_payment_status : paymentStatus;

function restartPayment(before: Order, totalCents: Cents, now: Date): Partial<Order> {
  if ((before.totalCents === 0) === (totalCents === 0)) return {};
  const payment = startPayment(totalCents, before.paymentMethod.initial_payment_status, now.toISOString());
  return { ...payment, paymentForm: null, rejectionReason: null };
}

/** Withdraws the payment and starts the next attempt. Throws `order_paid` if it is paid after all, or `too_many_references`. */
async function replacePayment(
  before: Order,
  totals: Pick<Order, 'totalCents'>,
  referenceId: number,
  act: Act,
  deps: Deps,
): Promise<Partial<Order>> {
  const restart = restartPayment(before, totals.totalCents, act.now);
  if (!before.paymentMethod.collection || totals.totalCents === before.totalCents) return restart;
  refuseUnless(mayAddReference(before), 'too_many_references');
  const refusePaid = () => new Refusal('order_paid');
  const payment = await withdrawPayment({ order: before, act, end: 'withdraw', refusePaid }, deps);
  const isRejected = (restart.paymentStatus ?? before.paymentStatus) === 'rejected';
  const open = {
    ...restart,
    ...(isRejected && ({ paymentStatus: 'unpaid', rejectionReason: null } as const)),
    ...(payment && { payment }),
  };
  const starting = { referenceId, collecting: deps.collecting, now: act.now };
  return { ...open, ...startPaymentAttempt({ ...before, ...totals, ...open }, starting) };
}

function repriceLines(before: Order, lines: readonly BasketLine[], { catalog, business, now }: OrderContext) {
  const { ivaRates } = business;
  const zipcode = (before.store ?? before.shipping)?.zipcode ?? null;
  const basket = toPricedLines(lines, ivaRateAt(zipcode, ivaRates));
  const match = findCoupon(before.coupon?.code, catalog, { subtotalCents: sumSubtotal(basket), now }).coupon;
  // A code that now belongs to another coupon is no longer the order's.
  const coupon = match?.id === before.coupon?.id ? match : null;
  const { shippingPriceCents: priceCents, rateDiscountCents: discountCents } = before;
  const shipping = { priceCents, discountCents, ivaRateMicros: ivaRates.shippingMicros };
  const { lines: lineAmounts, ...totals } = priceBasket({ lines: basket, coupon, shipping });
  return { coupon, totals, lineAmounts };
}

/** Refuses lines of an approved order beyond its verified prescriptions. For a quoted order its approval checks that. */
function uncoveredErrors(
  { orderStatus, prescriptions }: Order,
  details: Details,
  { catalog, business, now }: OrderContext,
): ValidationError[] {
  if (orderStatus !== 'approved') return [];
  const lines = details.map(({ product: productId, quantity }) => {
    return { productId, quantity, requiresPrescription: catalog.product(productId)?.requires_prescription === true };
  });
  const uncovered = findUncovered(lines, prescriptions, localDate(now, business.timeZone));
  return details.flatMap(({ product }, index) => {
    const quantity = uncovered.find(({ productId }) => productId === product);
    return quantity ? [{ path: ['details', index, 'product'], ...explainUncovered(quantity, catalog) }] : [];
  });
}

function explainUncovered({ productId, coveredQuantity: quantity }: UncoveredQuantity, catalog: Catalog): Message {
  const known = catalog.product(productId);
  const product = known ? nameProduct(known) : productId;
  return quantity === null
    ? { code: 'prescription_not_verified', values: { product } }
    : { code: 'prescription_covers_less', values: { product, quantity } };
}
