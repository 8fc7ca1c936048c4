import { packName, unpackName } from '../../people/name-index.ts';
import {
  createdPartition,
  creationKey,
  type Key,
  orderKey,
  pairPartition,
  parseCreationKey,
  parseOrderId,
  toKey,
} from '../../store/keys.ts';
import { between, type Item, type Query, type Table } from '../../store/table.ts';
import { listViewers, type Order } from '../order.ts';
import { getOrders } from '../orders.ts';
import { type StatusPair, toPairName, type View } from './counters.ts';
import type { CreationRange } from './delivery-delays.ts';
import { queueItems } from './queue.ts';

/** The fields, apart from statuses, by which lists filter, search and sort. Dates are UTC instants; `searchName` is folded. */
export type OrderEntry = Pick<
  Order,
  'id' | 'createdAt' | 'expectedDeliveryDate' | 'maxDeliveryDate' | 'insuranceRefundStatus'
> & {
  readonly patientId: number;
  readonly doctorId: number | null;
  readonly searchName: string;
  readonly placedBy: number;
  /** The patient's phone as the doctor sent it, E.164. */
  readonly sentPhone: string | null;
  readonly storeId: number | null;
};

export const toEntry = (order: Order): OrderEntry => ({
  id: order.id,
  createdAt: order.createdAt,
  patientId: order.patient.id,
  doctorId: order.generatedBy.role === 'doctor' ? order.generatedBy.id : null,
  expectedDeliveryDate: order.expectedDeliveryDate,
  maxDeliveryDate: order.maxDeliveryDate,
  searchName: unpackName(packName(order.patient)),
  placedBy: order.generatedBy.id,
  sentPhone: (order.generatedBy.role === 'doctor' && order.sentPerson.phone) || null,
  storeId: order.store?.id ?? null,
  insuranceRefundStatus: order.insuranceRefundStatus,
});

// No field contains a tab: packing replaces tabs in names by blanks. New fields go to the end, where older entries
// have undefined.
const SEPARATOR = '\t';

/** One text per entry: with an attribute for each field, 100,000 entries took 5 s to read instead of 1.5 s. */
const formatEntry = (entry: OrderEntry, name: string): string =>
  [
    entry.patientId,
    entry.doctorId ?? '',
    entry.expectedDeliveryDate ?? '',
    entry.maxDeliveryDate ?? '',
    name,
    entry.placedBy,
    entry.sentPhone ?? '',
    entry.storeId ?? '',
    entry.insuranceRefundStatus === 'not_started' ? '' : entry.insuranceRefundStatus,
  ].join(SEPARATOR);

export function parseEntry({ sk, entry }: Item): OrderEntry {
  const { createdAt, order: id } = parseCreationKey(String(sk));
  const [patientId, doctorId, expectedDeliveryDate, maxDeliveryDate, name = '', placedBy, sentPhone, storeId, claim] =
    String(entry).split(SEPARATOR);
  return {
    id,
    createdAt,
    patientId: Number(patientId),
    doctorId: doctorId ? Number(doctorId) : null,
    expectedDeliveryDate: expectedDeliveryDate || null,
    maxDeliveryDate: maxDeliveryDate || null,
    searchName: unpackName(name),
    placedBy: Number(placedBy),
    sentPhone: sentPhone || null,
    storeId: storeId ? Number(storeId) : null,
    insuranceRefundStatus: (claim || 'not_started') as Order['insuranceRefundStatus'],
  };
}

/** Two entries in each view, and one in a queue while the order waits. */
export function listItems(order: Order): Item[] {
  const sk = creationKey(order.createdAt, order.id);
  const entry = formatEntry(toEntry(order), packName(order.patient));
  const views = listViewers(order).flatMap((viewer) => [
    { pk: createdPartition(order.clientId, viewer), sk, entry },
    { pk: pairPartition(order.clientId, viewer, toPairName(order)), sk, entry },
  ]);
  return [...views, ...queueItems(order)];
}

/** Entries of a view by creation: all of them, or those with a pair of statuses. */
export type Source = { readonly clientId: number; readonly pk: string; readonly statuses?: StatusPair };

export type Match = { readonly entry: OrderEntry; readonly source: Source };

export const viewSource = ({ clientId, viewer }: View): Source => {
  return { clientId, pk: createdPartition(clientId, viewer) };
};

export const pairSource = ({ clientId, viewer }: View, { orderStatus, paymentStatus }: StatusPair): Source => {
  const statuses = { orderStatus, paymentStatus };
  return { clientId, pk: pairPartition(clientId, viewer, toPairName(statuses)), statuses };
};

const toMatch = (item: Item, source: Source): Match => ({ entry: parseEntry(item), source });

