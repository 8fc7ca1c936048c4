import { setTimeout as pauseFor } from 'node:timers/promises';
import * as z from 'zod';
import { sideBySide } from '../../../shared/runtime/async.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { delaysKey, keyName, orderKey } from '../../../shared/store/keys.ts';
import { countOrders, parsePairName } from '../../../shared/store/order-lists/counters.ts';
import { parseDelays, widenDelays } from '../../../shared/store/order-lists/delivery-delays.ts';
import { deriveItems } from '../../../shared/store/orders/order-writes.ts';
import { getOrder } from '../../../shared/store/orders/orders.ts';
import { beginPause, endPause, type Pause, pauseCheck } from '../../../shared/store/orders/pause.ts';
import { nameItems } from '../../../shared/store/people/name-index.ts';
import { ABSENT, BATCH, batches, type Table, type Write } from '../../../shared/store/table.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { existingClient } from '../clients/existing-client.ts';
import { command } from '../command.ts';
import type { CommandIo } from '../context.ts';
import { flag, recordId } from '../input.ts';
import { recordTable } from '../output.ts';
import { untilInterrupted, withProgress } from '../prompt.ts';
import { type CounterProblem, listMiscounts, type RowProblem, type Survey, surveyClient } from './survey.ts';

export const ordersRebuild = command({
  name: 'orders rebuild',
  summary: 'Make the lists, counters, names, delivery delays and redeemed coupons of a client what its orders say',
  example: '--client 2 --dry-run',
  details: `Without --dry-run nobody can write orders or people of the client while it runs, 15 minutes at most: the API answers 503
rebuilding. It first waits 90 seconds for what is under way.

`,
  input: z.object({
    client: recordId,
    dryRun: flag.describe('only compare: nothing is changed or paused, and what is written meanwhile may look wrong'),
  }),
  async run({ client, dryRun }, context) {
    const { table } = context;
    await existingClient(client, table);
    const found = await withProgress(dryRun ? 'Comparing' : 'Rebuilding', context, (onProgress) => {
      const asked = { clientId: client, onProgress };
      if (dryRun) return compareOrders(asked, table);
      return untilInterrupted((signal) => rebuildOrders({ ...asked, signal }, { table }));
    });
    const document = { client, orders: found.orders, dry_run: dryRun, ...representParts(found) };
    const text = context.stdout.isTTY ? rebuildText(document, context) : undefined;
    return { document, text, failure: dryRun && !isExact(document) ? '' : undefined };
  },
});

const representParts = ({ rows, names, counters, exceeded }: Rebuild) => ({
  lists: rows.map(({ owner, key, problem }) => ({ order: owner, list: key.pk, problem })),
  counters: counters.flatMap(representCounter),
  names: countNames(names),
  delays: exceeded.map(({ bound, recordedMs, ordersMs }) => ({ bound, recorded_ms: recordedMs, orders_ms: ordersMs })),
});

const representCounter = (counter: CounterProblem) =>
  listMiscounts(counter).map(({ field, orders, counted }) => {
    const { orderStatus, paymentStatus } = parsePairName(field) ?? {};
    return {
      counter: keyName(counter.Key),
      counts: [orderStatus ?? field, paymentStatus ?? ''].join(' ').trim(),
      orders,
      counted,
    };
  });

const countNames = (names: readonly RowProblem[]) =>
  [...Map.groupBy(names, ({ owner, problem }) => `${owner} ${problem}`).values()].flatMap((items) =>
    items.slice(0, 1).map(({ owner, problem }) => ({ patient: owner, problem, items: items.length })),
  );

type Document = { readonly client: number; readonly orders: number; readonly dry_run: boolean } & ReturnType<
  typeof representParts
>;

const PARTS = {
  lists: 'rows of lists and invoices',
  counters: 'counters of orders and coupons',
  names: 'indexed names',
  delays: 'delivery delays',
} as const;
const PART_NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[];

const isExact = (document: Document): boolean => PART_NAMES.every((part) => document[part].length === 0);

function rebuildText(document: Document, io: CommandIo): string {
  const { client, orders, dry_run } = document;
  const parts = PART_NAMES.map((part) => {
    if (document[part].length === 0) return `The ${PARTS[part]} are exact.\n`;
    const heading = dry_run ? 'differ from the orders' : 'differed from the orders and are repaired';
    return `These ${PARTS[part]} ${heading}:\n${recordTable(document[part], io)}`;
  });
  return [`Client ${client} has ${orders} orders.\n`, ...parts].join('');
}

/** A bound of the delivery delays that some order exceeds; the record may be wider than the orders need. */
type DelayProblem = { readonly bound: 'shortest' | 'longest'; readonly recordedMs: number; readonly ordersMs: number };

/** The differences between the orders of a client and the rows and counters derived from them. */
export type Rebuild = Survey & { readonly exceeded: readonly DelayProblem[] };

