import { isDeepStrictEqual } from 'node:util';
import { refusedToOperator } from '../domain/operator-refusal.ts';
import { localDate } from '../domain/working-day.ts';
import { commitOperation, type Operation, type Seen, seenOrder } from '../order/operate-order.ts';
import type { Order } from '../order/order.ts';
import type { Happening } from '../order/order-events.ts';
import type { OrderPrescription } from '../order/order-parts.ts';
import { type DocumentUse, describeUse, findDocumentUses } from '../order/rows/prescription-records.ts';
import type { Business } from '../runtime/config.ts';
import type { Table } from '../store/table.ts';
import {
  countDaysSince,
  hasExpired,
  type PrescribedQuantity,
  type Prescriber,
  sumPrescribed,
} from './rules/prescription.ts';

type Verifying = Operation &
  Seen & {
    /** The id of one prescription of the order; undefined for all of them that were not rejected. */
    readonly prescription: number | undefined;
    /** The author of the one that is verified. */
    readonly prescriber?: Prescriber | undefined;
  } & Acceptance;
/** The faults of a prescription that the operator accepts. */
type Acceptance = {
  /** `accepted` if it may be older than `maximumAgeDays`. */
  readonly age: 'checked' | 'accepted';
  /** `accepted` if its document may stand in another order. */
  readonly copy: 'checked' | 'accepted';
};
type Deps = { readonly table: Table; readonly business: Business; readonly maximumAgeDays: number };

/** The order, and those of its prescriptions that were meant. */
type Judged = { readonly order: Order; readonly meant: readonly OrderPrescription[] };
/** The same with the copies of what was verified. */
type Verified = Judged & { readonly copies: readonly Copy[] };

/**
 * Records that a pharmacist verified prescriptions of an order for what it has now of products that require one. One that
 * was verified for the same stays verified as it is; one that was verified for other lines is verified for the present ones
 * alone. One that was rejected is verified only by its id. Throws `move_not_allowed` for what the operator has to accept first.
 */
export async function verifyPrescription(verifying: Verifying, deps: Deps): Promise<Verified> {
  const { prescription, prescriber, operator: by, now } = verifying;
  const before = await seenOrder(deps.table, verifying);
  const meant = chooseMeant(before, prescription);
  if (prescriber && meant.length > 1) {
    throw refusedToOperator('prescriber_of_one', { order: before.id, count: meant.length });
  }
  const copies = await findCopies(before, meant, deps.table);
  const terms = { today: localDate(now, deps.business.timeZone), maximumAgeDays: deps.maximumAgeDays, copies };
  refuseUnverifiable(before, meant, { ...terms, age: verifying.age, copy: verifying.copy });
  const lines = sumPrescribed(before.lines);
  const at = now.toISOString();
  const verified = meant.map((each): OrderPrescription => {
    const age = isTooOld(each, terms) ? ({ isAgeAccepted: true } as const) : {};
    const verification = isVerifiedFor(each, lines) ? each.verification : { at, by, lines, ...age };
    return { ...judgeAnew(each, null), verification, prescriber: prescriber ?? each.prescriber };
  });
  const isNew = (each: OrderPrescription) => !isVerifiedFor(each, lines);
  const events = [
    ...tell('prescription_verified', meant.filter(isNew)),
    ...tell(
      'prescription_age_accepted',
      meant.filter((each) => isNew(each) && isTooOld(each, terms)),
    ),
    ...tell(
      'prescriber_recorded',
      meant.filter((each) => prescriber && !isNew(each) && !isDeepStrictEqual(prescriber, each.prescriber)),
    ),
  ];
  return { ...(await replacePrescriptions(before, verified, events, verifying, deps.table)), copies };
}

const tell = (what: Happening['what'], prescriptions: readonly OrderPrescription[]): Happening[] =>
  prescriptions.length === 0 ? [] : [{ what, prescriptions: prescriptions.map(({ id }) => id) }];

/** Returns a prescription with another rejection or none; the one that it had is kept for good. */
const judgeAnew = (
  { pastRejections = [], ...prescription }: OrderPrescription,
  rejection: OrderPrescription['rejection'],
): OrderPrescription => {
  const past = [...pastRejections, ...(prescription.rejection ? [prescription.rejection] : [])];
  return { ...prescription, rejection, ...(past.length > 0 && { pastRejections: past }) };
};

export type Terms = { readonly today: string; readonly maximumAgeDays: number; readonly copies: readonly Copy[] };

/**
 * Throws `move_not_allowed` if a prescription has expired, or if it is older than allowed or its document stands in another
 * order, and that is not accepted. What was verified for the same lines was accepted then.
 */
