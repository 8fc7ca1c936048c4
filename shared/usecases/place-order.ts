import { setTimeout as pause } from 'node:timers/promises';
import type { CreateOrderRequest } from '../api/orders.ts';
import { type Documents, newDocumentKey } from '../documents/documents.ts';
import { Refusal } from '../domain/fault.ts';
import type { Ids } from '../store/ids.ts';
import { createOrderWrites, type Order } from '../store/orders.ts';
import { patientWrites, recordWrites } from '../store/patients.ts';
import { ConditionFailed, type Table, type Write } from '../store/table.ts';
import type { UserCaller } from './authenticate.ts';
import { type Draft, draftOrder, type NewIds } from './draft-order.ts';
import { findPeople } from './order-people.ts';
import { type OrderContext, orderTerms } from './order-terms.ts';

export type PlaceOrderDeps = Pick<OrderContext, 'catalog' | 'business'> & {
  readonly table: Table;
  readonly ids: Ids;
  readonly documents: Documents;
};

// Somebody else registered or changed the same person between our look and our write: look again.
const TRIES = 10;
const RETRY_PAUSE_MS = 50;
const RETRY_AFTER_SECONDS = 2;

/**
 * Places an order: what the catalog and the rules say of it, then who it is for, then its documents, then everything
 * in one transaction. The documents come first, so that no order ever stands without them; they are removed only when
 * it is certain that the order does not stand.
 */
export async function placeOrder(
  { body, caller, now }: { readonly body: CreateOrderRequest; readonly caller: UserCaller; readonly now: Date },
  { table, ids, documents, catalog, business }: PlaceOrderDeps,
): Promise<Order> {
  const context = { catalog, business, client: caller.client, now };
  const terms = orderTerms(body, context);
  const keyed = terms.documents.map((document) => ({ ...document, key: newDocumentKey() }));
  let areStored = keyed.length === 0;
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const asked = { caller, user: body.user, phone: terms.phone };
      const [people, newIds] = await Promise.all([findPeople(table, asked), takeIds(ids, body)]);
      const draft = draftOrder({ body, terms, people, ids: newIds, documents: keyed }, context);
      if (!areStored) await documents.store(keyed);
      areStored = true;
      if (await isWritten(table, writesOf(draft))) return draft.order;
      await pause(Math.random() * RETRY_PAUSE_MS);
    }
    throw new Refusal('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  } catch (error) {
    // After an unknown outcome the order may stand: what it does not need is left to the sweep.
    const isRefused = error instanceof Refusal && error.code !== 'unavailable';
    if (isRefused && areStored) await documents.remove(keyed.map(({ key }) => key));
    throw error;
  }
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

const writesOf = ({ known, patient, shipping, invoicing, order }: Draft): Write[] => [
  ...patientWrites(known, patient, order.header.createdAt),
  ...recordWrites(patient, { shipping, invoicing }),
  ...createOrderWrites(order),
];

async function isWritten(table: Table, writes: readonly Write[]): Promise<boolean> {
  try {
    await table.transact(writes);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
