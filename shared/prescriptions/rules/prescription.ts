import { refusedToOperator } from '../../domain/operator-refusal.ts';
import type { Message } from '../../messages/messages.ts';
import type { OrderStatus } from '../../order/rules/status.ts';

/**
 * The author of a prescription, as the register of antibiotics requires (agreement of DOF 27 May 2010, in El Economista
 * 2010-09-05: name, cédula profesional and address). `licence` is the number of the cédula.
 */
export type Prescriber = { readonly name: string; readonly licence: string | null; readonly address: string | null };

// 7 or 8 digits, neither letters nor signs (infocedula.com/cedula-profesional/numeros-cedula-profesional).
const LICENCE = /^\d{7,8}$/;

/** True for the number of a cédula profesional, SEP's licence to practise a profession. */
export const isLicence = (text: string): boolean => LICENCE.test(text);

type DateError = Message & { readonly field: 'issue_date' | 'expiring_date' };

/** Refuses an issue in the future, and an expiry before today or before the issue; `today` is the shop's date in `timeZone`. */
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

/** Returns the days from the issue to `today`; both `YYYY-MM-DD`. */
export const countDaysSince = (issueDate: string, today: string): number =>
  (Date.parse(today) - Date.parse(issueDate)) / DAY_MS;

export type PrescribedQuantity = { readonly productId: number; readonly quantity: number };

type Line = PrescribedQuantity & { readonly requiresPrescription: boolean };

/**
 * GuardDuty's result for a document: `pending` until there is one, also of a document that it cannot scan, such as an
 * encrypted one. A later value replaces an earlier one.
 */
export const SCANS = ['pending', 'clean', 'threat'] as const;
export type Scan = (typeof SCANS)[number];

/** True if nobody can open the document, since it has malware. */
export const isThreat = ({ scan }: { readonly scan?: Scan }): boolean => scan === 'threat';

/** `expiringDate`: the last day (`YYYY-MM-DD`), null for none; `verification`: what a pharmacist verified it for. */
type Verifiable = {
  readonly expiringDate: string | null;
  readonly verification: { readonly lines: readonly PrescribedQuantity[] } | null;
  readonly scan?: Scan;
};

export const hasExpired = ({ expiringDate }: Pick<Verifiable, 'expiringDate'>, today: string): boolean =>
  expiringDate !== null && expiringDate < today;

/** Returns the prescriptions that are verified, readable and valid on the shop's local date `today`. */
export const findCovering = <Item extends Verifiable>(prescriptions: readonly Item[], today: string): Item[] =>
  prescriptions.filter((item) => item.verification !== null && !isThreat(item) && !hasExpired(item, today));

/** Returns the total quantity of each product that requires a prescription, by product. Lines of 0 need none. */
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

/** A quantity beyond the verified prescriptions; null if none was verified for the product. */
export type UncoveredQuantity = PrescribedQuantity & { readonly coveredQuantity: number | null };

/**
 * Returns the quantities that require a prescription (LGS art. 226) beyond those verified, on the shop's local date `today`.
 * Each prescription was verified for all lines of its order, so two of them cover the larger quantity, not the sum.
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

/**
 * Returns a prescription that covers an antibiotic while nobody has recorded who prescribed it, with the number of their
 * cédula; undefined if each antibiotic has one with both.
 */
export function findUnnamed<Item extends Verifiable & { readonly prescriber: Prescriber | null }>(
  lines: readonly (Line & { readonly isAntibiotic: boolean })[],
  prescriptions: readonly Item[],
  today: string,
): Item | undefined {
  const covering = findCovering(prescriptions, today);
  for (const { productId } of lines.filter(({ isAntibiotic, quantity }) => isAntibiotic && quantity > 0)) {
    const own = covering.filter(({ verification }) => verification?.lines.some((each) => each.productId === productId));
    if (own[0] && !own.some(({ prescriber }) => prescriber?.licence)) return own[0];
  }
  return undefined;
}

/** When the medicines of an order were first prepared, under which prescriptions, and from which lots, where these are known. */
export type Dispensed = {
  readonly at: string;
  readonly under: readonly number[];
  readonly lots?: readonly DispensedLot[];
};

/**
 * `now` applies if the move to `to` dispenses the order, and its lots also if it was dispensed before. A move back, to shortage,
 * means that nothing was given away.
 */
export function markDispensed(before: Dispensed | null, to: OrderStatus, now: Dispensed): Dispensed | null {
  if (!isDispensed(to)) return null;
  return before && now.lots ? { ...before, lots: now.lots } : (before ?? now);
}

const DISPENSED: readonly OrderStatus[] = ['in_process', 'ready', 'delayed', 'shipped', 'delivered'];

/** True if medicines are being, or have been, dispensed. A cancelled order gave none away. */
export const isDispensed = (status: OrderStatus): boolean => DISPENSED.includes(status);

const RETENTION_YEARS = 1;

/**
 * Returns the last day (`YYYY-MM-DD`) on which a pharmacy must keep a prescription filled on this local day: a year later
 * (agreement on the sale of antibiotics, DOF 27 May 2010). After 29 February that is 1 March.
 */
export function getPrescriptionRetentionEnd(dispensedOn: string): string {
  const day = new Date(`${dispensedOn}T00:00:00.000Z`);
  day.setUTCFullYear(day.getUTCFullYear() + RETENTION_YEARS);
  return day.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The pieces of a line that came from one lot; `expiry` is a month, `2027-05`. */
export type DispensedLot = {
  readonly line: number;
  readonly lot: string;
  readonly expiry: string;
  readonly quantity: number;
};

/** Returns what is the same of a lot however it is written: `b-204` becomes `B204`. */
export const foldLot = (lot: string): string => lot.toUpperCase().replaceAll(/[^\p{L}\d]/gu, '');

/** Without a quantity it is all that is left of the line. */
export type WrittenLot = Omit<DispensedLot, 'quantity'> & { readonly quantity?: number | undefined };

type Lines = { readonly id: number; readonly lines: readonly { readonly id: number; readonly quantity: number }[] };

/** Returns the lots with their quantities. Throws `move_not_allowed` for more than an order has, and for a lot past its expiry. */
export function resolveLots({ id: order, lines }: Lines, lots: readonly WrittenLot[], today: string): DispensedLot[] {
  const left = new Map(lines.map((line) => [line.id, line.quantity]));
  return lots.map(({ line, lot, expiry, quantity: written }) => {
    const rest = left.get(line);
    if (rest === undefined) throw refusedToOperator('lot_of_other_line', { order, line });
    const quantity = written ?? rest;
    if (quantity === 0 || quantity > rest) throw refusedToOperator('lot_beyond_line', { order, line, left: rest });
    // LGS art. 233: nothing is sold or supplied past its expiry, which ends with its month.
    if (expiry < today.slice(0, expiry.length)) throw refusedToOperator('lot_expired', { lot, expiry });
    left.set(line, rest - quantity);
    return { line, lot, expiry, quantity };
  });
}
