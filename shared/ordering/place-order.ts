import type { UserCaller } from '../access/authenticate.ts';
import type { CreateOrderRequest } from '../api/orders/orders.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { unavailable } from '../domain/refusal.ts';
import type { InvoiceDeps } from '../invoices/invoice-attempt.ts';
import { issueInvoice } from '../invoices/issue-document.ts';
import { measureDelays, parseDelays, widenDelays } from '../order/lists/delivery-delays.ts';
import type { Order } from '../order/order.ts';
import type { Act } from '../order/order-history.ts';
import { createOrderWrites } from '../order/order-writes.ts';
import { findReplay, type Idempotency, keyUseKey, keyUseWrite, toIdempotency } from '../order/rows/idempotency.ts';
import { isCouponSpent, isRedemption } from '../order/rows/redemptions.ts';
import { placingLimitRefusal } from '../order/user-limits.ts';
import { askForPayment, type PaymentDeps } from '../payments/reconcile-payment.ts';
import { indexName } from '../people/name-index.ts';
import { invoicingWrite, patientWrites } from '../people/patients.ts';
import type { Phone } from '../people/rules/roles.ts';
import { unindexUnstored } from '../people/users.ts';
import { Uploads } from '../prescriptions/uploads.ts';
import { type HoldDeps, openHold } from '../quotes/hold.ts';
import { once, retry } from '../runtime/async.ts';
import type { UserLimits } from '../runtime/config.ts';
import type { Documents } from '../store/documents.ts';
import type { Ids } from '../store/ids.ts';
import { delaysKey, emailKey, phoneKey } from '../store/keys.ts';
import type { Table, Write } from '../store/table.ts';
import { ConditionFailed } from '../store/table-failures.ts';
import {
  type Checked,
  checkPhone,
  checkRecords,
  checkTerms,
  type OrderContext,
  type OrderTerms,
} from './check-order.ts';
import { type Draft, draftOrder, type NewIds } from './draft-order.ts';
import { findPeople, readActor } from './order-people.ts';

export type PlaceOrderDeps = Pick<OrderContext, 'catalog' | 'business' | 'collecting'> &
  InvoiceDeps &
  PaymentDeps &
  HoldDeps & {
    readonly ids: Ids;
    readonly documents: Documents;
    readonly limits: UserLimits;
  };

type Placing = {
  readonly body: CreateOrderRequest;
  /** The value of the `Idempotency-Key` header. */
  readonly idempotencyKey: string | undefined;
  readonly caller: UserCaller;
  readonly now: Date;
};

/** A placed order; `isReplayed` if the same idempotency key made it before. */
export type Placed = { readonly order: Order; readonly isReplayed: boolean };

/**
 * Places an order, asks for what it is to be paid by, and issues its invoice if one was requested. The order stands whether
 * or not these succeed. A replayed order is neither collected nor invoiced again.
 */
export async function placeOrder(placing: Placing, deps: PlaceOrderDeps): Promise<Placed> {
  const placed = await storeOrder(toRequest(placing, deps), deps);
  if (placed.isReplayed) return placed;
  const act: Act = { by: { user: placing.caller.user.id }, now: placing.now };
  const order = placed.order.payment ? await askForPayment(placed.order, act, deps) : placed.order;
  if (!order.invoice) return { ...placed, order };
  const issuing = await issueInvoice(order, 'left to an operator', act, deps);
  return { ...placed, order: issuing.outcome === 'issued' ? issuing.order : order };
}

/** The values that are the same for every attempt to place an order. */
type Request = Pick<Placing, 'body' | 'caller'> & {
  readonly context: OrderContext;
  readonly idempotency: Idempotency | undefined;
  readonly phone: Checked<Phone>;
  /** Checks what depends on no stored record. Decoding and scanning the documents once is enough for all attempts. */
  readonly checkTerms: () => Promise<OrderTerms>;
};

function toRequest(placing: Placing, { catalog, business, collecting, sealKeys, findClient }: PlaceOrderDeps): Request {
  const { body, caller, now } = placing;
  const context = { catalog, business, collecting, client: caller.client, now };
  const phone = checkPhone(body.user.phone);
  return {
    body,
    caller,
    context,
    idempotency: toIdempotency(placing),
    phone,
    checkTerms: once(async () => {
      const sentHold = await openHold(body.order, context, { sealKeys, findClient });
      return checkTerms(body, { ...context, role: caller.user.role, sentHold, phone });
    }),
  };
}

/** Stores an order with its documents, and starts over when another request was quicker. */
async function storeOrder(request: Request, deps: PlaceOrderDeps): Promise<Placed> {
  const uploads = new Uploads(deps.documents);
  return uploads.keepUnlessRefused(() => retryConflicts((met) => tryToPlace(request, met, uploads, deps)));
}

