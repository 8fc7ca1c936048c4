import * as z from 'zod';

const intendedChanges = z.array(
  z.strictObject({
    /** As the check writes it. */
    change: z.string().min(1),
    reason: z.string().min(1),
    /** When it was decided. */
    date: z.iso.date(),
  }),
);

/** What is wrong between the breaking changes that were found and those that were recorded as intended. */
export function unsettled(found: readonly string[], recorded: unknown): string[] {
  const intended = intendedChanges.parse(recorded).map(({ change }) => change);
  return [
    ...found.filter((change) => !intended.includes(change)).map((change) => `breaks a client: ${change}`),
    ...intended.filter((change) => !found.includes(change)).map((change) => `recorded, but no change: ${change}`),
  ];
}