type Asked = {
  readonly clientId: number;
  /** Receives how much is done, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
};
type Deps = { readonly table: Table; readonly wait?: (ms: number, signal?: AbortSignal) => Promise<unknown> };

/**
 * Compares what follows from the orders of a client (entries of lists and of the queue, rows of invoices, counters, names,
 * delivery delays, redeemed coupons) with what is stored, and changes nothing. Whatever is written meanwhile may look wrong.
 */
export async function compareOrders({ clientId, onProgress = () => undefined }: Asked, table: Table): Promise<Rebuild> {
  const guessed = Math.max(1, await countOrders(table, { clientId, viewer: 'client' }));
  const survey = await surveyClient(table, clientId, (orders) => onProgress(Math.min(1, orders / guessed)));
  const recorded = parseDelays(await table.get(delaysKey(clientId)));
  const { shortestMs, longestMs } = survey.delays;
  const exceeded: DelayProblem[] = [];
  if (shortestMs < recorded.shortestMs)
    exceeded.push({ bound: 'shortest', recordedMs: recorded.shortestMs, ordersMs: shortestMs });
  if (longestMs > recorded.longestMs)
    exceeded.push({ bound: 'longest', recordedMs: recorded.longestMs, ordersMs: longestMs });
  return { ...survey, exceeded };
}

// A function that knew the client before the pause knows it for 30 s and ends its request within 10 s; a job or a command
// that asked before it is done with its order or patient within 90 s.
const UNDER_WAY_MS = 90_000;

/**
 * Makes right what `compareOrders` finds, and returns it. The writes of the client are paused meanwhile, for 15 minutes at
 * most, and what was under way is waited for. Nothing is written once the pause is nearly over. Should somebody write all the
 * same, the repair of a row fails by the version of its order, and that of a counter by the number of its changes, and
 * the rebuild stops. Throws Refusal `rebuilding` if the client is being rebuilt already.
 */
export async function rebuildOrders(asked: Asked, { table, wait = waitFor }: Deps): Promise<Rebuild> {
  const pause = await beginPause(table, asked.clientId);
  const goOn = () => {
    asked.signal?.throwIfAborted();
    refuseOverdue(pause);
  };
  const repair = async (writes: Write[]) => {
    goOn();
    if (!(await table.tryTransact(writes))) throw refusedToOperator('rebuild_overtaken', { client: asked.clientId });
  };
  try {
    await wait(UNDER_WAY_MS, asked.signal);
    goOn();
    const found = await compareOrders(asked, table);
    const byOrder = [...Map.groupBy(found.rows, ({ owner }) => owner)];
    await sideBySide(byOrder, { atOnce: ORDERS_AT_ONCE }, async ([id, problems]) => {
      for (const writes of await planRows(table, { clientId: asked.clientId, id }, problems)) await repair(writes);
    });
    for (const counters of batches(found.counters, BESIDE_A_CHECK)) {
      await repair([pauseCheck(pause), ...counters.map(replaceCounter)]);
    }
    goOn();
    await repairNames(table, asked.clientId, found);
    await widenDelays(table, asked.clientId, { shortestMs: 0, longestMs: 0 }, found.delays);
    return found;
  } finally {
    await endPause(table, pause);
  }
}

const waitFor = (ms: number, signal?: AbortSignal): Promise<void> =>
  pauseFor(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());

// More than the tries of a write take, and than clocks differ.
const MARGIN_MS = 60_000;

function refuseOverdue({ clientId, until }: Pause): void {
  if (now().getTime() < Date.parse(until) - MARGIN_MS) return;
  throw refusedToOperator('rebuild_overdue', { client: clientId });
}

const ORDERS_AT_ONCE = 8;
const BESIDE_A_CHECK = BATCH - 1;

/** Returns the transactions that make the rows of an order what it says now. They fail if it is changed before. */
async function planRows(
  table: Table,
  order: { readonly clientId: number; readonly id: number },
  problems: readonly RowProblem[],
): Promise<Write[][]> {
  const stored = await getOrder(table, order);
  const wanted = new Map((stored ? deriveItems(stored).rows : []).map((item) => [keyName(item), item]));
  const isUnchanged = stored
    ? { ConditionExpression: 'version = :version', ExpressionAttributeValues: { ':version': stored.version } }
    : { ConditionExpression: ABSENT };
  const check: Write = { ConditionCheck: { Key: orderKey(order.clientId, order.id), ...isUnchanged } };
  const writes = problems.map(({ key }): Write => {
    const Item = wanted.get(keyName(key));
    return Item ? { Put: { Item } } : { Delete: { Key: key } };
  });
  return [...batches(writes, BESIDE_A_CHECK)].map((batch) => [check, ...batch]);
}

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

/** Puts and removes what differs in the index of names: nobody places an order meanwhile that has indexed one already. */
async function repairNames(table: Table, clientId: number, { names, namesOfPatients }: Survey): Promise<void> {
  const [stray, others] = [true, false].map((isStray) =>
    names.filter(({ problem }) => (problem === 'stray') === isStray),
  ) as [RowProblem[], RowProblem[]];
  const wrong = new Set(others.map(({ key }) => keyName(key)));
  const items = [...new Set(others.map(({ owner }) => owner))].flatMap((id) =>
    [...(namesOfPatients.get(id) ?? [])].flatMap((name) => nameItems({ clientId, id, name })),
  );
  await table.putAll(items.filter((item) => wrong.has(keyName(item))));
  await table.deleteAll(stray.map(({ key }) => key));
}
