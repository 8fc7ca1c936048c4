import { setTimeout as pause } from 'node:timers/promises';
import type { CreateOrderRequest } from '../../api/orders/orders.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Documents } from '../../documents/documents.ts';
import { parsePhone } from '../../domain/phone.ts';
import { unavailable } from '../../domain/refusal.ts';
import { once } from '../../runtime/async.ts';
import type { UserLimits } from '../../runtime/settings.ts';
import type { Ids } from '../../store/ids.ts';
import { delaysKey } from '../../store/keys.ts';
import { type Delays, measureDelays, parseDelays, widenDelays } from '../../store/order-lists/delivery-delays.ts';
import { keyUseWrite } from '../../store/orders/idempotency.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Act } from '../../store/orders/order-history.ts';
import { createOrderWrites } from '../../store/orders/order-writes.ts';
import { isCouponSpent, isRedemption } from '../../store/orders/redemptions.ts';
import { indexName, removeName, removeNames } from '../../store/people/name-index.ts';
import { invoicingWrite, patientWrites } from '../../store/people/patients.ts';
import { type UserRecord, userById } from '../../store/people/users.ts';
import type { Table, Write } from '../../store/table.ts';
import { ConditionFailed } from '../../store/table-failures.ts';
import type { UserCaller } from '../access/authenticate.ts';
import { placingLimitRefusal } from '../access/user-limits.ts';
import type { InvoiceDeps } from '../invoices/invoice-deps.ts';
import { issueInvoice } from '../invoices/issuing/issue-invoice.ts';
import { type Draft, draftOrder, type NewIds } from './draft-order.ts';
import { type HoldDeps, openHold } from './held-terms.ts';
import { findPeople, peopleKeys, readActor, refusePeople } from './order-people.ts';
import { checkTerms, type OrderContext, type OrderTerms } from './order-terms.ts';
import { findReplay, toIdempotency, useKey } from './replay.ts';
import { Uploads } from './uploads.ts';

export type PlaceOrderDeps = Pick<OrderContext, 'catalog' | 'business'> &
  InvoiceDeps &
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

// Another request may register or change the same person, or use the same key, between our read and our write.
const TRIES = 10;
const RETRY_PAUSE_MS = 50;

/**
 * Places an order and issues its invoice if one was requested. The order stands whether or not the invoice succeeds. A
 * replayed order is not invoiced again.
 */
export async function placeOrder(placing: Placing, deps: PlaceOrderDeps): Promise<Placed> {
  const placed = await storeOrder(placing, deps);
  if (placed.isReplayed || !placed.order.invoice) return placed;
  const issuing = await issueInvoice(placed.order, 'left to an operator', toAct(placing), deps);
  return issuing.outcome === 'issued' ? { ...placed, order: issuing.order } : placed;
}

const toAct = ({ caller, now }: Placing): Act => ({ by: { user: caller.user.id }, now });

/**
 * Stores the documents first and then everything else in one transaction, so that no order lacks its documents. They
 * are removed only when it is certain that the order was not stored.
 */
async function storeOrder(placing: Placing, deps: PlaceOrderDeps): Promise<Placed> {
  const uploads = new Uploads(deps.documents);
  // Decoding and scanning the documents once is enough, because the terms depend on no stored record.
  const findTerms = once(async () => {
    const context = { ...toContext(placing, deps), role: placing.caller.user.role };
    return checkTerms(placing.body, { ...context, sentHold: await openHold(placing.body.order, context, deps) });
  });
  return uploads.keepUnlessRefused(async () => {
    let isCouponSpent = false;
    for (let tries = 0; tries < TRIES; tries++) {
      const actor = tries === 0 ? placing.caller.confirmed : readActor(placing.caller, deps.table);
      const placed = await tryToPlace({ ...placing, findTerms, actor, isCouponSpent }, deps, uploads);
      if (typeof placed !== 'string') {
        if (placed.isReplayed) await uploads.discard();
        return placed;
      }
      isCouponSpent ||= placed === 'coupon spent';
      await pause(Math.random() * RETRY_PAUSE_MS);
    }
    throw unavailable();
  });
}

const toContext = ({ caller, now }: Placing, { catalog, business }: PlaceOrderDeps): OrderContext => ({
  catalog,
  business,
  client: caller.client,
  now,
});

