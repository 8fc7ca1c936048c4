import { removeLoginTries } from '../access/login-attempts.ts';
import { refusedToOperator } from '../domain/operator-refusal.ts';
import { getListStatus, getNextDue, listOpenActions } from '../invoices/rules/invoice-status.ts';
import type { Operation } from '../order/operate-order.ts';
import type { Order } from '../order/order.ts';
import { getOrders } from '../order/orders.ts';
import { getRefundStatus } from '../order/rules/status.ts';
import { isAttemptOver } from '../payments/rules/order-payment.ts';
import { ACCOUNT_DAYS } from '../payments/rules/payment.ts';
import { isRefundDue, listPaymentExceptions } from '../payments/rules/payment-exceptions.ts';
import { removeNames } from '../people/name-index.ts';
import { type UserRecord, userById } from '../people/users.ts';
import type { Business } from '../runtime/config.ts';
import type { Documents } from '../store/documents.ts';
import {
  createdPartition,
  emailKey,
  type Key,
  parseOrderId,
  patientViewer,
  phoneKey,
  toKey,
  userKey,
} from '../store/keys.ts';
import { refuseWhilePaused } from '../store/pause.ts';
import { ABSENT, PRESENT, type Table, type Write } from '../store/table.ts';
import { toUpdate } from '../store/update.ts';
import {
  type ErasureDay,
  eraseOrder,
  getRetained,
  type OrderErasure,
  planOrderErasure,
  toErasureDay,
} from './erase-order.ts';

type PatientToErase = { readonly clientId: number; readonly patientId: number; readonly now: Date };
type Reading = { readonly table: Table; readonly business: Business };
type Deps = Reading & { readonly documents: Documents };
type Records = { readonly user: UserRecord | undefined; readonly records: number; readonly orders: readonly Order[] };

export type Erasure = {
  readonly orders: readonly OrderErasure[];
  /** The patient's own record, null once erased; `records` counts their stored receivers. */
  readonly person: { readonly user: UserRecord; readonly records: number } | null;
  /** Orders whose invoice keeps its receiver through the day `until`. */
  readonly kept: readonly { readonly orderId: number; readonly cfdi: string; readonly until: string }[];
  /** Dispensed orders whose prescription documents are kept through the day `until`. */
  readonly retained: readonly { readonly orderId: number; readonly documents: number; readonly until: string }[];
};

/** Refuses an unknown patient, another role, and a patient with an open order or money on its way. */
export async function planErasure(request: PatientToErase, deps: Reading): Promise<Erasure> {
  const records = await readPatient(request, deps);
  refuseStranger(request, records);
  return toErasure(records, request, deps);
}

/** Plans an erasure that follows at once. Reopens a patient whom an interrupted run closed although an order is open. */
export async function prepareErasure(request: PatientToErase, deps: Reading): Promise<Erasure> {
  await refuseWhilePaused(deps.table, request.clientId);
  const records = await readPatient(request, deps);
  refuseStranger(request, records);
  return toErasureOrReopen(records, request, deps);
}

async function readPatient({ clientId, patientId }: PatientToErase, { table }: Reading): Promise<Records> {
  const [user, orders] = await Promise.all([
    userById(table, clientId, patientId),
    ordersOfPatient(table, clientId, patientId),
  ]);
  return { user, records: user ? (await recordsOfPerson(table, user)).length : 0, orders };
}

async function toErasureOrReopen(records: Records, request: PatientToErase, deps: Reading): Promise<Erasure> {
  const { user, orders } = records;
  if (user?.erasingAt && listReasons(orders).length > 0) await reopenPatient(deps.table, user);
  return toErasure(records, request, deps);
}

function toErasure({ user, records, orders }: Records, { now }: PatientToErase, { business }: Reading): Erasure {
  refuseOpen(orders);
  const day = toErasureDay(now, business.timeZone);
  return {
    orders: orders.flatMap((order) => planOrderErasure(order, day) ?? []),
    person: user ? { user, records } : null,
    ...listRetained(orders, day),
  };
}

export const isErased = ({ orders, person }: Erasure): boolean => orders.length === 0 && person === null;

function refuseStranger({ clientId, patientId }: PatientToErase, { user, orders }: Records): void {
  if (user ? user.role === 'patient' : orders.length > 0) return;
  if (!user) throw refusedToOperator('patient_unknown', { client: clientId, patient: patientId });
  throw refusedToOperator('user_not_a_patient', { user: patientId, role: user.role });
}

function refuseOpen(orders: readonly Order[]): void {
  const reasons = listReasons(orders);
  if (reasons.length > 0) throw refusedToOperator('patient_needed', { reasons: reasons.join('\n') });
}

const listReasons = (orders: readonly Order[]): string[] => orders.flatMap((order) => explainOpen(order) ?? []);

function explainOpen(order: Order): string | null {
  if (order.paymentStatus === 'paid' && isRefundDue(order))
    return `Order ${order.id} is cancelled and paid, and not refunded.`;
  return explainUndelivered(order) ?? explainPayment(order) ?? explainMoney(order) ?? explainInvoice(order);
}

function explainPayment(order: Order): string | null {
  const exceptions = listPaymentExceptions(order).join(', ');
  return exceptions === '' ? null : `The payment of order ${order.id} waits for somebody (${exceptions}).`;
}

