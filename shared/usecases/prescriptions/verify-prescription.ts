import { isDeepStrictEqual } from 'node:util';
import { countDaysSince } from '../../domain/prescriptions/age.ts';
import { hasExpired, type PrescribedQuantity, sumPrescribed } from '../../domain/prescriptions/coverage.ts';
import type { Prescriber } from '../../domain/prescriptions/prescriber.ts';
import { localDate } from '../../domain/working-day.ts';
import type { Business } from '../../runtime/settings.ts';
import type { Order } from '../../store/orders/order.ts';
import type { OrderPrescription } from '../../store/orders/order-parts.ts';
import type { Table } from '../../store/table.ts';
import { commitOperation, type Operation, type Seen, seenOrder } from '../operations/operate-order.ts';
import { refusedToOperator } from '../operations/operator-refusal.ts';

type Verifying = Operation &
  Seen & {
    /** The id of one prescription of the order; undefined for all of them that were not rejected. */
    readonly prescription: number | undefined;
    /** The author of the one that is verified. */
    readonly prescriber?: Prescriber | undefined;
    /** `accepted` if the operator accepts one that is older than `maximumAgeDays`. */
    readonly age: 'checked' | 'accepted';
  };
type Deps = { readonly table: Table; readonly business: Business; readonly maximumAgeDays: number };

/** The order, and those of its prescriptions that were meant. */
export type Verified = { readonly order: Order; readonly meant: readonly OrderPrescription[] };

/**
 * Records that a pharmacist verified prescriptions of an order for what it has now of products that require one. One that
 * was verified for the same stays verified as it is; one that was verified for other lines is verified for the present ones
 * alone. One that was rejected is verified only by its id.
 */
export async function verifyPrescription(verifying: Verifying, deps: Deps): Promise<Verified> {
  const { prescription, prescriber, operator: by, now } = verifying;
  const before = await seenOrder(deps.table, verifying);
  const meant = chooseMeant(before, prescription);
  if (prescriber) refuseMany(before, meant);
  const terms = { today: localDate(now, deps.business.timeZone), maximumAgeDays: deps.maximumAgeDays };
  refuseUnverifiable(before, meant, { ...terms, age: verifying.age });
  const lines = sumPrescribed(before.lines);
  const at = now.toISOString();
  const verified = meant.map((each): OrderPrescription => {
    const age = isTooOld(each, terms) ? ({ isAgeAccepted: true } as const) : {};
    const verification = isVerifiedFor(each, lines) ? each.verification : { at, by, lines, ...age };
    return { ...each, rejection: null, verification, prescriber: prescriber ?? each.prescriber };
  });
  return replacePrescriptions(before, verified, verifying, deps.table);
}

type Terms = { readonly today: string; readonly maximumAgeDays: number };

/** Throws `move_not_allowed` if a prescription has expired, or is older than allowed and that is not accepted. */
export function refuseUnverifiable(
  order: Order,
  meant: readonly OrderPrescription[],
  { age, ...terms }: Terms & Pick<Verifying, 'age'>,
): void {
  refuseExpired(order, meant, terms.today);
  const lines = sumPrescribed(order.lines);
  const tooOld = meant.find((each) => !isVerifiedFor(each, lines) && isTooOld(each, terms));
  if (tooOld && age === 'checked') refuseTooOld(order, tooOld, terms.maximumAgeDays);
}

const isVerifiedFor = ({ verification }: OrderPrescription, lines: readonly PrescribedQuantity[]): boolean =>
  isDeepStrictEqual(verification?.lines, lines);

const isTooOld = ({ issueDate }: OrderPrescription, { today, maximumAgeDays }: Terms): boolean =>
  countDaysSince(issueDate, today) > maximumAgeDays;

/** Puts these prescriptions in the place of those of the same ids; writes nothing if none of them has changed. */
async function replacePrescriptions(
  before: Order,
  meant: readonly OrderPrescription[],
  operation: Operation,
  table: Table,
): Promise<Verified> {
  const next = new Map(meant.map((each) => [each.id, each]));
  const prescriptions = before.prescriptions.map((each) => {
    const changed = next.get(each.id) ?? each;
    return isDeepStrictEqual(changed, each) ? each : { ...changed, updatedAt: operation.now.toISOString() };
  });
  if (isDeepStrictEqual(prescriptions, before.prescriptions)) return { order: before, meant };
  return { order: await commitOperation(table, before, { ...before, prescriptions }, operation), meant };
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

function refuseMany({ id }: Order, meant: readonly OrderPrescription[]): void {
  if (meant.length === 1) return;
  throw refusedToOperator('prescriber_of_one', { order: id, count: meant.length });
}

function refuseExpired({ id }: Order, meant: readonly OrderPrescription[], today: string): void {
  const expired = meant.find((prescription) => hasExpired(prescription, today));
  if (!expired) return;
  const day = expired.expiringDate ?? '';
  throw refusedToOperator('prescription_expired', { prescription: expired.id, order: id, day });
}

function refuseTooOld(
  { id: order }: Order,
  { id: prescription, issueDate: day }: OrderPrescription,
  days: number,
): never {
  throw refusedToOperator('prescription_too_old', { prescription, order, day, days });
}
