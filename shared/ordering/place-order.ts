import type { UserCaller } from '../access/authenticate.ts';
import type { CreateOrderRequest } from '../api/orders/orders.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { unavailable } from '../domain/refusal.ts';
import type { InvoiceDeps } from '../invoices/invoice-attempt.ts';
import { issueInvoice } from '../invoices/issue-document.ts';
import { isCouponSpent, isRedemption } from '../order/lists/counters.ts';
import { measureDelays, parseDelays, widenWrites } from '../order/lists/delivery-delays.ts';
import type { Order } from '../order/order.ts';
import type { Act } from '../order/order-events.ts';
import { createOrderWrites } from '../order/order-writes.ts';
import { findReplay, type Idempotency, keyUseKey, keyUseWrite, toIdempotency } from '../order/rows/idempotency.ts';
import { placingLimitRefusal } from '../order/user-limits.ts';
import { askForPayment, type PaymentDeps } from '../payments/reconcile-payment.ts';
import { indexName } from '../people/name-index.ts';
import { invoicingWrite, patientWrites } from '../people/patients.ts';
import { parsePhone } from '../people/rules/roles.ts';
import { unindexUnstored } from '../people/users.ts';
import { Uploads } from '../prescriptions/uploads.ts';
import { type HoldDeps, openHold } from '../quotes/hold.ts';
import { retry } from '../runtime/async.ts';
import type { UserLimits } from '../runtime/config.ts';
import { readLevels } from '../stock/stock.ts';
import type { Documents } from '../store/documents.ts';
import type { Ids } from '../store/ids.ts';
import { delaysKey, emailKey, phoneKey } from '../store/keys.ts';
import type { Table } from '../store/table.ts';
import { ConditionFailed } from '../store/table-failures.ts';
import { checkTerms, type OrderContext, type OrderTerms, priceOrder } from './check-order.ts';
import { type Draft, draftOrder, type NewIds } from './draft-order.ts';
import { admitPeople, findPeople, readActor } from './order-people.ts';
import { listTracked, reserveDetails } from './order-stock.ts';

type Deps = Pick<OrderContext, 'business' | 'collecting'> &
  InvoiceDeps &
  PaymentDeps &
  HoldDeps & {
    /** May still check for a newer version while records are read. */
    readonly catalog: Promise<Catalog>;
    readonly ids: Ids;
    readonly documents: Documents;
    readonly limits: UserLimits;
  };

type Placing = {
  readonly body: CreateOrderRequest;
  readonly idempotencyKey: string | undefined;
  readonly caller: UserCaller;
  readonly now: Date;
};
type Request = Omit<Placing, 'idempotencyKey'> & { readonly idempotency: Idempotency | undefined };

/** `isReplayed` if the same idempotency key made the order before. */
type Placed = { readonly order: Order; readonly isReplayed: boolean };

/** The order stands even if its payment or invoice fails. A replayed order is neither collected nor invoiced again. */
export async function placeOrder(placing: Placing, deps: Deps): Promise<Placed> {
  const request = { ...placing, idempotency: toIdempotency(placing) };
  const uploads = new Uploads(deps.documents);
  const placed = await uploads.keepUnlessRefused(() => storeOrder(request, uploads, deps));
  if (placed.isReplayed) return placed;
  const act: Act = { by: { user: placing.caller.user.id }, now: placing.now };
  const order = placed.order.payment ? await askForPayment(placed.order, act, deps, 'first') : placed.order;
  if (!order.invoice) return { ...placed, order };
  const issuing = await issueInvoice(order, 'left to an operator', act, deps);
  return { ...placed, order: issuing.outcome === 'issued' ? issuing.order : order };
}

/** A faster request changed a record that the attempt had read, took what was left in stock, or the coupon's last redemption. */
type Conflict = 'changed meanwhile' | 'coupon spent';

// Another request may register or change the same person, or use the same key, between read and write.
const PATIENCE = { tries: 10, longestPauseMs: 50 };