/** Returns why money may still move, or null: it could not be returned to an erased patient. */
function explainMoney({ id, payment, refunds = [] }: Order): string | null {
  if (payment?.attempts.some((attempt) => !isAttemptOver(attempt)))
    return `Order ${id} may still be paid: one of its payment attempts is not over.`;
  if (payment?.isAccountWatched)
    return `Money may still come to the CLABE of order ${id}: it is watched for ${ACCOUNT_DAYS} days after its last payment attempt.`;
  const isRefunding = refunds.some((refund) => getRefundStatus(refund) === 'pending');
  return isRefunding ? `A refund of order ${id} is under way.` : null;
}

function explainUndelivered({ id, orderStatus, paymentStatus }: Order): string | null {
  if (orderStatus === 'cancelled' || (orderStatus === 'delivered' && paymentStatus === 'paid')) return null;
  return orderStatus === 'delivered'
    ? `Order ${id} is not paid but ${paymentStatus}.`
    : `Order ${id} is ${orderStatus}.`;
}

function explainInvoice(order: Order): string | null {
  const { id } = order;
  if (getNextDue(order)) return `The invoice of order ${id} is being worked on (${getListStatus(order)}).`;
  const actions = listOpenActions(order).join(', ');
  return actions === '' ? null : `The invoice of order ${id} waits for somebody (${actions}).`;
}

function listRetained(orders: readonly Order[], day: ErasureDay): Pick<Erasure, 'kept' | 'retained'> {
  const all = orders.map((order) => ({ orderId: order.id, cfdi: order.cfdi, ...getRetained(order, day) }));
  return {
    kept: all.flatMap(({ orderId, cfdi, receiverUntil: until }) => (until ? [{ orderId, cfdi, until }] : [])),
    retained: all.flatMap(({ orderId, documents = [], documentsUntil: until }) =>
      until ? [{ orderId, documents: documents.length, until }] : [],
    ),
  };
}

// For orders, person and a last check, and again for orders that change meanwhile.
const ROUNDS = 12;

/**
 * Erases a patient: of each order the documents, sandbox invoices and copies, and at last their own record, so that an
 * interrupted run can be repeated. The patient is first closed to new orders; one placed just before refuses the erasure like
 * any open order, and reopens the patient.
 */
export async function erasePatient(
  request: PatientToErase & Operation,
  deps: Deps,
  onProgress: (done: number) => void = () => undefined,
): Promise<void> {
  const { person } = await prepareErasure(request, deps);
  if (person) await closePatient(deps.table, person.user, request.now);
  for (let round = 0; round < ROUNDS; round++) {
    const remaining = await toErasureOrReopen(await readPatient(request, deps), request, deps);
    // An interrupted run, or an order refused meanwhile, may have left a name.
    if (isErased(remaining)) return removeNames(deps.table, { clientId: request.clientId, id: request.patientId });
    if (remaining.orders.length > 0) await eraseOrders(remaining.orders, { ...deps, ...request }, onProgress);
    else if (remaining.person) await removePerson(deps.table, remaining.person.user);
  }
  throw refusedToOperator('patient_busy', {});
}

async function eraseOrders(
  orders: Erasure['orders'],
  { operator, now, ...deps }: Deps & Operation,
  onProgress: (done: number) => void,
): Promise<void> {
  for (const [index, erasure] of orders.entries()) {
    // The next round takes orders that changed meanwhile.
    await eraseOrder(erasure, { by: { operator }, now }, deps);
    onProgress((index + 1) / orders.length);
  }
}

export async function ordersOfPatient(table: Table, clientId: number, patientId: number): Promise<Order[]> {
  const entries = await table.all({ pk: createdPartition(clientId, patientViewer(patientId)) });
  return getOrders(table, clientId, entries.map(parseOrderId));
}

/** Closes a patient to new orders, until they are removed or `reopenPatient` is called. */
export async function closePatient(table: Table, { clientId, id }: UserRecord, now: Date): Promise<void> {
  const where = `${PRESENT} AND attribute_not_exists(erasingAt)`;
  await table.tryUpdate(toUpdate(userKey(clientId, id), { set: { erasingAt: now.toISOString() }, where }));
}

export async function reopenPatient(table: Table, { clientId, id }: UserRecord): Promise<void> {
  await table.tryUpdate(toUpdate(userKey(clientId, id), { remove: ['erasingAt'], where: PRESENT }));
}

async function recordsOfPerson(table: Table, { clientId, id }: UserRecord): Promise<Key[]> {
  const own = userKey(clientId, id);
  const items = await table.all({ pk: own.pk });
  return items.filter(({ sk }) => sk !== own.sk).map(toKey);
}

/** The person goes last, so that an interrupted run can be repeated. Returns false if they changed since they were read. */
export async function removePerson(table: Table, user: UserRecord): Promise<boolean> {
  await removeNames(table, user);
  await removeLoginTries(table, user.clientId, user.email);
  await table.deleteAll(await recordsOfPerson(table, user));
  return table.tryTransact(removalWrites(user));
}

function removalWrites({ clientId, id, email, phone, version }: UserRecord): Write[] {
  const isUnchanged = { ConditionExpression: 'version = :version', ExpressionAttributeValues: { ':version': version } };
  const isTheirs = { ConditionExpression: `${ABSENT} OR userId = :user`, ExpressionAttributeValues: { ':user': id } };
  return [
    { Delete: { Key: userKey(clientId, id), ...isUnchanged } },
    { Delete: { Key: emailKey(clientId, email), ...isTheirs } },
    ...(phone === '' ? [] : [{ Delete: { Key: phoneKey(clientId, phone), ...isTheirs } }]),
  ];
}
