import { erase } from '../domain/erasure.ts';
import { localDate } from '../domain/working-day.ts';
import { endTask, listDocuments, mapDocuments, type TaxDocument } from '../invoices/rules/tax-document.ts';
import { makeSandboxId, sandboxObject } from '../invoices/sandbox/document.ts';
import { isPatientErased, type Order, storedOrder } from '../order/order.ts';
import { type Act, eraseOrderEvents } from '../order/order-events.ts';
import { replaceOrderWrites } from '../order/order-writes.ts';
import { getOrder, nextVersion } from '../order/orders.ts';
import { dueRetainedRows, type RetainedRow } from '../order/rows/document-rows.ts';
import { type Person, storedInvoicing } from '../people/person.ts';
import { getPrescriptionRetentionEnd, isDispensed } from '../prescriptions/rules/prescription.ts';
import type { Business } from '../runtime/config.ts';
import { type Documents, listInvoiceObjects } from '../store/documents.ts';
import { type Outcomes, processInBatches } from '../store/pause.ts';
import type { Table } from '../store/table.ts';

export type ErasureDay = { readonly at: string; readonly today: string; readonly timeZone: string };
export type OrderErasure = { readonly before: Order; readonly after: Order };
type Retained = NonNullable<Order['retained']>;
type Deps = { readonly table: Table; readonly business: Business; readonly documents: Documents };

/** Returns an order with and without the data to erase on this day; null if nothing has to be erased. */
export function planOrderErasure(before: Order, day: ErasureDay): OrderErasure | null {
  const after = withoutPatient(before, day);
  return JSON.stringify(after) === JSON.stringify(before) ? null : { before, after };
}

/** Erases files for good, then the patient's data. Safe to repeat; returns false if the order changed meanwhile. */
export async function eraseOrder(
  { before, after }: OrderErasure,
  act: Act,
  { table, documents }: { readonly table: Table; readonly documents: Documents },
): Promise<boolean> {
  await documents.eraseAll([...removedDocuments(before, after), ...listErasedFiles(before, after)]);
  if (!isPatientErased(before)) await eraseOrderEvents(table, before.id);
  const next = nextVersion(before, { ...after, updatedAt: act.now.toISOString() });
  return table.tryTransact(replaceOrderWrites(before, next, act, { what: 'erased' }));
}

export function removedDocuments(before: Order, after: Order): string[] {
  const retained = new Set(retainedDocuments(after));
  const all = [...before.prescriptions.map(({ documentKey }) => documentKey), ...retainedDocuments(before)];
  return all.filter((document) => !retained.has(document));
}

const retainedDocuments = ({ retained }: Order): string[] =>
  (retained?.documents ?? []).map(({ documentKey }) => documentKey);

/** Returns the objects of lost copies of tax documents, and those of the sandbox; a provider keeps its own. */
function listErasedFiles(before: Order, after: Order): string[] {
  const copied = listDocuments(after).filter(isCopied);
  const keys = new Set(copied.map(({ key }) => key));
  const lost = listDocuments(before).filter(({ key }) => !keys.has(key));
  const copies = lost.filter(isCopied).flatMap(({ key }) => listInvoiceObjects(key));
  const sandboxed = isPatientErased(before) ? [] : lost.map(({ key }) => sandboxObject(makeSandboxId(key)));
  return [...copies, ...sandboxed];
}

/** True if our bucket has a copy, or a job may be making one. */
const isCopied = ({ kept, tasks }: TaxDocument): boolean => kept.length > 0 || tasks.archive !== undefined;

export const toErasureDay = (now: Date, timeZone: string): ErasureDay => {
  return { at: now.toISOString(), today: localDate(now, timeZone), timeZone };
};

/**
 * Returns an order without personal data of its patient, except for the invoice's receiver, the copies of tax documents and
 * the prescriptions of a dispensed order, which stay as long as tax and health law require. An erased order is returned
 * unchanged until such a term ends.
 */
export function withoutPatient(order: Order, day: ErasureDay): Order {
  const retained = getRetained(order, day);
  const erased = erase(storedOrder, order);
  const { id, deletedAt = day.at } = order.patient;
  const choose = (stored: Person, copy: Person) => (stored.id === id ? { ...copy, deletedAt } : stored);
  return {
    ...erased,
    ...(retained?.receiverUntil && eraseReceivers(order)),
    patient: { ...erased.patient, deletedAt },
    generatedBy: choose(order.generatedBy, erased.generatedBy),
    updatedBy: choose(order.updatedBy, erased.updatedBy),
    ...eraseArchives(erased, retained),
    retained,
  };
}

const eraseReceivers = ({ invoicing, replacementInvoicing }: Order): Partial<Order> => ({
  invoicing: invoicing && erase(storedInvoicing, invoicing),
  ...(replacementInvoicing && { replacementInvoicing: erase(storedInvoicing, replacementInvoicing) }),
});

const eraseArchives = (order: Order, retained: Order['retained']) =>
  mapDocuments(order, (document) => {
    const isKept = retained?.copiesUntil && !isSandboxed(document);
    return isKept ? document : endTask({ ...document, kept: [] }, 'archive');
  });