export function refuseUnverifiable(
  order: Order,
  meant: readonly OrderPrescription[],
  { age, copy, ...terms }: Terms & Acceptance,
): void {
  const { id } = order;
  const expired = meant.find((each) => hasExpired(each, terms.today));
  if (expired) {
    const day = expired.expiringDate ?? '';
    throw refusedToOperator('prescription_expired', { prescription: expired.id, order: id, day });
  }
  const lines = sumPrescribed(order.lines);
  const open = meant.filter((each) => !isVerifiedFor(each, lines));
  const tooOld = open.find((each) => isTooOld(each, terms));
  if (tooOld && age === 'checked') {
    const { id: prescription, issueDate: day } = tooOld;
    throw refusedToOperator('prescription_too_old', { prescription, order: id, day, days: terms.maximumAgeDays });
  }
  const elsewhere = terms.copies.filter(({ of, orderId }) => orderId !== id && open.some((each) => each.id === of));
  const [first] = elsewhere;
  if (!first || copy === 'accepted') return;
  const orders = [...new Set(elsewhere.filter(({ of }) => of === first.of).map(({ orderId }) => orderId))].join(', ');
  throw refusedToOperator('prescription_copied', { prescription: first.of, order: id, orders });
}

const isVerifiedFor = ({ verification }: OrderPrescription, lines: readonly PrescribedQuantity[]): boolean =>
  isDeepStrictEqual(verification?.lines, lines);

const isTooOld = ({ issueDate }: OrderPrescription, { today, maximumAgeDays }: Omit<Terms, 'copies'>): boolean =>
  countDaysSince(issueDate, today) > maximumAgeDays;

/** Puts these prescriptions in the place of those of the same ids; writes nothing if none of them has changed. */
async function replacePrescriptions(
  before: Order,
  meant: readonly OrderPrescription[],
  events: readonly Happening[],
  operation: Operation,
  table: Table,
): Promise<Judged> {
  const next = new Map(meant.map((each) => [each.id, each]));
  const prescriptions = before.prescriptions.map((each) => {
    const changed = next.get(each.id) ?? each;
    return isDeepStrictEqual(changed, each) ? each : { ...changed, updatedAt: operation.now.toISOString() };
  });
  if (isDeepStrictEqual(prescriptions, before.prescriptions)) return { order: before, meant };
  return { order: await commitOperation(table, before, { ...before, prescriptions }, operation, ...events), meant };
}

/** Returns the prescription of this id, or without one all that were not rejected. Throws if there is none. */
function chooseMeant({ id, prescriptions }: Order, prescription: number | undefined): OrderPrescription[] {
  const meant = prescriptions.filter((each) =>
    prescription === undefined ? each.rejection === null : each.id === prescription,
  );
  if (meant.length > 0) return meant;
  if (prescription === undefined && prescriptions.length > 0) {
    throw refusedToOperator('prescriptions_all_rejected', { order: id });
  }
  throw refusedToOperator('prescription_unknown', { order: id });
}

type Rejecting = Operation &
  Seen & {
    /** The id of the prescription; undefined for the only one of the order. */
    readonly prescription: number | undefined;
    readonly reason: string;
  };

/**
 * Records why a pharmacist rejected a prescription, which covers nothing from then on. The order stays where it is. One under
 * which medicines were dispensed is refused, since the record of it stands.
 */
export async function rejectPrescription(rejecting: Rejecting, table: Table): Promise<Judged> {
  const { operator: by, reason, now } = rejecting;
  const before = await seenOrder(table, rejecting);
  const meant = chooseOne(before, rejecting.prescription);
  refuseDispensed(before, meant);
  const rejection = { at: now.toISOString(), by, reason };
  const rejected = { ...judgeAnew(meant, rejection), verification: null };
  const events = [{ what: 'prescription_rejected', prescriptions: [meant.id], reason } as const];
  return replacePrescriptions(before, [rejected], events, rejecting, table);
}

function chooseOne({ id, prescriptions }: Order, prescription: number | undefined): OrderPrescription {
  const [meant, another] = prescriptions.filter((each) => prescription === undefined || each.id === prescription);
  if (!meant) throw refusedToOperator('prescription_unknown', { order: id });
  if (!another) return meant;
  throw refusedToOperator('prescription_not_chosen', { order: id, count: prescriptions.length });
}

/** Throws `move_not_allowed` if medicines of an order were dispensed under this prescription. */
export function refuseDispensed({ id, dispensed }: Order, { id: prescription }: OrderPrescription): void {
  if (!dispensed?.under.includes(prescription)) return;
  throw refusedToOperator('prescription_dispensed', { order: id, prescription });
}

/** A prescription with the same document as another one. */
export type Copy = DocumentUse & { readonly of: number };

// More than a person reads; one document in more orders is a matter for somebody else.
const MOST_COPIES = 20;

/**
 * Returns the other prescriptions that are the same document as one of these of an order, in this order or any other, whether
 * they were judged or not; one query for each.
 */
export async function findCopies(order: Order, meant: readonly OrderPrescription[], table: Table): Promise<Copy[]> {
  const found = await Promise.all(meant.map((prescription) => findCopiesOf(prescription, order, table)));
  return found.flat();
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
