import { INDEXES, viewPartition } from './keys.ts';
import { readCounts, type StatusCount, type ViewCounts } from './order-counters.ts';
import { firstItems, rowOfItem } from './order-entries.ts';
import type { OrderPage, OrderSelection } from './order-selection.ts';
import type { Item, Table } from './table.ts';

// Every order that is created or changed between two readings of the counters costs another try of some milliseconds.
const TRIES = 5;
// Several statuses are merged from their beginnings, so that each of them is read as deep as the page lies.
const MERGED_DEPTH = 500;

/**
 * A page in the order of creation, without filters or with statuses of one kind, counted by the counters: what is read
 * is what is shown, whatever the size of the view. The counters are read before and after the rows: only if nothing was
 * written between, and the rows are as many as the count promises, do they belong together. Undefined if the selection
 * is of another kind, the page lies too deep, or they never did.
 */
export async function countedPage(
  table: Table,
  selection: OrderSelection,
  deadline: number,
): Promise<OrderPage | undefined> {
  if (!isCounted(selection)) return undefined;
  const { clientId, viewer } = selection;
  let seen = await readCounts(table, clientId, viewer);
  for (let tries = 0; tries < TRIES; tries++) {
    const wanted = seen.counts.filter((count) => count.orders !== 0 && isWanted(count, selection));
    const count = wanted.reduce((sum, { orders }) => sum + orders, 0);
    const part = partOf(count, selection);
    if (part.size <= 0) return { count, rows: [] };
    const streams = streamsOf(selection, wanted);
    if (streams.length > 1 && part.skipped > MERGED_DEPTH) return undefined;
    const rows = await rowsOf(table, { partition: viewPartition(clientId, viewer), streams, part, deadline });
    const before = seen;
    seen = await readCounts(table, clientId, viewer);
    if (isUnchanged(before, seen) && rows.length === part.size) return { count, rows: rows.map(rowOfItem) };
  }
  return undefined;
}

function isCounted({ patientId, orderStatuses, paymentStatuses, nameWords, dateBounds, ordering }: OrderSelection) {
  const isByCreation = ordering.length === 1 && ordering[0]?.field === 'createdAt';
  const isOfOneKind = orderStatuses === undefined || paymentStatuses === undefined;
  return isByCreation && isOfOneKind && patientId === undefined && nameWords.length === 0 && dateBounds.length === 0;
}

const isWanted = (count: StatusCount, { orderStatuses, paymentStatuses }: OrderSelection): boolean =>
  (orderStatuses?.includes(count.orderStatus) ?? true) && (paymentStatuses?.includes(count.paymentStatus) ?? true);

const isUnchanged = (before: ViewCounts, after: ViewCounts): boolean => before.changes === after.changes;

/** The rows of a page as they lie from the nearer end. */
type Part = {
  readonly skipped: number;
  readonly size: number;
  readonly isForward: boolean;
  /** The end was the nearer one. */
  readonly isReversed: boolean;
};

function partOf(count: number, { offset, limit, ordering }: OrderSelection): Part {
  const size = Math.min(limit, count - offset);
  const behind = count - offset - size;
  const isReversed = behind < offset;
  return {
    size,
    skipped: Math.min(offset, behind),
    isForward: ordering[0]?.isDescending === isReversed,
    isReversed,
  };
}

/** Rows in the order of their creation: all of a view, or those of one status in the index of that status. */
type Stream = { readonly index?: 'byOrderStatus' | 'byPaymentStatus'; readonly status?: string };

function streamsOf({ orderStatuses, paymentStatuses }: OrderSelection, wanted: readonly StatusCount[]): Stream[] {
  if (orderStatuses) {
    const statuses = new Set(wanted.map(({ orderStatus }) => orderStatus));
    return [...statuses].map((status) => ({ index: 'byOrderStatus', status }));
  }
  if (paymentStatuses) {
    const statuses = new Set(wanted.map(({ paymentStatus }) => paymentStatus));
    return [...statuses].map((status) => ({ index: 'byPaymentStatus', status }));
  }
  return [{}];
}

type Reading = {
  readonly partition: string;
  readonly streams: readonly Stream[];
  readonly part: Part;
  readonly deadline: number;
};

async function rowsOf(table: Table, { partition, streams, part, deadline }: Reading): Promise<Item[]> {
  const { skipped, size, isForward, isReversed } = part;
  const surplus = streams.length > 1 ? skipped : 0;
  const range = { skipped: skipped - surplus, size: size + surplus, isForward, deadline };
  const found = await Promise.all(streams.map((stream) => streamRows(table, partition, stream, range)));
  const merged = found.flat().sort(isForward ? bySortKey : (a, b) => bySortKey(b, a));
  const rows = merged.slice(surplus, surplus + size);
  return isReversed ? rows.reverse() : rows;
}

const bySortKey = ({ sk: a }: Item, { sk: b }: Item): number => (String(a) < String(b) ? -1 : 1);

type Range = Pick<Part, 'skipped' | 'size' | 'isForward'> & { readonly deadline: number };

async function streamRows(table: Table, partition: string, stream: Stream, range: Range): Promise<Item[]> {
  const { skipped, size, isForward, deadline } = range;
  const query = { ...rowQuery(partition, stream), ScanIndexForward: isForward };
  if (skipped === 0) return firstItems(size, { pages: table.pages({ ...query, Limit: size }), deadline });
  const keys = table.pages({ ...query, ...keysOnly(stream), Limit: skipped });
  const passed = await firstItems(skipped, { pages: keys, deadline });
  if (passed.length < skipped) return [];
  const rest = table.pages({ ...query, Limit: size, ExclusiveStartKey: passed.at(-1) });
  return firstItems(size, { pages: rest, deadline });
}

function rowQuery(partition: string, { index, status }: Stream) {
  if (!index) return { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': partition } };
  return {
    IndexName: index,
    KeyConditionExpression: `pk = :pk AND begins_with(${INDEXES[index].sortKey}, :status)`,
    ExpressionAttributeValues: { ':pk': partition, ':status': `${status}#` },
  };
}

/** The keys from which reading goes on; those of all rows are read from the index that is a quarter of the size. */
const keysOnly = ({ index }: Stream) =>
  index
    ? { ProjectionExpression: `pk, sk, ${INDEXES[index].sortKey}` }
    : { IndexName: 'byCreation', ProjectionExpression: 'pk, sk' };
