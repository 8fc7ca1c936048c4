import { isDeepStrictEqual } from 'node:util';
import { type Count, countOrders } from '../order/lists/counters.ts';
import { type Delays, measureDelays, parseDelays } from '../order/lists/delivery-delays.ts';
import type { Order } from '../order/order.ts';
import { parseOrder } from '../order/order-item.ts';
import { deriveItems } from '../order/order-writes.ts';
import { nameItems, packName } from '../people/name-index.ts';
import type { Names } from '../people/person.ts';
import { parseUser } from '../people/users.ts';
import {
  couponPartition,
  delaysKey,
  type Key,
  keyName,
  ORDER_START,
  parseKind,
  parseNameKey,
  parseOrderId,
  partitionStart,
  type RecordKind,
  toKey,
} from '../store/keys.ts';
import type { Item, Scan, Table } from '../store/table.ts';

/** A row that is not there, has other contents, or must not be there; `owner` is the id of its order, or of its patient. */
export type RowProblem = {
  readonly owner: number;
  /** The row as it must be, or the one that must not be there. */
  readonly item: Item;
  readonly problem: 'missing' | 'different' | 'stray';
};

/** A counter as it is stored, undefined if it is not, with the fields that it must have. */
export type CounterProblem = { readonly Key: Key; stored: Item | undefined; readonly right: Map<string, number> };

/** The differences between the orders of a client and the rows and counters derived from them. */
export type Survey = Awaited<ReturnType<typeof compareOrders>>;

