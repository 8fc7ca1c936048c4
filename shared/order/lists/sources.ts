import {
  createdPartition,
  creationKey,
  type Key,
  LAST_CREATION,
  pairPartition,
  parseCreationKey,
  parseOrderId,
  toKey,
} from '../../store/keys.ts';
import type { Item, Query, Table } from '../../store/table.ts';
import type { Order } from '../order.ts';
import { getOrders } from '../orders.ts';
import { type StatusPair, toPairName, type View } from './counters.ts';
import type { CreationRange } from './delivery-delays.ts';
import { type OrderEntry, parseEntry } from './entries.ts';

/** Entries of a view by creation: all of them, or those with a pair of statuses. */
export type Source = { readonly pk: string; readonly statuses: StatusPair | undefined };

/** An entry, with its order's statuses if its source implies them. */
export type FoundEntry = { readonly entry: OrderEntry; readonly statuses: StatusPair | undefined };

export const viewSource = ({ clientId, viewer }: View): Source => ({
  pk: createdPartition(clientId, viewer),
  statuses: undefined,
});

export const pairSource = ({ clientId, viewer }: View, { orderStatus, paymentStatus }: StatusPair): Source => ({
  pk: pairPartition(clientId, viewer, toPairName({ orderStatus, paymentStatus })),
  statuses: { orderStatus, paymentStatus },
});

export const toFound = (item: Item, { statuses }: Source): FoundEntry => ({ entry: parseEntry(item), statuses });

// Without a limit the local engine reads the whole partition for each page; DynamoDB ends a page after 1 MB, about 6,000
// entries.
const ENTRIES_PER_PAGE = 5_000;

type Paging = {
  readonly range: CreationRange;
  readonly isForward: boolean;
  readonly pageSize?: number;
  readonly after?: Key | undefined;
};

export const toQuery = ({ pk }: Source, { range, isForward }: Pick<Paging, 'range' | 'isForward'>): Query => ({
  pk,
  where: 'sk BETWEEN :from AND :until',
  values: { ':from': range.from, ':until': range.until },
  isDescending: !isForward,
});

export const pagesOf = (table: Table, source: Source, { pageSize = ENTRIES_PER_PAGE, after, ...paging }: Paging) =>
  table.pages({ ...toQuery(source, paging), pageSize: Math.min(pageSize, ENTRIES_PER_PAGE), after });

// A long source is read from this many places at once.
const PLACES = 4;

export async function readWanted(
  table: Table,
  sources: readonly Source[],
  range: CreationRange,
  isWanted: (entry: OrderEntry) => boolean,
  pageSize = ENTRIES_PER_PAGE,
): Promise<FoundEntry[]> {
  const matches: FoundEntry[] = [];
  const take = (items: readonly Item[], source: Source) => {
    for (const item of items) {
      const match = toFound(item, source);
      if (isWanted(match.entry)) matches.push(match);
    }
  };
  const takeAll = async (source: Source, pages: AsyncIterable<Item[]>) => {
    for await (const items of pages) take(items, source);
  };
  const readSource = async (source: Source) => {
    const pages = pagesOf(table, source, { range, isForward: true, pageSize });
    const { value: first = [] } = await pages.next();
    take(first, source);
    if (first.length < pageSize) return takeAll(source, pages);
    const rest = await splitRest(table, source, range, toKey(first.at(-1) ?? {}));
    await Promise.all(rest.map((paging) => takeAll(source, pagesOf(table, source, { ...paging, pageSize }))));
  };
  await Promise.all(sources.map(readSource));
  return matches;
}

async function splitRest(table: Table, source: Source, { until }: CreationRange, after: Key): Promise<Paging[]> {
  const [last] = await table.first(toQuery(source, { range: { from: after.sk, until }, isForward: false }), 1);
  const start = toTime(after.sk);
  const step = (toTime(String(last?.sk ?? after.sk)) - start) / PLACES;
  const borders = Array.from({ length: PLACES - 1 }, (_, index) => start + Math.floor(step * (index + 1)) + 1);
  // An instant sorts before the keys of its entries, so that no entry is in two parts.
  const instants = borders.map((time) => new Date(time).toISOString()).filter((instant) => instant < until);
  const starts = [after.sk, ...instants];
  const ends = [...instants, until];
  return starts.map((from, index) => ({
    range: { from, until: ends[index] as string },
    isForward: true,
    after: index === 0 ? after : undefined,
  }));
}

const toTime = (key: string): number => Date.parse(parseCreationKey(key).createdAt);

/** Returns the entries of a view since a time, newest first; one query for about 6,000. */
export async function recentEntries(
  table: Table,
  view: View,
  { since, limit }: { readonly since: Date; readonly limit: number },
): Promise<OrderEntry[]> {
  const range = { from: creationKey(since.toISOString(), 0), until: LAST_CREATION };
  return (await table.first(toQuery(viewSource(view), { range, isForward: false }), limit)).map(parseEntry);
}

// The size of a batch of reads.
const ORDERS_PER_PAGE = 100;

/** Yields the orders that a client placed in a range, oldest first, 100 at a time: a query and a batch of reads for each 100. */
export async function* createdOrders(table: Table, clientId: number, range: CreationRange): AsyncGenerator<Order[]> {
  const source = viewSource({ clientId, viewer: 'client' });
  for await (const items of pagesOf(table, source, { range, isForward: true, pageSize: ORDERS_PER_PAGE })) {
    const ids = items.map(parseOrderId);
    const orders = new Map((await getOrders(table, clientId, ids)).map((order) => [order.id, order]));
    yield ids.flatMap((id) => orders.get(id) ?? []);
  }
}
