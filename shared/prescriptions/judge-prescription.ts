import { isDeepStrictEqual } from 'node:util';
import { refusedToOperator } from '../domain/operator-refusal.ts';
import { localDate } from '../domain/working-day.ts';
import { type Changed, commitOperation, type Operation, type Seen, seenOrder } from '../order/operate-order.ts';
import type { Order } from '../order/order.ts';
import type { Happening } from '../order/order-events.ts';
import type { OrderPrescription } from '../order/order-parts.ts';
import { type DocumentUse, describeUse, findDocumentUses } from '../order/rows/document-rows.ts';
import type { Business } from '../runtime/config.ts';
import type { Table } from '../store/table.ts';
import {
  countDaysSince,
  hasExpired,
  isThreat,
  type PrescribedQuantity,
  type Prescriber,
  sumPrescribed,
} from './rules/prescription.ts';

type Acceptance = {
  /** `accepted`: may be older than `maximumAgeDays`. */
  readonly age: 'checked' | 'accepted';
  /** `accepted`: the document may be in another order. */
  readonly copy: 'checked' | 'accepted';
};

type Verifying = Operation &
  Seen & {
    /** One prescription of the order, or undefined for all that were not rejected. */
    readonly prescription: number | undefined;
    readonly prescriber?: Prescriber | undefined;
    /** Changes the order further in the same write, such as approving it; if it throws, nothing is verified. */
    readonly andThen?: ((order: Order) => Changed) | undefined;
  } & Acceptance;

type Rejecting = Operation &
  Seen & {
    /** Undefined for the only prescription of the order. */
    readonly prescription: number | undefined;
    readonly reason: string;
  };

type Deps = { readonly table: Table; readonly business: Business; readonly maximumAgeDays: number };

/** Another prescription with the document of prescription `of`. */
export type Copy = DocumentUse & { readonly of: number };

export type Terms = { readonly today: string; readonly maximumAgeDays: number; readonly copies: readonly Copy[] };
type Judged = { readonly order: Order; readonly judged: readonly OrderPrescription[] };

/** `copies`: other prescriptions with the same documents. */
type Verified = Judged & { readonly copies: readonly Copy[] };

/**
 * Records that a pharmacist verified prescriptions for the order's present lines that require one. A verification for the same
 * lines stays as it is, one for other lines is replaced. A rejected prescription is verified only by its id. Throws
 * `move_not_allowed` for defects that the operator has to accept first.
 */
export async function verifyPrescription(verifying: Verifying, deps: Deps): Promise<Verified> {
  const { prescription, prescriber, operator: by, now } = verifying;
  const before = await seenOrder(deps.table, verifying);
  const choice = choosePrescriptions(before, prescription);
  if (prescriber && choice.length > 1) {
    throw refusedToOperator('prescriber_of_one', { order: before.id, count: choice.length });
  }
  const copies = await findCopies(before, choice, deps.table);
  const terms = { today: localDate(now, deps.business.timeZone), maximumAgeDays: deps.maximumAgeDays, copies };
  refuseUnverifiable(before, choice, { ...terms, age: verifying.age, copy: verifying.copy });
  const lines = sumPrescribed(before.lines);
  const at = now.toISOString();
  const verified = choice.map((item): OrderPrescription => {
    const age = isTooOld(item, terms) ? ({ isAgeAccepted: true } as const) : {};
    const verification = isVerifiedFor(item, lines) ? item.verification : { at, by, lines, ...age };
    return { ...replaceRejection(item, null), verification, prescriber: prescriber ?? item.prescriber };
  });
  const fresh = choice.filter((item) => !isVerifiedFor(item, lines));
  const tooOld = fresh.filter((item) => isTooOld(item, terms));
  const corrected = choice.filter(
    (item) => prescriber && isVerifiedFor(item, lines) && !isDeepStrictEqual(prescriber, item.prescriber),
  );
  const events = [
    ...toEvents('prescription_verified', fresh),
    ...toEvents('prescription_age_accepted', tooOld),
    ...toEvents('prescriber_recorded', corrected),
  ];
  return { ...(await replacePrescriptions(before, verified, events, verifying, deps.table)), copies };
}

const toEvents = (what: Happening['what'], prescriptions: readonly OrderPrescription[]): Happening[] =>
  prescriptions.length === 0 ? [] : [{ what, prescriptions: prescriptions.map(({ id }) => id) }];

/** Sets or removes the rejection; a former one is kept for good. */
const replaceRejection = (
  { pastRejections = [], ...prescription }: OrderPrescription,
  rejection: OrderPrescription['rejection'],
): OrderPrescription => {
  const past = [...pastRejections, ...(prescription.rejection ? [prescription.rejection] : [])];
  return { ...prescription, rejection, ...(past.length > 0 && { pastRejections: past }) };
};

