import { setTimeout as pauseFor } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { refusedToOperator } from '../domain/operator-refusal.ts';
import { type Count, countOrders } from '../order/lists/counters.ts';
import { type Delays, measureDelays, parseDelays, widenDelays } from '../order/lists/delivery-delays.ts';
import type { Order } from '../order/order.ts';
import { deriveItems } from '../order/order-writes.ts';
import { parseOrder } from '../order/orders.ts';
import { nameItems, packName } from '../people/name-index.ts';
import type { Names } from '../people/person.ts';
import { parseUser } from '../people/users.ts';
import { sideBySide } from '../runtime/async.ts';
import { now } from '../runtime/clock.ts';
import {
  couponPartition,
  delaysKey,
  type Key,
  keyName,
  ORDER_START,
  orderKey,
  parseKind,
  parseNameKey,
  parseOrderId,
  partitionStart,
  type RecordKind,
  toKey,
} from '../store/keys.ts';
import { beginPause, endPause, type Pause, pauseCheck } from '../store/pause.ts';
import { ABSENT, BATCH, batches, type Item, type Scan, type Table, type Write } from '../store/table.ts';

// A function that knew the client before the pause knows it for 30 s and ends its request within 10 s; a job or a command
// that asked before it is done with its order or patient within 90 s.
const UNDER_WAY_MS = 90_000;
const ORDERS_AT_ONCE = 8;
const BESIDE_A_CHECK = BATCH - 1;

/**
 * Makes right what `compareOrders` finds, and returns it. The writes of the client are paused meanwhile, for 15 minutes at
 * most, and what was under way is waited for. Nothing is written once the pause is nearly over. Should somebody write all the
 * same, the repair of a row fails by the version of its order, and that of a counter by the number of its changes, and
 * the rebuild stops. Throws Refusal `rebuilding` if the client is being rebuilt already.
 */
export async function rebuildOrders(
  { signal, ...input }: SurveyInput & { readonly signal?: AbortSignal },
  { table, wait = waitFor }: { readonly table: Table; readonly wait?: typeof waitFor },
): Promise<Survey> {
  const { clientId } = input;
  const pause = await beginPause(table, clientId);
  const goOn = () => {
    signal?.throwIfAborted();
    refuseOverdue(pause);
  };
  const repair = async (check: Write, writes: readonly Write[]) => {
    for (const batch of batches(writes, BESIDE_A_CHECK)) {
      goOn();
      if (!(await table.tryTransact([check, ...batch])))
        throw refusedToOperator('rebuild_overtaken', { client: clientId });
    }
  };
  try {
    await wait(UNDER_WAY_MS, signal);
    goOn();
    const found = await compareOrders(input, table);
    const byOrder = [...Map.groupBy(found.rows, ({ owner }) => owner)];
    await sideBySide(byOrder, { atOnce: ORDERS_AT_ONCE }, ([id, problems]) =>
      repair(versionCheck(orderKey(clientId, id), found.versions.get(id)), problems.map(repairRow)),
    );
    await repair(pauseCheck(pause), found.counters.map(replaceCounter));
    goOn();
    // Nobody places an order meanwhile that has indexed a name already.
    const [strays, others] = [found.names.filter(isStray), found.names.filter((name) => !isStray(name))];
    await table.putAll(others.map(({ item }) => item));
    await table.deleteAll(strays.map(({ item }) => toKey(item)));
    await widenDelays(table, clientId, { shortestMs: 0, longestMs: 0 }, found.delays);
    return found;
  } finally {
    await endPause(table, pause);
  }
}

const waitFor = (ms: number, signal?: AbortSignal): Promise<unknown> =>
  pauseFor(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());

// More than the tries of a write take, and than clocks differ.
const MARGIN_MS = 60_000;

function refuseOverdue({ clientId, until }: Pause): void {
  if (now().getTime() < Date.parse(until) - MARGIN_MS) return;
  throw refusedToOperator('rebuild_overdue', { client: clientId });
}

/** Returns the check that an order has this version still, or is still not there. */
const versionCheck = (Key: Key, version: number | undefined): Write => ({
  ConditionCheck:
    version === undefined
      ? { Key, ConditionExpression: ABSENT }
      : { Key, ConditionExpression: 'version = :version', ExpressionAttributeValues: { ':version': version } },
});

const isStray = ({ problem }: RowProblem): boolean => problem === 'stray';
const repairRow = (row: RowProblem): Write =>
  isStray(row) ? { Delete: { Key: toKey(row.item) } } : { Put: { Item: row.item } };

/** Returns the write that gives a counter the right numbers, as one more change; it fails if the counter was written since. */
function replaceCounter({ Key, stored, right }: CounterProblem): Write {
  const changes = stored?.changes;
  const isUnchanged =
    changes === undefined
      ? { ConditionExpression: 'attribute_not_exists(changes)' }
      : { ConditionExpression: 'changes = :changes', ExpressionAttributeValues: { ':changes': changes } };
  const Item = { ...Key, ...Object.fromEntries(right), changes: Number(changes ?? 0) + 1 };
  return { Put: { Item, ...isUnchanged } };
}

/** A row that is not there, has other contents, or must not be there; `owner` is the id of its order, or of its patient. */
export type RowProblem = {
  readonly owner: number;
  readonly item: Item;
  readonly problem: 'missing' | 'different' | 'stray';
};

/** A counter as it is stored, undefined if it is not, with the fields that it must have. */
export type CounterProblem = { readonly Key: Key; stored: Item | undefined; readonly right: Map<string, number> };

/** The differences between the orders of a client and the rows and counters derived from them. */
export type Survey = Awaited<ReturnType<typeof compareOrders>>;

type SurveyInput = { readonly clientId: number; readonly onProgress?: (share: number) => void };

/**
 * Compares what follows from the orders of a client (entries of lists and of the queue, rows of invoices, counters, names,
 * delivery delays, redeemed coupons) with what is stored, in one pass over the table, and changes nothing. Whatever is written
 * meanwhile may look wrong. The marks and uses of documents and the dispensing record are evidence, which no list depends on,
 * and are left out. It costs a read unit for each 4 KB of the table.
 */
export async function compareOrders({ clientId, onProgress }: SurveyInput, table: Table) {
  const guessed = Math.max(1, await countOrders(table, { clientId, viewer: 'client' }));
  const [rows, names, counters] = [new Comparison(), new Comparison(), new Counting()];
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
  await table.scan(filterClient(clientId), (item) => {
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

function filterClient(clientId: number): Scan {
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
