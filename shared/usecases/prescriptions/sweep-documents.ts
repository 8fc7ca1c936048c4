import type { Documents } from '../../documents/documents.ts';
import type { StoredVersion } from '../../documents/stored-versions.ts';
import { takeLeftovers } from '../../store/orders/document-marks.ts';
import type { Table } from '../../store/table.ts';

/** What a sweep came across, in versions of documents: how many there are, were removed, and could not be removed. */
export type Sweep = { readonly stored: number; readonly removed: number; readonly failed: number };

// An upload is put into its order within a minute. Younger ones are not even looked at, so that the sweep stands in
// nobody's way; that it takes none that is being put into an order at that moment is not left to the clock but to the
// mark of the document, which either the order's transaction or the sweep writes first.
const MINIMUM_AGE_MS = 6 * 60 * 60 * 1_000;
// What one read of marks takes.
const BATCH = 100;

/** Removes what crashes and refusals left behind: stored more than 6 h ago and in no order. May run twice at once. */
export async function sweepDocuments(
  now: Date,
  { documents, table }: { readonly documents: Documents; readonly table: Table },
): Promise<Sweep> {
  const total = { stored: 0, removed: 0, failed: 0 };
  for await (const page of documents.stored()) {
    total.stored += page.length;
    const old = page.filter(({ storedAt }) => now.getTime() - storedAt.getTime() > MINIMUM_AGE_MS);
    for (let start = 0; start < old.length; start += BATCH) {
      const leftovers = await findLeftovers(old.slice(start, start + BATCH), table, now);
      const failed = await documents.erase(leftovers);
      total.removed += leftovers.length - failed;
      total.failed += failed;
    }
  }
  return total;
}

async function findLeftovers(versions: readonly StoredVersion[], table: Table, now: Date): Promise<StoredVersion[]> {
  const keys = new Set(versions.map(({ key }) => key));
  const taken = await takeLeftovers(table, [...keys], now);
  return versions.filter(({ key }) => taken.has(key));
}
