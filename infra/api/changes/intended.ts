import * as z from 'zod';

const intendedChanges = z.array(
  z.strictObject({
    /** The line that the check prints. */
    change: z.string().min(1),
    reason: z.string().min(1),
    /** The date of the decision. */
    date: z.iso.date(),
  }),
);

/** Lists the breaking changes that nobody recorded as intended, and the recorded changes that were not found. */
export function findUnrecorded(found: readonly string[], recorded: unknown): string[] {
  const intended = intendedChanges.parse(recorded).map(({ change }) => change);
  return [
    ...found.filter((change) => !intended.includes(change)).map((change) => `breaks a client: ${change}`),
    ...intended.filter((change) => !found.includes(change)).map((change) => `recorded, but no change: ${change}`),
  ];
}