export type SurveyInput = {
  readonly clientId: number;
  /** Receives how much is done, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
};

/**
 * Compares what follows from the orders of a client (entries of lists and of the queue, rows of invoices, counters, names,
 * delivery delays, redeemed coupons) with what is stored, in one pass over the table, and changes nothing. Whatever is written
 * meanwhile may look wrong. The marks and uses of documents and the dispensing record are evidence, which no list depends on,
 * and are left out. It costs a read unit for each 4 KB of the table.
 */
export async function compareOrders({ clientId, onProgress }: SurveyInput, table: Table) {
  const guessed = Math.max(1, await countOrders(table, { clientId, viewer: 'client' }));
  const [rows, names, counters] = [new Comparison(), new Comparison(), new Counting()];
  // The version of each order, by its id.
  const versions = new Map<number, number>();
  const namesOfPatients = new Set<string>();
  const delays = { shortestMs: 0, longestMs: 0 };

  const wantName = (id: number, person: Names) => {
    const name = packName(person);
    if (name === '' || namesOfPatients.has(`${id} ${name}`)) return;
    namesOfPatients.add(`${id} ${name}`);
    for (const item of nameItems({ clientId, id, name })) names.note(id, item, 'missing');
  };
  const takeOrder = (order: Order) => {
    const derived = deriveItems(order);
    for (const item of derived.rows) rows.note(order.id, item, 'missing');
    for (const count of derived.counts) counters.count(count);
    wantName(order.patient.id, order.patient);
    const { shortestMs, longestMs } = measureDelays(order);
    delays.shortestMs = Math.min(delays.shortestMs, shortestMs);
    delays.longestMs = Math.max(delays.longestMs, longestMs);
    versions.set(order.id, order.version);
    onProgress?.(Math.min(1, versions.size / guessed));
  };
  await scanClient(table, clientId, (item) => {
    const { pk, sk } = toKey(item);
    const kind = parseKind(pk);
    if (kind === 'ORDER' && sk.startsWith(ORDER_START)) takeOrder(parseOrder(item));
    else if (kind === 'ORDER') return;
    else if (kind === 'COUNT' || kind === 'COUPON') counters.take(item);
    else if (kind === 'NAME') names.note(parseNameKey(sk), item, 'stray');
    else if (kind !== 'USER') rows.note(Number(item.orderId ?? parseOrderId(item)), item, 'stray');
    else if (parseKind(sk) === 'USER') {
      const user = parseUser(item);
      if (user.role === 'patient') wantName(user.id, user);
    }
  });
  const exceeded = findExceeded(delays, parseDelays(await table.get(delaysKey(clientId))));
  return { versions, rows: rows.problems(), names: names.problems(), counters: counters.problems(), delays, exceeded };
}

/** Returns the bounds of the delivery delays that some order exceeds; the record may be wider than the orders need. */
function findExceeded(orders: Delays, recorded: Delays) {
  const bounds = [
    { bound: 'shortest', recordedMs: recorded.shortestMs, ordersMs: orders.shortestMs },
    { bound: 'longest', recordedMs: recorded.longestMs, ordersMs: orders.longestMs },
  ];
  // The shortest is never above 0, the longest never below.
  return bounds.filter(({ recordedMs, ordersMs }) => Math.abs(ordersMs) > Math.abs(recordedMs));
}

/** Compares the items that must be stored with those that are, while both come in any order; equal ones are forgotten. */
class Comparison {
  readonly #open = new Map<string, RowProblem>();

  /** Notes an item that must be stored, and is missing until it comes, or one that is stored, and a stray until it is wanted. */
  note(owner: number, item: Item, problem: 'missing' | 'stray'): void {
    const name = keyName(item);
    const other = this.#open.get(name);
    if (!other) this.#open.set(name, { owner, item, problem });
    else if (isDeepStrictEqual(other.item, item)) this.#open.delete(name);
    else this.#open.set(name, { owner, item: problem === 'missing' ? item : other.item, problem: 'different' });
  }

  problems(): RowProblem[] {
    return [...this.#open.values()];
  }
}

/** Counts orders as the counters of their client must, beside the numbers that these have. */
class Counting {
  readonly #counters = new Map<string, CounterProblem>();

  #counter(Key: Key): CounterProblem {
    const counter = this.#counters.get(keyName(Key)) ?? { Key, stored: undefined, right: new Map() };
    this.#counters.set(keyName(Key), counter);
    return counter;
  }

  count({ Key, field }: Count): void {
    const { right } = this.#counter(Key);
    right.set(field, (right.get(field) ?? 0) + 1);
  }

  take(stored: Item): void {
    this.#counter(toKey(stored)).stored = stored;
  }

  problems(): CounterProblem[] {
    return [...this.#counters.values()].filter((counter) => listMiscounts(counter).length > 0);
  }
}

/** Returns the fields of a counter that have another number than the orders that it counts, which are `orders`. */
export function listMiscounts({ stored = {}, right }: CounterProblem) {
  const { pk: _, sk: __, changes: ___, ...fields } = stored;
  return [...new Set([...Object.keys(fields), ...right.keys()])].flatMap((field) => {
    const [orders, counted] = [right.get(field) ?? 0, Number(fields[field] ?? 0)];
    return orders === counted ? [] : [{ field, orders, counted }];
  });
}

// The calls for one segment follow each other; those for different segments run side by side.
const SEGMENTS = 4;
// Without a limit a busy local engine takes seconds for 1 MB, and a call is cancelled after 1.2 s.
const ITEMS_PER_PAGE = 500;

async function scanClient(table: Table, clientId: number, take: (item: Item) => void): Promise<void> {
  const filter = filterClient(clientId);
  const scanSegment = async (segment: number) => {
    const pages = table.scan({ ...filter, pageSize: ITEMS_PER_PAGE, segment, segments: SEGMENTS });
    for await (const items of pages) for (const item of items) take(item);
  };
  await Promise.all(Array.from({ length: SEGMENTS }, (_, segment) => scanSegment(segment)));
}

/** The kinds whose keys begin with the client, and those whose items name it. */
const KEYED_BY_CLIENT = ['USER', 'CREATED', 'PAIR', 'COUNT', 'NAME'] as const satisfies RecordKind[];
const OF_ALL_CLIENTS = [
  'ORDER',
  'OPEN',
  'INVOICES',
  'PAYMENTS',
  'UNINVOICED',
  'LEDGER',
  'RETAINED',
  'DISPENSED',
] as const satisfies RecordKind[];

function filterClient(clientId: number): Pick<Scan, 'filter' | 'values'> {
  const startsWith = (kinds: readonly RecordKind[]) => kinds.map((kind) => `begins_with(pk, :${kind})`).join(' OR ');
  const ofClient = `(clientId = :clientId AND (${startsWith(OF_ALL_CLIENTS)}))`;
  return {
    filter: `${startsWith(KEYED_BY_CLIENT)} OR ${ofClient} OR pk = :coupons`,
    values: {
      ...Object.fromEntries(KEYED_BY_CLIENT.map((kind) => [`:${kind}`, partitionStart(kind, clientId)])),
      ...Object.fromEntries(OF_ALL_CLIENTS.map((kind) => [`:${kind}`, partitionStart(kind)])),
      ':clientId': clientId,
      ':coupons': couponPartition(clientId),
    },
  };
}
