import type { Message } from '../../messages/messages.ts';
import type { OrderStatus } from '../../order/rules/status.ts';

/**
 * The author of a prescription, as the register of antibiotics asks (agreement of DOF 27 May 2010, in El Economista 2010-09-05:
 * name, cédula profesional and address). `licence` is the number of the cédula, which has 7 or 8 digits.
 */
export type Prescriber = { readonly name: string; readonly licence: string | null; readonly address: string | null };

// infocedula.com/cedula-profesional/numeros-cedula-profesional: 7 or 8 digits, neither letters nor signs.
const LICENCE = /^\d{7,8}$/;

/** True for the number of a cédula profesional, which SEP gives to whoever may practise a profession. */
export const isLicence = (written: string): boolean => LICENCE.test(written);

type DateError = Message & { readonly field: 'issue_date' | 'expiring_date' };

/**
 * Returns the errors in the dates of a prescription (`YYYY-MM-DD`, `today` being the shop's local date in `timeZone`): it may
 * not be issued in the future, nor expire before today or before its issue. The same day is fine.
 */
export function validatePrescriptionDates(input: {
  issueDate: string;
  expiringDate: string | null;
  today: string;
  timeZone: string;
}): readonly DateError[] {
  const { issueDate, expiringDate, today, timeZone } = input;
  const values = { today, timeZone };
  const errors: DateError[] = [];
  if (issueDate > today) errors.push({ field: 'issue_date', code: 'date_in_the_future', values });
  if (expiringDate === null) return errors;
  if (expiringDate < today) errors.push({ field: 'expiring_date', code: 'date_in_the_past', values });
  if (expiringDate < issueDate) errors.push({ field: 'expiring_date', code: 'date_before_issue' });
  return errors;
}

const DAY_MS = 86_400_000;

/** Returns how many days before the local date `today` a prescription was issued; both `YYYY-MM-DD`. */
export const countDaysSince = (issueDate: string, today: string): number =>
  (Date.parse(today) - Date.parse(issueDate)) / DAY_MS;

/** A quantity of a product that requires a prescription. */
export type PrescribedQuantity = { readonly productId: number; readonly quantity: number };

type Line = PrescribedQuantity & { readonly requiresPrescription: boolean };

/** A prescription with its last day (`YYYY-MM-DD`, null for none) and what a pharmacist has verified it for. */
type Verifiable = {
  readonly expiringDate: string | null;
  readonly verification: { readonly lines: readonly PrescribedQuantity[] } | null;
};

/** True if the last day of a prescription is over on the shop's local date `today`. */
export const hasExpired = ({ expiringDate }: Pick<Verifiable, 'expiringDate'>, today: string): boolean =>
  expiringDate !== null && expiringDate < today;

/** Returns the verified prescriptions that count on the shop's local date `today`. */
export const findCovering = <Each extends Verifiable>(prescriptions: readonly Each[], today: string): Each[] =>
  prescriptions.filter((prescription) => prescription.verification !== null && !hasExpired(prescription, today));

/**
 * Returns how much the lines have of each product that requires a prescription, by product; it may have several lines. A line
 * of 0 needs none.
 */
export function sumPrescribed(lines: readonly Line[]): PrescribedQuantity[] {
  const sums = new Map<number, number>();
  for (const { productId, quantity, requiresPrescription } of lines) {
    if (!requiresPrescription || quantity === 0) continue;
    sums.set(productId, (sums.get(productId) ?? 0) + quantity);
  }
  return [...sums]
    .map(([productId, quantity]) => ({ productId, quantity }))
    .sort((one, other) => one.productId - other.productId);
}

/** A quantity for which the verified prescriptions do not suffice; null if none was verified for the product. */
export type UncoveredQuantity = PrescribedQuantity & { readonly coveredQuantity: number | null };

/**
 * Returns what the lines have of products that require a prescription (LGS art. 226) beyond what was verified, on the
 * shop's local date `today`. Prescriptions that have expired do not count. Each one was verified for all lines of its
 * order, so two of them cover a product as far as the larger quantity, not as far as both together.
 */
export function findUncovered(
  lines: readonly Line[],
  prescriptions: readonly Verifiable[],
  today: string,
): UncoveredQuantity[] {
  const covered = new Map<number, number>();
  for (const { verification } of findCovering(prescriptions, today)) {
    for (const { productId, quantity } of verification?.lines ?? []) {
      covered.set(productId, Math.max(covered.get(productId) ?? 0, quantity));
    }
  }
  return sumPrescribed(lines).flatMap((needed) => {
    const coveredQuantity = covered.get(needed.productId) ?? null;
    const isCovered = coveredQuantity !== null && needed.quantity <= coveredQuantity;
    return isCovered ? [] : [{ ...needed, coveredQuantity }];
  });
}

/** When the medicines of an order were first prepared, and the ids of the prescriptions that covered them then. */
export type Dispensed = { readonly at: string; readonly under: readonly number[] };

/**
 * Returns when an order was dispensed, of which the next status is `to`; `now` is what holds if it is dispensed with this
 * move. One that goes back, to shortage, gave nothing away.
 */
export const markDispensed = (before: Dispensed | null, to: OrderStatus, now: Dispensed): Dispensed | null =>
  isDispensed(to) ? (before ?? now) : null;

const DISPENSED: readonly OrderStatus[] = ['in_process', 'ready', 'delayed', 'shipped', 'delivered'];

/** True if medicines of an order have been, or are being, dispensed. A cancelled order gave none away. */
export const isDispensed = (status: OrderStatus): boolean => DISPENSED.includes(status);

const RETENTION_YEARS = 1;

/**
 * Returns the last day (`YYYY-MM-DD`) on which a pharmacy has to keep a prescription that it filled on this local day: a year
 * later (agreement on the sale of antibiotics, DOF 27 May 2010). After 29 February that is 1 March.
 */
export function getPrescriptionRetentionEnd(dispensedOn: string): string {
  const day = new Date(`${dispensedOn}T00:00:00.000Z`);
  day.setUTCFullYear(day.getUTCFullYear() + RETENTION_YEARS);
  return day.toISOString().slice(0, 'YYYY-MM-DD'.length);
}
