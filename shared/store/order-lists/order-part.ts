import { creationKey, entryPartition, INDEXES, type Key, statusKey, viewPartition } from '../keys.ts';
import type { Item, Table } from '../table.ts';
import type { StatusCount } from './order-counters.ts';
import { entryPages } from './order-entries.ts';
import type { OrderSelection } from './order-selection.ts';

/** The position of a page among the counted orders, measured from the nearer end. */
export type Part = {
  readonly skipped: number;
  readonly size: number;
  readonly isForward: boolean;
  /** The nearer end is the one with which the list ends. */
  readonly isReversed: boolean;
};

/** The part of `count` orders that a selection by creation shows; its offset is below the count. */
export function findPart(count: number, { offset, limit, ordering }: OrderSelection): Part {
  const size = Math.min(limit, count - offset);
  const behind = count - offset - size;
  const isReversed = behind < offset;
  return {
    skipped: Math.min(offset, behind),
    size,
    isForward: ordering[0]?.isDescending === isReversed,
    isReversed,
  };
}

type Reading = {
  readonly selection: OrderSelection;
  /** The pairs of statuses that are wanted and that some order has. */
  readonly wanted: readonly StatusCount[];
  readonly part: Part;
};

/** The rows of a part in the order of the list, undefined if it lies too deep. */
export async function rowsOfPart(table: Table, reading: Reading): Promise<Item[] | undefined> {
  const statuses = listStatuses(reading);
  const rows = await (statuses ? rowsByStatus(table, reading, statuses) : rowsByCreation(table, reading));
  return reading.part.isReversed ? rows?.reverse() : rows;
}

type Status = { readonly index: keyof typeof INDEXES; readonly status: string };

function listStatuses({ selection, wanted }: Reading): Status[] | undefined {
  const distinct = (index: Status['index'], statuses: readonly string[]): Status[] =>
    [...new Set(statuses)].map((status) => ({ index, status }));
  if (selection.orderStatuses) {
    return distinct(
      'byOrderStatus',
      wanted.map(({ orderStatus }) => orderStatus),
    );
  }
  if (selection.paymentStatuses) {
    return distinct(
      'byPaymentStatus',
      wanted.map(({ paymentStatus }) => paymentStatus),
    );
  }
  return undefined;
}

// A megabyte: what is more costs more than going through the entries of most views.
const MOST_ROWS = 1_000;

/** Each status is read from its first order on, as only together they tell where the part begins. */
async function rowsByStatus(table: Table, { selection, part }: Reading, statuses: readonly Status[]) {
  const depth = part.skipped + part.size;
  if (depth * statuses.length > MOST_ROWS) return undefined;
  const pk = viewPartition(selection.clientId, selection.viewer);
  const queries = statuses.map(({ index, status }) => ({
    pk,
    index,
    where: `begins_with(${INDEXES[index].sortKey}, :status)`,
    values: { ':status': statusKey(status) },
    isDescending: !part.isForward,
  }));
  const found = await Promise.all(queries.map((query) => table.first(query, depth)));
  const merged = found.flat().sort((a, b) => (String(a.sk) < String(b.sk) === part.isForward ? -1 : 1));
  return merged.slice(part.skipped, depth);
}

async function rowsByCreation(table: Table, { selection, part }: Reading) {
  const start = part.skipped === 0 ? undefined : await lastSkipped(table, selection, part);
  if (part.skipped > 0 && !start) return [];
  const pk = viewPartition(selection.clientId, selection.viewer);
  return table.first({ pk, isDescending: !part.isForward, after: start }, part.size);
}

/** The key of the row before the part, looked up among the entries, which are a seventh of the size. */
async function lastSkipped(
  table: Table,
  { clientId, viewer }: OrderSelection,
  { skipped, isForward }: Part,
): Promise<Key | undefined> {
  let left = skipped;
  const pages = entryPages(table, entryPartition(clientId, viewer), { isForward, wanted: skipped });
  for await (const page of pages) {
    const last = page[left - 1];
    if (last) return { pk: viewPartition(clientId, viewer), sk: creationKey(last.createdAt, last.id) };
    left -= page.length;
  }
  return undefined;
}