/** The sandbox makes no real tax documents. */
const isSandboxed = ({ key, providerId }: TaxDocument): boolean => providerId === makeSandboxId(key);

/** Returns what an erased order must keep; null if nothing, or after all terms. */
export function getRetained(order: Order, day: ErasureDay): Order['retained'] {
  const until = getTaxRetentionEnd(order, day.timeZone);
  const taxUntil = day.today <= until ? until : null;
  const receiverUntil = hasReceiver(order) ? taxUntil : null;
  const copiesUntil = hasCopies(order) ? taxUntil : null;
  const documents = retainDocuments(order, day);
  const isEmpty = [documents.documentsUntil, receiverUntil, copiesUntil].every((day) => day === null);
  return isEmpty ? null : { ...documents, receiverUntil, copiesUntil };
}

const hasReceiver = ({ invoicing, cfdi }: Order): boolean => invoicing !== null && cfdi !== '';

/** The credit notes of an order in a global invoice have copies too, and no receiver of their own. */
const hasCopies = (order: Order): boolean =>
  listDocuments(order).some((document) => isCopied(document) && !isSandboxed(document));

const NO_DOCUMENTS = { documents: [], documentsUntil: null } as const;

function retainDocuments(order: Order, day: ErasureDay): Pick<Retained, 'documents' | 'documentsUntil'> {
  const { documents, documentsUntil } = order.retained ?? listPrescriptionDocuments(order, day);
  const isKept = documents.length > 0 && documentsUntil !== null && day.today <= documentsUntil;
  return isKept ? { documents, documentsUntil } : NO_DOCUMENTS;
}

function listPrescriptionDocuments(order: Order, { timeZone }: ErasureDay) {
  const { orderStatus, receivingDate, updatedAt, prescriptions } = order;
  if (!isDispensed(orderStatus)) return NO_DOCUMENTS;
  const documents = prescriptions.map(({ id, documentKey, documentType, documentHash, scan, rejection }) => {
    const states = { ...(scan && { scan }), ...(rejection && { isRejected: true as const }) };
    return { id, documentKey, documentType, documentHash, ...states };
  });
  const dispensedOn = localDate(new Date(receivingDate ?? updatedAt), timeZone);
  return { documents, documentsUntil: getPrescriptionRetentionEnd(dispensedOn) };
}

// A run ends long before the next one, which takes the remaining orders.
const RUN_MS = 10 * 60 * 1_000;
const ORDERS_PER_RUN = 1_000;

/** Erases prescriptions, receivers and copies of tax documents whose retention has ended. Safe to run twice and concurrently. */
export async function eraseRetained(act: Act, deps: Deps): Promise<Outcomes> {
  const today = localDate(act.now, deps.business.timeZone);
  const due = await dueRetainedRows(deps.table, { today, limit: ORDERS_PER_RUN });
  return processInBatches(deps.table, due, { timeoutMs: RUN_MS }, (row) => eraseDueRecords(row, act, deps));
}

async function eraseDueRecords({ clientId, orderId }: RetainedRow, act: Act, deps: Deps): Promise<string> {
  const order = await getOrder(deps.table, { clientId, id: orderId });
  if (!order) throw new Error('a row of an erased order is of no order');
  const erasure = planOrderErasure(order, toErasureDay(act.now, deps.business.timeZone));
  if (!erasure) return 'done';
  return (await eraseOrder(erasure, act, deps)) ? 'erased' : 'later';
}

const RETENTION_YEARS = 5;
const YEAR = 'YYYY'.length;

/** The times of an order's events that a tax return includes. */
export type TaxedOrder = {
  readonly createdAt: string;
  readonly paymentDate: string | null;
  readonly invoice: Issued | null;
  readonly documents: readonly Issued[];
};
type Issued = { readonly issuedAt: string | null };

/**
 * Returns the last day (`YYYY-MM-DD`) on which an invoiced order's records must be kept: five years after the annual return of
 * the last year in which it had effects (CFF art. 30). Companies file it by 31 March (LISR art. 76), persons by 30 April (LISR
 * art. 150); the later date counts. A corrected return or an appeal extends the period, which this function cannot know.
 */
export const getTaxRetentionEnd = (order: TaxedOrder, timeZone: string): string =>
  `${findLastYear(order, timeZone) + 1 + RETENTION_YEARS}-04-30`;

// A sale has effects again when it is paid (LIVA art. 1-B) and when a credit note reduces its month's IVA (LIVA art. 7).
function findLastYear({ createdAt, paymentDate, invoice, documents }: TaxedOrder, timeZone: string): number {
  const issueTimes = [invoice, ...documents].map((document) => document?.issuedAt);
  const times = [createdAt, paymentDate, ...issueTimes].filter((time) => typeof time === 'string');
  return Math.max(...times.map((time) => toYear(time, timeZone)));
}

const toYear = (time: string, timeZone: string): number => Number(localDate(new Date(time), timeZone).slice(0, YEAR));
