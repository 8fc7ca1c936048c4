import { takeLeftovers } from '../order/rows/document-rows.ts';
import type { Documents, StoredVersion } from '../store/documents.ts';
import type { Table } from '../store/table.ts';

export type Sweep = { readonly stored: number; readonly removed: number; readonly failed: number };

// An upload enters its order within a minute, so the sweep skips younger ones. Safety does not depend on the clock: the order's
// transaction and the sweep write the same mark, and the second one fails.
const MINIMUM_AGE_MS = 6 * 60 * 60 * 1_000;
const BATCH = 100;

/** Removes documents older than 6 h that belong to no order, which crashes and refusals leave. Safe to run concurrently. */
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
  const leftovers = await takeLeftovers(table, [...keys], now);
  return versions.filter(({ key }) => leftovers.has(key));
}
