import { joinTexts, refusedToOperator } from '../domain/operator-refusal.ts';
import { getListStatus, getNextDue, listOpenActions } from '../invoices/rules/invoice-status.ts';
import type { Text } from '../messages/say.ts';
import { ORDER_STATUS_TEXTS, PAYMENT_STATUS_TEXTS, quoteStatus } from '../messages/status-texts.ts';
import type { Operation } from '../order/operate-order.ts';
import type { Order } from '../order/order.ts';
import { getRefundStatus } from '../order/rules/status.ts';
import { isAttemptOver } from '../payments/rules/order-payment.ts';
import { ACCOUNT_DAYS } from '../payments/rules/payment.ts';
import { listPaymentExceptions } from '../payments/rules/payment-exceptions.ts';
import { isRefundDue } from '../payments/rules/refunds.ts';
import { removeNames } from '../people/name-index.ts';
import { type UserRecord, userById } from '../people/users.ts';
import type { Business } from '../runtime/config.ts';
import type { Documents } from '../store/documents.ts';
import { refuseWhilePaused } from '../store/pause.ts';
import type { Table } from '../store/table.ts';
import {
  type ErasureDay,
  eraseOrder,
  getRetained,
  type OrderErasure,
  planOrderErasure,
  toErasureDay,
} from './erase-order.ts';
import { closePatient, ordersOfPatient, recordsOfPerson, removePerson, reopenPatient } from './patient-records.ts';

export type PatientToErase = { readonly clientId: number; readonly patientId: number; readonly now: Date };
type Erasing = PatientToErase & Operation;
type Reading = { readonly table: Table; readonly business: Business };
type Deps = Reading & { readonly documents: Documents };

/** The data of a patient that is yet to be removed, and the records that are kept. It holds nothing personal itself. */
export type Erasure = {
  /** The orders that hold copies of the patient, before and after the erasure. */
  readonly orders: readonly OrderErasure[];
  /** The patient's own record, null once it is gone; `records` counts the receivers stored beside it. */
  readonly person: { readonly user: UserRecord; readonly records: number } | null;
  /** The orders whose invoice keeps its receiver until the end of the day `until`. */
  readonly kept: readonly { readonly orderId: number; readonly cfdi: string; readonly until: string }[];
  /** The dispensed orders whose prescription documents are kept until the end of the day `until`. */
  readonly retained: readonly { readonly orderId: number; readonly documents: number; readonly until: string }[];
};

/**
 * Plans the erasure of a patient. Refused if there is no such patient, if the user has another role, and while one of
 * the patient's orders is open or its money on its way.
 */
export async function planErasure(asked: PatientToErase, deps: Reading): Promise<Erasure> {
  const found = await readPatient(asked, deps);
  refuseStranger(asked, found);
  return toErasure(found, asked, deps);
}

/**
 * Plans an erasure that is to be done next, with the refusals of `planErasure`. A run that was cut off may have closed the
 * patient around an open order: then they are opened again, so that the order can be finished.
 */
export async function prepareErasure(asked: PatientToErase, deps: Reading): Promise<Erasure> {
  await refuseWhilePaused(deps.table, asked.clientId);
  const found = await readPatient(asked, deps);
  refuseStranger(asked, found);
  return toErasureOrReopen(found, asked, deps);
}

type Found = { readonly user: UserRecord | undefined; readonly records: number; readonly orders: readonly Order[] };

async function readPatient({ clientId, patientId }: PatientToErase, { table }: Reading): Promise<Found> {
  const [user, orders] = await Promise.all([
    userById(table, clientId, patientId),
    ordersOfPatient(table, clientId, patientId),
  ]);
  return { user, records: user ? (await recordsOfPerson(table, user)).length : 0, orders };
}

async function toErasureOrReopen(found: Found, asked: PatientToErase, deps: Reading): Promise<Erasure> {
  const { user, orders } = found;
  if (user?.erasingAt && explainOpenOrders(orders).length > 0) await reopenPatient(deps.table, user);
  return toErasure(found, asked, deps);
}

function toErasure({ user, records, orders }: Found, { now }: PatientToErase, { business }: Reading): Erasure {
  refuseOpen(orders);
  const day = toErasureDay(now, business.timeZone);
  return {
    orders: orders.flatMap((order) => planOrderErasure(order, day) ?? []),
    person: user ? { user, records } : null,
    ...listRetained(orders, day),
  };
}

/** True when nothing is left to remove. */
export const isErased = ({ orders, person }: Erasure): boolean => orders.length === 0 && person === null;

function refuseStranger({ clientId, patientId }: PatientToErase, { user, orders }: Found): void {
  if (user ? user.role === 'patient' : orders.length > 0) return;
  if (!user) throw refusedToOperator('patient_unknown', { client: clientId, patient: patientId });
  throw refusedToOperator('user_not_a_patient', { user: patientId, role: user.role });
}

function refuseOpen(orders: readonly Order[]): void {
  const reasons = explainOpenOrders(orders);
  if (reasons.length === 0) return;
  throw refusedToOperator('patient_needed', { reasons: joinTexts(reasons, '\n') });
}

const explainOpenOrders = (orders: readonly Order[]): Text[] => orders.flatMap((order) => explainOpen(order) ?? []);

