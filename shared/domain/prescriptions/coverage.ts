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

/** Returns how much the lines have of each product that requires a prescription, by product; it may have several lines. */
export function sumPrescribed(lines: readonly Line[]): PrescribedQuantity[] {
  const sums = new Map<number, number>();
  for (const { productId, quantity } of lines.filter(({ requiresPrescription }) => requiresPrescription)) {
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
