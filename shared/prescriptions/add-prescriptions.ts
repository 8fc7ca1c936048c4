import type { UserCaller } from '../access/authenticate.ts';
import type { AddPrescriptionsRequest } from '../api/orders/orders.ts';
import { Refusal, refuseInvalid, type ValidationError } from '../domain/refusal.ts';
import { commitOperation, type Operation, refuseErased, seenOrder } from '../order/operate-order.ts';
import { type Order, toViewer } from '../order/order.ts';
import { changeOrderWrites } from '../order/order-writes.ts';
import { findOrder, nextVersion } from '../order/orders.ts';
import { findReplay, type Idempotency, keyUseKey, keyUseWrite, toIdempotency } from '../order/rows/idempotency.ts';
import { canAddPrescriptions } from '../order/rules/status.ts';
import { toPerson } from '../people/person.ts';
import type { Business } from '../runtime/config.ts';
import type { Document, Documents } from '../store/documents.ts';
import type { Ids } from '../store/ids.ts';
import type { Table, Write } from '../store/table.ts';
import { detectDocumentType, documentName, MAX_DOCUMENT_BYTES } from './rules/document.ts';
import {
  checkAllDocuments,
  checkDates,
  checkDocuments,
  type DocumentTotals,
  measureDocuments,
  toPrescriptions,
  Uploads,
} from './uploads.ts';

type Request = {
  readonly id: number;
  readonly body: AddPrescriptionsRequest;
  readonly idempotencyKey: string | undefined;
  readonly caller: UserCaller;
  readonly now: Date;
};
type Adding = Request & { readonly idempotency: Idempotency | undefined };
type Deps = { readonly table: Table; readonly ids: Ids; readonly documents: Documents; readonly business: Business };
type Added = { readonly order: Order; readonly isReplayed: boolean };

/** Of two colliding changes one is refused with `order_changed_meanwhile`, unless it is the same request under the same key. */
export async function addPrescriptions(request: Request, deps: Deps): Promise<Added> {
  const uploads = new Uploads(deps.documents);
  // The same prescriptions for another order are another request.
  const idempotency = toIdempotency({ ...request, body: { id: request.id, ...request.body } });
  const adding = { ...request, idempotency };
  return uploads.keepUnlessRefused(async () => {
    const current = await readWaiting(adding, deps.table);
    if (current.isReplayed) return current;
    const after = await draftChange(current.order, adding, deps, uploads);
    const isWritten = await deps.table.tryTransact(changeWrites(current.order, after, adding));
    if (isWritten) return { order: after, isReplayed: false };
    const again = await readWaiting(adding, deps.table);
    if (!again.isReplayed) throw new Refusal('order_changed_meanwhile');
    await uploads.discard();
    return again;
  });
}

/** Throws `not_found` if the caller may not see the order, and `order_not_waiting` in another status. */
async function readWaiting(adding: Adding, table: Table): Promise<Added> {
  const { id, caller, idempotency } = adding;
  const [order, keyUse] = await Promise.all([
    findOrder(table, { clientId: caller.client.id, id, viewer: toViewer(caller.user) }),
    idempotency && table.get(keyUseKey(idempotency)),
    caller.confirmed,
  ]);
  const earlier = idempotency && (await findReplay(table, adding, idempotency, keyUse));
  if (earlier) return { order: earlier, isReplayed: true };
  if (!order) throw new Refusal('not_found');
  if (!canAddPrescriptions(order.orderStatus)) throw new Refusal('order_not_waiting');
  return { order, isReplayed: false };
}

async function draftChange(
  before: Order,
  { body, caller, now }: Adding,
  { ids, documents, business }: Deps,
  uploads: Uploads,
): Promise<Order> {
  const present = await measureDocuments(documents, before.prescriptions);
  const upload = { prescriptions: body.prescriptions, path: ['prescriptions'], present };
  const { value, errors } = checkDocuments(upload, { business, now });
  refuseInvalid(errors);
  const [actor, newIds, stored] = await Promise.all([
    caller.confirmed,
    ids.take('record', value.length),
    uploads.store(value),
  ]);
  const stamp = { updatedBy: actor.id, time: now.toISOString() };
  const additions = toPrescriptions(body.prescriptions, { documents: stored, ids: newIds }, stamp);
  const prescriptions = [...before.prescriptions, ...additions];
  const changes = { prescriptions, updatedBy: toPerson(actor), updatedAt: stamp.time };
  return nextVersion(before, { ...before, ...changes });
}

function changeWrites(before: Order, after: Order, { idempotency, now }: Adding): Write[] {
  const additions = after.prescriptions.slice(before.prescriptions.length);
  const act = { by: { user: after.updatedBy.id }, now };
  const attached = { what: 'prescription_attached', prescriptions: additions.map(({ id }) => id) } as const;
  return [
    ...(idempotency ? [keyUseWrite(idempotency, after.id, now)] : []),
    ...changeOrderWrites(before, after, act, attached),
  ];
}

type Attaching = Operation & {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly fileName: string;
  /** Both `YYYY-MM-DD`. */
  readonly issueDate: string;
  readonly expiringDate: string | null;
};

/** Adds a prescription that reached the pharmacy outside the order. It is not verified yet. */
export async function attachPrescription(attaching: Attaching, deps: Deps): Promise<Order> {
  const { table, ids, documents } = deps;
  const before = await seenOrder(table, { id: attaching.id });
  refuseErased(before);
  const present = await measureDocuments(documents, before.prescriptions);
  const input = { issue_date: attaching.issueDate, expiring_date: attaching.expiringDate };
  const dateErrors = checkDates(input, [], { ...deps, now: attaching.now });
  const document = checkAttachment(attaching, present, dateErrors);
  const newIds = await ids.take('record', 1);
  const uploads = new Uploads(documents);
  const stored = await uploads.store([document]);
  return uploads.keepUnlessRefused(async () => {
    const stamp = { updatedBy: null, time: attaching.now.toISOString() };
    const additions = toPrescriptions([input], { documents: stored, ids: newIds }, stamp);
    const prescriptions = [...before.prescriptions, ...additions];
    const attached = { what: 'prescription_attached', prescriptions: additions.map(({ id }) => id) } as const;
    return commitOperation(table, before, { ...before, prescriptions }, attaching, attached);
  });
}

/** Applies the rules of an order's creation; `dateErrors` are reported with those of the document. */
function checkAttachment(
  { bytes, fileName }: Attaching,
  present: DocumentTotals,
  dateErrors: readonly ValidationError[],
): Document {
  const type = detectDocumentType(bytes);
  const totals = { count: present.count + 1, bytes: present.bytes + bytes.length };
  const errors = [...dateErrors, ...checkAllDocuments(totals, ['order'])];
  if (bytes.length > MAX_DOCUMENT_BYTES) errors.push({ path: ['file'], code: 'document_too_large' });
  if (!type) errors.push({ path: ['file'], code: 'not_a_document' });
  refuseInvalid(errors);
  if (!type) throw new Error('a document without errors has a type');
  return { bytes, type, name: documentName(fileName, totals.count, type) };
}