/** Returns the reason why an order still needs its patient (delivery, payment or invoice), or null. */
function explainOpen(order: Order): Text | null {
  const { id } = order;
  if (order.paymentStatus === 'paid' && isRefundDue(order)) {
    return {
      es: `La orden ${id} está cancelada y pagada, y no se ha devuelto.`,
      en: `Order ${id} is cancelled and paid, and not refunded.`,
    };
  }
  return explainUndelivered(order) ?? explainPayment(order) ?? explainMoney(order) ?? explainInvoice(order);
}

function explainPayment(order: Order): Text | null {
  const waiting = listPaymentExceptions(order).join(', ');
  if (waiting === '') return null;
  return {
    es: `El pago de la orden ${order.id} espera a una persona (${waiting}).`,
    en: `The payment of order ${order.id} waits for somebody (${waiting}).`,
  };
}

/** Returns how money of an order is still on its way, or null; nobody could give it back to an erased patient. */
function explainMoney({ id, payment, refunds = [] }: Order): Text | null {
  if (payment?.attempts.some((attempt) => !isAttemptOver(attempt))) {
    return {
      es: `La orden ${id} todavía puede pagarse: uno de sus intentos de pago no ha terminado.`,
      en: `Order ${id} may still be paid: one of its payment attempts is not over.`,
    };
  }
  if (payment?.isAccountWatched) {
    return {
      es: `A la CLABE de la orden ${id} todavía puede llegar dinero: se vigila ${ACCOUNT_DAYS} días desde su último intento de pago.`,
      en: `Money may still come to the CLABE of order ${id}: it is watched for ${ACCOUNT_DAYS} days after its last payment attempt.`,
    };
  }
  if (!refunds.some((refund) => getRefundStatus(refund) === 'pending')) return null;
  return {
    es: `Una devolución de la orden ${id} está en proceso.`,
    en: `A refund of order ${id} is under way.`,
  };
}

function explainUndelivered({ id, orderStatus, paymentStatus }: Order): Text | null {
  if (orderStatus === 'cancelled' || (orderStatus === 'delivered' && paymentStatus === 'paid')) return null;
  if (orderStatus === 'delivered') {
    const { es, en } = quoteStatus(paymentStatus, PAYMENT_STATUS_TEXTS);
    return { es: `El pago de la orden ${id} está en ${es}.`, en: `Order ${id} is not paid but ${en}.` };
  }
  const { es, en } = quoteStatus(orderStatus, ORDER_STATUS_TEXTS);
  return { es: `La orden ${id} está en ${es}.`, en: `Order ${id} is ${en}.` };
}

function explainInvoice(order: Order): Text | null {
  const { id } = order;
  const status = getListStatus(order);
  if (getNextDue(order)) {
    return {
      es: `La factura de la orden ${id} está en proceso (${status}).`,
      en: `The invoice of order ${id} is being worked on (${status}).`,
    };
  }
  const waiting = listOpenActions(order).join(', ');
  if (waiting === '') return null;
  return {
    es: `La factura de la orden ${id} espera a una persona (${waiting}).`,
    en: `The invoice of order ${id} waits for somebody (${waiting}).`,
  };
}

/** Lists the records that are kept of orders, whose invoice or dispensing the law has a term for. */
function listRetained(orders: readonly Order[], day: ErasureDay): Pick<Erasure, 'kept' | 'retained'> {
  const all = orders.map((order) => ({ orderId: order.id, cfdi: order.cfdi, ...getRetained(order, day) }));
  return {
    kept: all.flatMap(({ orderId, cfdi, receiverUntil: until }) => (until ? [{ orderId, cfdi, until }] : [])),
    retained: all.flatMap(({ orderId, documents = [], documentsUntil: until }) =>
      until ? [{ orderId, documents: documents.length, until }] : [],
    ),
  };
}

// Orders, person, and a look that nothing is left, when nobody else changes the patient's orders.
const ROUNDS = 12;

/**
 * Erases a patient: the documents, invoices of the sandbox and copies of each order, and at last the record with its e-mail
 * and phone, so that a run that was cut off can be repeated. The patient is closed to every order before; one that was placed
 * just before that refuses the erasure as any open order does, and opens the patient again.
 */
export async function erasePatient(
  asked: Erasing,
  deps: Deps,
  onProgress: (done: number) => void = () => undefined,
): Promise<void> {
  const { person } = await prepareErasure(asked, deps);
  if (person) await closePatient(deps.table, person.user, asked.now);
  for (let round = 0; round < ROUNDS; round++) {
    const left = await toErasureOrReopen(await readPatient(asked, deps), asked, deps);
    // A run that was cut off, or an order that was refused meanwhile, may have left a name.
    if (isErased(left)) return removeNames(deps.table, { clientId: asked.clientId, id: asked.patientId });
    if (left.orders.length > 0) await eraseOrders(left.orders, { ...deps, ...asked }, onProgress);
    else if (left.person) await removePerson(deps.table, left.person.user);
  }
  throw refusedToOperator('patient_busy', {});
}

async function eraseOrders(
  orders: Erasure['orders'],
  { operator, now, ...deps }: Deps & Operation,
  onProgress: (done: number) => void,
): Promise<void> {
  for (const [index, erasure] of orders.entries()) {
    // An order that was changed since it was read is left to the next round.
    await eraseOrder(erasure, { by: { operator }, now }, deps);
    onProgress((index + 1) / orders.length);
  }
}