/**
 * Reads, checks and writes an order. Nothing is stored before every check has passed; its documents are stored first, so that
 * no order lacks them.
 */
async function tryToPlace(
  request: Request,
  met: readonly Conflict[],
  uploads: Uploads,
  deps: PlaceOrderDeps,
): Promise<Placed | Conflict> {
  const { body, context, phone } = request;
  const read = await readRecords(request, met, deps);
  if (read.earlier) {
    await uploads.discard();
    return { order: read.earlier, isReplayed: true };
  }
  if (read.tooMany) throw read.tooMany;

  const terms = await request.checkTerms();
  const found = await findPeople(deps.table, { ...read, user: body.user, delivery: terms.delivery });
  const checked = checkRecords({ body, terms, found, isCouponSpent: read.isCouponSpent }, context);

  const documents = await uploads.store(terms.documents);
  const draft = draftOrder({ body, phone: phone.value, terms, ...checked, documents, ids: read.ids }, context);
  const conflict = await writeOrder(draft, read, request, deps.table);
  return conflict ?? { order: draft.order, isReplayed: false };
}

/** The conflict with a quicker request: it changed a record that the attempt had read, or took the coupon's last redemption. */
type Conflict = 'changed meanwhile' | 'coupon spent';

// Another request may register or change the same person, or use the same key, between our read and our write.
const PATIENCE = { tries: 10, longestPauseMs: 50 };

/** Makes attempts until one meets no conflict; each is told what those before it have met. */
async function retryConflicts(attempt: (met: readonly Conflict[]) => Promise<Placed | Conflict>): Promise<Placed> {
  const met: Conflict[] = [];
  const placed = await retry(PATIENCE, async () => {
    const outcome = await attempt(met);
    if (typeof outcome !== 'string') return outcome;
    met.push(outcome);
    return undefined;
  });
  if (!placed) throw unavailable();
  return placed;
}

/** Reads what an attempt depends on, and takes its ids; one round trip, and another one for a key that was used before. */
async function readRecords(request: Request, met: readonly Conflict[], { table, ids, limits }: PlaceOrderDeps) {
  const { body, caller, context, idempotency, phone } = request;
  const { catalog, now } = context;
  const clientId = caller.client.id;
  // The transaction alone tells whether the coupon of a hold is spent.
  const coupon = body.order.hold === undefined ? catalog.coupon(body.order.coupon ?? '') : undefined;
  const [actor, items, newIds, isSpent, tooMany] = await Promise.all([
    met.length === 0 ? caller.confirmed : readActor(caller, table),
    table.getNamed({
      delays: delaysKey(clientId),
      keyUse: idempotency && keyUseKey(idempotency),
      email: emailKey(clientId, body.user.email),
      phone: phone.value && phoneKey(clientId, phone.value.e164),
    }),
    takeIds(ids, body, catalog),
    isCouponSpent(table, clientId, coupon),
    placingLimitRefusal(table, { caller, limits, now, isInvoiced: body.invoicing !== undefined }),
  ]);
  return {
    actor,
    /** The stored marks of who has the e-mail and the phone. */
    marks: { email: items.email, phone: items.phone },
    delays: parseDelays(items.delays),
    /** The order that the same key made before. */
    earlier: idempotency && (await findReplay(table, { caller, now }, idempotency, items.keyUse)),
    ids: newIds,
    isCouponSpent: isSpent || met.includes('coupon spent'),
    /** The refusal of one order more of this user, if they have reached a limit. */
    tooMany,
  };
}

type Records = Awaited<ReturnType<typeof readRecords>>;

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

/** Writes what lists need to find an order, then the order with all that is new with it, or nothing of that after a conflict. */
async function writeOrder(
  draft: Draft,
  { delays }: Records,
  { context: { now }, idempotency }: Request,
  table: Table,
): Promise<Conflict | undefined> {
  const { registered, patient, receiver, order } = draft;
  // The name comes last, so that nothing but the transaction decides whether it stays.
  await widenDelays(table, order.clientId, delays, measureDelays(order));
  await indexName(table, registered, { ...order.patient, clientId: order.clientId });
  const writes = [
    ...(idempotency ? [keyUseWrite(idempotency, order.id, now)] : []),
    ...patientWrites(registered, patient, order.createdAt),
    ...(receiver ? [invoicingWrite(patient, receiver)] : []),
    ...createOrderWrites(order),
  ];
  try {
    await table.transact(writes);
    return undefined;
  } catch (error) {
    await unindexUnstored(table, patient, error);
    if (!(error instanceof ConditionFailed)) throw error;
    return toConflict(error, writes);
  }
}

const toConflict = ({ failed }: ConditionFailed, writes: readonly Write[]): Conflict =>
  failed.some((index) => isRedemption(writes[index])) ? 'coupon spent' : 'changed meanwhile';