/** Throws `move_not_allowed` for defects that are not accepted; a verification for the same lines needs no new acceptance. */
export function refuseUnverifiable(
  order: Order,
  choice: readonly OrderPrescription[],
  { age, copy, ...terms }: Terms & Acceptance,
): void {
  const { id } = order;
  const threat = choice.find(isThreat);
  if (threat) throw refusedToOperator('prescription_threat', { prescription: threat.id, order: id });
  const expired = choice.find((item) => hasExpired(item, terms.today));
  if (expired) {
    const day = expired.expiringDate ?? '';
    throw refusedToOperator('prescription_expired', { prescription: expired.id, order: id, day });
  }
  const lines = sumPrescribed(order.lines);
  const open = choice.filter((item) => !isVerifiedFor(item, lines));
  const tooOld = open.find((item) => isTooOld(item, terms));
  if (tooOld && age === 'checked') {
    const { id: prescription, issueDate: day } = tooOld;
    throw refusedToOperator('prescription_too_old', { prescription, order: id, day, days: terms.maximumAgeDays });
  }
  const elsewhere = terms.copies.filter(({ of, orderId }) => orderId !== id && open.some((item) => item.id === of));
  const [first] = elsewhere;
  if (!first || copy === 'accepted') return;
  const orders = [...new Set(elsewhere.filter(({ of }) => of === first.of).map(({ orderId }) => orderId))].join(', ');
  throw refusedToOperator('prescription_copied', { prescription: first.of, order: id, orders });
}

const isVerifiedFor = ({ verification }: OrderPrescription, lines: readonly PrescribedQuantity[]): boolean =>
  isDeepStrictEqual(verification?.lines, lines);

const isTooOld = ({ issueDate }: OrderPrescription, { today, maximumAgeDays }: Omit<Terms, 'copies'>): boolean =>
  countDaysSince(issueDate, today) > maximumAgeDays;

/** Replaces prescriptions by id; writes nothing if none changes. */
async function replacePrescriptions(
  before: Order,
  judged: readonly OrderPrescription[],
  events: readonly Happening[],
  operation: Operation & Pick<Verifying, 'andThen'>,
  table: Table,
): Promise<Judged> {
  const byId = new Map(judged.map((item) => [item.id, item]));
  const prescriptions = before.prescriptions.map((item) => {
    const next = byId.get(item.id) ?? item;
    return isDeepStrictEqual(next, item) ? item : { ...next, updatedAt: operation.now.toISOString() };
  });
  const order = { ...before, prescriptions };
  const { after, events: more } = operation.andThen?.(order) ?? { after: order, events: [] };
  if (isDeepStrictEqual(after, before)) return { order: before, judged };
  return { order: await commitOperation(table, before, after, operation, ...events, ...more), judged };
}

/** Returns the prescription with this id, or without one all that were not rejected. Throws if there is none. */
function choosePrescriptions({ id, prescriptions }: Order, prescription: number | undefined): OrderPrescription[] {
  const choice = prescriptions.filter((item) =>
    prescription === undefined ? item.rejection === null : item.id === prescription,
  );
  if (choice.length > 0) return choice;
  if (prescription === undefined && prescriptions.length > 0) {
    throw refusedToOperator('prescriptions_all_rejected', { order: id });
  }
  throw refusedToOperator('prescription_unknown', { order: id });
}

/** A prescription under which medicines were dispensed cannot be rejected, since the dispensing record stands. */
export async function rejectPrescription(rejecting: Rejecting, table: Table): Promise<Judged> {
  const { operator: by, reason, now } = rejecting;
  const before = await seenOrder(table, rejecting);
  const prescription = choosePrescription(before, rejecting.prescription);
  refuseDispensed(before, prescription);
  const rejection = { at: now.toISOString(), by, reason };
  const rejected = { ...replaceRejection(prescription, rejection), verification: null };
  const events = [{ what: 'prescription_rejected', prescriptions: [prescription.id], reason } as const];
  return replacePrescriptions(before, [rejected], events, rejecting, table);
}

function choosePrescription({ id, prescriptions }: Order, prescription: number | undefined): OrderPrescription {
  const [choice, another] = prescriptions.filter((item) => prescription === undefined || item.id === prescription);
  if (!choice) throw refusedToOperator('prescription_unknown', { order: id });
  if (!another) return choice;
  throw refusedToOperator('prescription_not_chosen', { order: id, count: prescriptions.length });
}

/** Throws `move_not_allowed` if medicines were dispensed under this prescription. */
export function refuseDispensed({ id, dispensed }: Order, { id: prescription }: OrderPrescription): void {
  if (!dispensed?.under.includes(prescription)) return;
  throw refusedToOperator('prescription_dispensed', { order: id, prescription });
}

// More than a person reads.
const MOST_COPIES = 20;

/** Returns other prescriptions, judged or not, with the documents of these, in this order or any other; one query for each. */
export async function findCopies(
  order: Order,
  prescriptions: readonly OrderPrescription[],
  table: Table,
): Promise<Copy[]> {
  const copies = await Promise.all(prescriptions.map((prescription) => findCopiesOf(prescription, order, table)));
  return copies.flat();
}

async function findCopiesOf({ id, documentHash }: OrderPrescription, order: Order, table: Table): Promise<Copy[]> {
  const uses = await findDocumentUses(table, documentHash, MOST_COPIES);
  const elsewhere = uses
    .filter(({ orderId }) => orderId !== order.id)
    .sort((one, other) => one.orderId - other.orderId || one.prescriptionId - other.prescriptionId);
  const here = order.prescriptions
    .filter((other) => other.id !== id && other.documentHash === documentHash)
    .map((other) => describeUse(order.id, other));
  return [...here, ...elsewhere].map((use) => ({ of: id, ...use }));
}