type Attempt = Placing & {
  /** Checks the terms, once for all attempts of a request. */
  readonly findTerms: () => Promise<OrderTerms>;
  /** The user who places the order, as read for this attempt. */
  readonly actor: Promise<UserRecord>;
  /** True if an earlier attempt found no redemption of the coupon left. */
  readonly isCouponSpent: boolean;
};
/** Another request was quicker; `coupon spent` if it took the coupon's last redemption. */
type Conflict = 'conflict' | 'coupon spent';

/** Returns a conflict if a retry may succeed. */
async function tryToPlace(placing: Attempt, deps: PlaceOrderDeps, uploads: Uploads): Promise<Placed | Conflict> {
  const { body, caller, now } = placing;
  const { table, ids, catalog, limits } = deps;
  const idempotency = toIdempotency(placing);
  const phone = (body.user.phone && parsePhone(body.user.phone)) || null;
  const peoplesKeys = peopleKeys(caller.client.id, { user: body.user, phone });
  const [actor, read, newIds, isSpent, tooMany] = await Promise.all([
    placing.actor,
    table.getAll([delaysKey(caller.client.id), ...(idempotency ? [useKey(idempotency)] : []), ...peoplesKeys]),
    takeIds(ids, body),
    isCouponSpent(table, caller.client.id, findCoupon(body, catalog)),
    placingLimitRefusal(table, { caller, limits, now, isInvoiced: body.invoicing !== undefined }),
  ]);
  const [delays, keyUse] = read;
  const earlier = idempotency && (await findReplay(table, placing, idempotency, keyUse));
  if (earlier) return { order: earlier, isReplayed: true };
  if (tooMany) throw tooMany;

  const terms = await placing.findTerms();
  const asked = { actor, user: body.user, phone, delivery: terms.delivery };
  const people = await findPeople(table, asked, read.slice(-peoplesKeys.length));
  const documents = uploads.of(terms);
  const drafting = { body, terms, people, ids: newIds, documents, isCouponSpent: isSpent || placing.isCouponSpent };
  const draft = draftOrder(drafting, toContext(placing, deps));
  refusePeople(people);
  await uploads.store();
  await prepareLists(table, draft, parseDelays(delays));
  const writes = buildWrites(draft, idempotency && keyUseWrite(idempotency, newIds.order, now));
  const conflict = await findConflict(table, writes);
  if (!conflict) return { order: draft.order, isReplayed: false };
  await unindexName(table, draft);
  return conflict;
}

/** Returns the published coupon of an order. The transaction alone tells whether a held one is spent. */
const findCoupon = ({ order: { coupon = '', hold } }: CreateOrderRequest, catalog: Catalog) =>
  hold === undefined ? catalog.coupon(coupon) : undefined;

/** Makes the writes of an order, and returns undefined unless a condition failed. */
async function findConflict(table: Table, writes: readonly Write[]): Promise<Conflict | undefined> {
  try {
    await table.transact(writes);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return error.failed.some((index) => isRedemption(writes[index])) ? 'coupon spent' : 'conflict';
  }
}

/** Removes the name that was indexed for an order that was not stored, if its patient is not registered or being erased. */
async function unindexName(table: Table, { known, patient }: Draft): Promise<void> {
  if (!known) return removeNames(table, patient);
  const stored = await userById(table, known.clientId, known.id);
  if (!stored || stored.erasingAt) await removeName(table, patient);
}

/** Writes what lists need to find an order before it is stored. */
async function prepareLists(table: Table, { known, patient, order }: Draft, delays: Delays): Promise<void> {
  await Promise.all([
    indexName(table, known, patient),
    widenDelays(table, order.clientId, delays, measureDelays(order)),
  ]);
}

async function takeIds(ids: Ids, { order }: CreateOrderRequest): Promise<NewIds> {
  const [[id], [patient, shipping, invoicing, ...records]] = await Promise.all([
    ids.take('order', 1),
    ids.take('record', 3 + order.details.length + order.prescriptions.length),
  ]);
  const lines = records.slice(0, order.details.length);
  const prescriptions = records.slice(order.details.length);
  return { order: id, patient, shipping, invoicing, lines, prescriptions } as NewIds;
}

const buildWrites = ({ known, patient, invoicing, order }: Draft, keyUse: Write | undefined): Write[] => [
  ...(keyUse ? [keyUse] : []),
  ...patientWrites(known, patient, order.createdAt),
  ...(invoicing ? [invoicingWrite(patient, invoicing)] : []),
  ...createOrderWrites(order),
];
