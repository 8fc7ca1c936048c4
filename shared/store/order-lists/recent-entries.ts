import { creationKey, LAST_CREATION } from '../keys.ts';
import type { Table } from '../table.ts';
import { type OrderEntry, parseEntry } from './entries.ts';
import type { View } from './selection.ts';
import { pagesOf, viewSource } from './sources.ts';

/** Yields the entries of a view since this time, the newest first, in pages of `pageSize`; a query for each. */
export async function* recentEntries(
  table: Table,
  view: View,
  { since, pageSize }: { readonly since: Date; readonly pageSize: number },
): AsyncGenerator<OrderEntry[]> {
  const range = { from: creationKey(since.toISOString(), 0), until: LAST_CREATION };
  for await (const items of pagesOf(table, viewSource(view), { range, isForward: false, pageSize })) {
    yield items.map(parseEntry);
  }
}
