import { hash } from 'node:crypto';
import {
  clientSortKey,
  couponPartition,
  type Key,
  keyName,
  parseKind,
  parseNameKey,
  parseOrderId,
  partitionStart,
  type RecordKind,
  toKey,
} from '../../../shared/store/keys.ts';
import type { Count } from '../../../shared/store/order-lists/counters.ts';
import { type Delays, measureDelays } from '../../../shared/store/order-lists/delivery-delays.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { parseOrder } from '../../../shared/store/orders/order-item.ts';
import { deriveItems } from '../../../shared/store/orders/order-writes.ts';
import { foldName, nameItems } from '../../../shared/store/people/name-index.ts';
import { parseUser } from '../../../shared/store/people/users.ts';
import type { Item, Scan, Table } from '../../../shared/store/table.ts';

/** A row that is not there, has other contents, or must not be there; `owner` is the id of its order, or of its patient. */
export type RowProblem = {
  readonly owner: number;
  readonly key: Key;
  readonly problem: 'missing' | 'different' | 'stray';
};

/** A counter as it is stored, undefined if it is not, with the fields that it must have. */
export type CounterProblem = {
  readonly Key: Key;
  readonly stored: Item | undefined;
  readonly right: ReadonlyMap<string, number>;
};

/** The differences between the orders of a client and the rows and counters derived from them. */
export type Survey = {
  readonly orders: number;
  readonly rows: readonly RowProblem[];
  readonly names: readonly RowProblem[];
  readonly counters: readonly CounterProblem[];
  /** The shortest and the longest delay of all orders. */
  readonly delays: Delays;
  /** The names by which each patient must be found. */
  readonly namesOfPatients: ReadonlyMap<number, ReadonlySet<string>>;
};

/**
 * Holds what follows from the orders of a client against what is stored, in one pass over the table. It is exact while nobody
 * writes. The marks and uses of documents and the dispensing record are evidence, which no list depends on, and are left out.
 * It costs a read unit for each 4 KB of the table; `onOrder` receives the orders so far.
 */
export async function surveyClient(table: Table, clientId: number, onOrder: (orders: number) => void): Promise<Survey> {
  const [rows, names] = [new Comparison(), new Comparison()];
  const namesOfPatients = new Map<number, Set<string>>();
  const counters = new Map<string, { Key: Key; stored: Item | undefined; right: Map<string, number> }>();
  let delays: Delays = { shortestMs: 0, longestMs: 0 };
  let orders = 0;

  const wantName = (id: number, name: string) => {
    const known = namesOfPatients.get(id) ?? new Set();
    if (name === '' || known.has(name)) return;
    namesOfPatients.set(id, known.add(name));
    for (const item of nameItems({ clientId, id, name })) names.note(id, item, 'wanted');
  };
  const counterOf = (Key: Key) => {
    const counter = counters.get(keyName(Key)) ?? { Key, stored: undefined, right: new Map() };
    counters.set(keyName(Key), counter);
    return counter;
  };
  const count = ({ Key, field }: Count) => {
    const { right } = counterOf(Key);
    right.set(field, (right.get(field) ?? 0) + 1);
  };
  const takeOrder = (order: Order) => {
    const derived = deriveItems(order);
    for (const item of derived.rows) rows.note(order.id, item, 'wanted');
    derived.counts.forEach(count);
    wantName(order.patient.id, foldName(order.patient));
    const { shortestMs, longestMs } = measureDelays(order);
    delays = {
      shortestMs: Math.min(delays.shortestMs, shortestMs),
      longestMs: Math.max(delays.longestMs, longestMs),
    };
    onOrder(++orders);
  };
  const take = (item: Item) => {
    const key = toKey(item);
    const kind = parseKind(key.pk);
    if (kind === 'ORDER') takeOrder(parseOrder(item));
    else if (kind === 'COUNT' || kind === 'COUPON') counterOf(key).stored = item;
    else if (kind === 'NAME') names.note(parseNameKey(key.sk), item, 'stored');
    else if (kind !== 'USER') rows.note(Number(item.orderId ?? parseOrderId(item)), item, 'stored');
    else if (parseKind(key.sk) === 'USER') {
      const user = parseUser(item);
      if (user.role === 'patient') wantName(user.id, foldName(user));
    }
  };
  await scanClient(table, clientId, take);
  return {
    orders,
    rows: rows.problems(),
    names: names.problems(),
    counters: [...counters.values()].filter((counter) => listMiscounts(counter).length > 0),
    delays,
    namesOfPatients,
  };
}

/** Returns the fields of a counter that have another number than the orders that it counts, which are `orders`. */
export function listMiscounts({ stored = {}, right }: CounterProblem) {
  const { pk: _, sk: __, changes: ___, ...fields } = stored;
  return [...new Set([...Object.keys(fields), ...right.keys()])].flatMap((field) => {
    const [orders, counted] = [right.get(field) ?? 0, Number(fields[field] ?? 0)];
    return orders === counted ? [] : [{ field, orders, counted }];
  });
}

/** Compares the items that must be stored with those that are, while both come in any order; equal ones are forgotten. */
class Comparison {
  readonly #left = new Map<string, { owner: number; key: Key; side: 'wanted' | 'stored' }>();

  note(owner: number, item: Item, side: 'wanted' | 'stored'): void {
    const content = digestItem(item);
    if (this.#left.get(content)?.side === (side === 'wanted' ? 'stored' : 'wanted')) this.#left.delete(content);
    else this.#left.set(content, { owner, key: toKey(item), side });
  }

  problems(): RowProblem[] {
    const byKey = Map.groupBy(this.#left.values(), ({ key }) => keyName(key));
    return [...byKey.values()].flatMap(([first, second]) => {
      if (!first) return [];
      const problem = second ? 'different' : first.side === 'wanted' ? 'missing' : 'stray';
      return [{ owner: first.owner, key: first.key, problem }];
    });
  }
}

/** Returns a digest of an item, whose attributes come in any order: in place of the text, it keeps memory for a million orders small. */
const digestItem = (item: Item): string =>
  hash(
    'sha256',
    JSON.stringify(item, (_, value) => (hasFields(value) ? sortFields(value) : value)),
    'base64url',
  );

const hasFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const sortFields = (value: object) => Object.fromEntries(Object.entries(value).sort());

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
  'OPEN',
  'INVOICES',
  'UNINVOICED',
  'LEDGER',
  'RETAINED',
  'PAYMENTS',
] as const satisfies RecordKind[];

function filterClient(clientId: number): Pick<Scan, 'filter' | 'values'> {
  const startsWith = (kinds: readonly RecordKind[]) => kinds.map((kind) => `begins_with(pk, :${kind})`).join(' OR ');
  return {
    filter: [
      startsWith(KEYED_BY_CLIENT),
      `(clientId = :clientId AND (${startsWith(OF_ALL_CLIENTS)}))`,
      '(begins_with(pk, :ORDER) AND sk = :client)',
      'pk = :coupons',
    ].join(' OR '),
    values: {
      ...Object.fromEntries(KEYED_BY_CLIENT.map((kind) => [`:${kind}`, partitionStart(kind, clientId)])),
      ...Object.fromEntries([...OF_ALL_CLIENTS, 'ORDER' as const].map((kind) => [`:${kind}`, partitionStart(kind)])),
      ':client': clientSortKey(clientId),
      ':clientId': clientId,
      ':coupons': couponPartition(clientId),
    },
  };
}