export const toOrderKey = ({ entry, source }: Match): Key => orderKey(source.clientId, entry.id);

// Without a limit the local engine reads the whole partition for each page; DynamoDB ends a page after 1 MB, about 6,000
// entries.
const ENTRIES_PER_PAGE = 5_000;

type Direction = { readonly range: CreationRange; readonly isForward: boolean };
type Paging = Direction & { readonly pageSize?: number; readonly after?: Key | undefined };

const toQuery = ({ pk }: Source, { range: { from, until }, isForward }: Direction): Query => ({
  pk,
  ...between(from, until),
  isDescending: !isForward,
});

const pagesOf = (table: Table, source: Source, { pageSize = ENTRIES_PER_PAGE, after, ...direction }: Paging) =>
  table.pages({ ...toQuery(source, direction), pageSize: Math.min(pageSize, ENTRIES_PER_PAGE), after });

export type Part = Direction & { readonly skipped: number; readonly size: number };

type Reader = { readonly source: Source; readonly items: AsyncGenerator<Item, undefined>; head?: Item | undefined };

/** Merges sources by creation and returns a part of the result; reads the sources in parallel and only as far as needed. */
export async function takeMerged(table: Table, sources: readonly Source[], part: Part): Promise<Match[]> {
  const { skipped, size } = part;
  const end = skipped + size;
  const paging = { ...part, pageSize: Math.ceil(skipped / sources.length) + size };
  const readers = sources.map((source): Reader => ({ source, items: itemsOf(table, source, paging) }));
  await Promise.all(readers.map(advance));
  const matches: Match[] = [];
  let previous: unknown;
  for (let place = 0; place < end; ) {
    const next = findNext(readers, part);
    if (!next?.head) break;
    // An order that moved between pairs of statuses meanwhile may be in both.
    const isNew = next.head.sk !== previous;
    previous = next.head.sk;
    if (isNew && place >= skipped) matches.push(toMatch(next.head, next.source));
    if (isNew) place += 1;
    if (place < end) await advance(next);
  }
  return matches;
}

async function* itemsOf(table: Table, source: Source, paging: Paging): AsyncGenerator<Item, undefined> {
  for await (const items of pagesOf(table, source, paging)) yield* items;
}

async function advance(reader: Reader): Promise<void> {
  reader.head = (await reader.items.next()).value;
}

function findNext(readers: readonly Reader[], { isForward }: Direction): Reader | undefined {
  let best: Reader | undefined;
  for (const reader of readers) {
    if (!reader.head) continue;
    if (!best?.head || String(reader.head.sk) < String(best.head.sk) === isForward) best = reader;
  }
  return best;
}

// Finds a page even if half of the newest entries are unwanted, at 2 read units a source for a page of 20.
const READ_PER_SHOWN = 2;
// A page that would take more than about 4 read units a source is merged instead.
const MOST_READ = 100;

/** Returns a part of `all` without `others`, or undefined if it lies too deep or would contain too many of them. */
export async function takeOthers(
  table: Table,
  all: Source,
  others: readonly Source[],
  part: Part,
): Promise<Match[] | undefined> {
  const { skipped, size } = part;
  const count = READ_PER_SHOWN * (skipped + size);
  if (count > MOST_READ) return undefined;
  const read = (source: Source) => table.first(toQuery(source, part), count);
  const [items, ...unwanted] = await Promise.all([read(all), ...others.map(read)]);
  const unwantedKeys = new Set(unwanted.flat().map(({ sk }) => sk));
  const wanted = items.filter(({ sk }) => !unwantedKeys.has(sk));
  const isEnd = items.length < count;
  if (!isEnd && wanted.length < skipped + size) return undefined;
  return wanted.slice(skipped, skipped + size).map((item) => toMatch(item, all));
}

const PLACES = 4;

export async function readWanted(
  table: Table,
  sources: readonly Source[],
  range: CreationRange,
  isWanted: (entry: OrderEntry) => boolean,
  pageSize = ENTRIES_PER_PAGE,
): Promise<Match[]> {
  const matches: Match[] = [];
  const take = (items: readonly Item[], source: Source) => {
    for (const item of items) {
      const match = toMatch(item, source);
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

const ORDERS_PER_PAGE = 100;

/** Yields the orders that a client placed in a range, oldest first, 100 at a time: a query and a batch of reads for each 100. */
export async function* createdOrders(table: Table, clientId: number, range: CreationRange): AsyncGenerator<Order[]> {
  const source = viewSource({ clientId, viewer: 'client' });
  for await (const items of pagesOf(table, source, { range, isForward: true, pageSize: ORDERS_PER_PAGE })) {
    yield getOrders(table, clientId, items.map(parseOrderId));
  }
}