/** Starts over after a conflict. All checks come before any write, and documents before the order, so that none lacks them. */
async function storeOrder(request: Request, uploads: Uploads, deps: Deps): Promise<Placed> {
  const conflicts: Conflict[] = [];
  let terms: OrderTerms | undefined;
  const placed = await retry(PATIENCE, async (): Promise<Placed | undefined> => {
    const { catalog, replay, refusal, ...records } = await readRecords(request, conflicts, deps);
    if (replay) {
      await uploads.discard();
      return { order: replay, isReplayed: true };
    }
    if (refusal) throw refusal;
    const { body, caller, now } = request;
    const { business, collecting, table } = deps;
    const context = { catalog, business, collecting, client: caller.client, now };
    // Documents are decoded and scanned once.
    terms ??= checkTerms(body, caller.user.role, await openHold(body.order, context, deps), context);
    const people = await findPeople(table, { ...records, user: body.user, delivery: terms.delivery });
    const sale = priceOrder({ body, terms, people, isCouponSpent: records.isCouponSpent }, context);
    const { store, levels } = records;
    const stock = reserveDetails({ details: body.order.details, catalog, store, levels, path: ['order', 'details'] });
    const admitted = admitPeople(people);
    const documents = await uploads.store(terms.documents);
    const draft = draftOrder({ body, terms, sale, people: admitted, documents, ids: records.ids, stock }, context);
    const conflict = await writeOrder(draft, records, request, table);
    if (!conflict) return { order: draft.order, isReplayed: false };
    conflicts.push(conflict);
    return undefined;
  });
  if (!placed) throw unavailable();
  return placed;
}

type Records = Omit<Awaited<ReturnType<typeof readRecords>>, 'catalog'>;

/** Reads the attempt's records and takes ids; one round trip, and another for a key that was used before. */
async function readRecords(
  request: Request,
  conflicts: readonly Conflict[],
  { table, ids, limits, business, catalog: published }: Deps,
) {
  const { body, caller, now, idempotency } = request;
  const clientId = caller.client.id;
  const phone = body.user.phone ? parsePhone(body.user.phone) : undefined;
  const store = body.order.store ?? business.shippingStore;
  const [catalog, actor, items, newIds, isSpent, levels, refusal] = await Promise.all([
    published,
    conflicts.length === 0 ? caller.confirmed : readActor(caller, table),
    table.getNamed({
      delays: delaysKey(clientId),
      keyUse: idempotency && keyUseKey(idempotency),
      email: emailKey(clientId, body.user.email),
      phone: phone && phoneKey(clientId, phone.e164),
    }),
    published.then((catalog) => takeIds(ids, body, catalog)),
    published.then((catalog) => isCouponSpent(table, clientId, findLimitedCoupon(body, catalog))),
    published.then((catalog) => readLevels(table, store, listTracked(body.order.details, catalog))),
    placingLimitRefusal(table, { caller, limits, now, isInvoiced: body.invoicing !== undefined }),
  ]);
  return {
    catalog,
    actor,
    marks: { email: items.email, phone: items.phone },
    delays: parseDelays(items.delays),
    replay: idempotency && (await findReplay(table, { caller, now }, idempotency, items.keyUse)),
    ids: newIds,
    isCouponSpent: isSpent || conflicts.includes('coupon spent'),
    store,
    levels,
    refusal,
  };
}

/** For a hold only the transaction tells whether its coupon is spent. */
const findLimitedCoupon = ({ order }: CreateOrderRequest, catalog: Catalog) =>
  order.hold === undefined ? catalog.coupon(order.coupon ?? '') : undefined;

async function takeIds(ids: Ids, { order }: CreateOrderRequest, catalog: Catalog): Promise<NewIds> {
  const isCollected = catalog.paymentMethod(order.payment_method)?.collection !== undefined;
  const [[id], [patient, shipping, invoicing, ...records]] = await Promise.all([
    ids.take('order', 1),
    ids.take('record', 3 + order.details.length + order.prescriptions.length + (isCollected ? 1 : 0)),
  ]);
  const lines = records.splice(0, order.details.length);
  const prescriptions = records.splice(0, order.prescriptions.length);
  const [reference = 0] = records;
  return { order: id, patient, shipping, invoicing, lines, prescriptions, reference } as NewIds;
}

/** Writes the index of the patient's name, then the order and all new records together; nothing after a conflict. */
async function writeOrder(
  { registered, patient, receiver, order }: Draft,
  { delays }: Pick<Records, 'delays'>,
  { idempotency, now }: Request,
  table: Table,
): Promise<Conflict | undefined> {
  await indexName(table, registered, { ...order.patient, clientId: order.clientId });
  const writes = [
    ...(idempotency ? [keyUseWrite(idempotency, order.id, now)] : []),
    ...patientWrites(registered, patient, order.createdAt),
    ...(receiver ? [invoicingWrite(patient, receiver)] : []),
    ...widenWrites(order.clientId, delays, measureDelays(order)),
    ...createOrderWrites(order),
  ];
  try {
    await table.transact(writes);
    return undefined;
  } catch (error) {
    await unindexUnstored(table, patient, error);
    if (!(error instanceof ConditionFailed)) throw error;
    return error.failed.some((index) => isRedemption(writes[index])) ? 'coupon spent' : 'changed meanwhile';
  }
}
