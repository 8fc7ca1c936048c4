import { setTimeout as pauseFor } from 'node:timers/promises';
import * as z from 'zod';
import { refusedToOperator } from '../../../shared/domain/operator-refusal.ts';
import { parsePairName } from '../../../shared/order/lists/counters.ts';
import { widenDelays } from '../../../shared/order/lists/delivery-delays.ts';
import { sideBySide } from '../../../shared/runtime/async.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { type Key, keyName, orderKey, toKey } from '../../../shared/store/keys.ts';
import { beginPause, endPause, type Pause, pauseCheck } from '../../../shared/store/pause.ts';
import { ABSENT, BATCH, batches, type Table, type Write } from '../../../shared/store/table.ts';
import { existingClient } from '../clients/existing-client.ts';
import { command } from '../command.ts';
import type { CommandIo } from '../context.ts';
import { flag, recordId } from '../input.ts';
import { recordTable } from '../output.ts';
import { untilInterrupted, withProgress } from '../prompt.ts';
import {
  type Asked,
  type CounterProblem,
  compareOrders,
  listMiscounts,
  type RowProblem,
  type Survey,
} from './survey.ts';

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
    const parts = representParts(found);
    const document = { client, orders: found.versions.size, dry_run: dryRun, ...parts };
    const isExact = Object.values(parts).every(({ length }) => length === 0);
    return { document, text: rebuildText(document, context), failure: dryRun && !isExact ? '' : undefined };
  },
});

const representParts = ({ rows, names, counters, exceeded }: Survey) => ({
  lists: rows.map(({ owner, item, problem }) => ({ order: owner, list: toKey(item).pk, problem })),
  counters: counters.flatMap(representCounter),
  names: countNames(names),
  delays: exceeded.map(({ bound, recordedMs, ordersMs }) => ({ bound, recorded_ms: recordedMs, orders_ms: ordersMs })),
});

const representCounter = (counter: CounterProblem) =>
  listMiscounts(counter).map(({ field, orders, counted }) => {
    const { orderStatus = field, paymentStatus = '' } = parsePairName(field) ?? {};
    return { counter: keyName(counter.Key), counts: `${orderStatus} ${paymentStatus}`.trim(), orders, counted };
  });

const countNames = (names: readonly RowProblem[]) =>
  [...Map.groupBy(names, ({ owner, problem }) => `${owner} ${problem}`).values()].flatMap((items) =>
    items.slice(0, 1).map(({ owner, problem }) => ({ patient: owner, problem, items: items.length })),
  );

const PARTS = {
  lists: 'rows of lists and invoices',
  counters: 'counters of orders and coupons',
  names: 'indexed names',
  delays: 'delivery delays',
} as const;
const PART_NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[];

type Document = ReturnType<typeof representParts> & {
  readonly client: number;
  readonly orders: number;
  readonly dry_run: boolean;
};

function rebuildText({ client, orders, dry_run, ...parts }: Document, io: CommandIo): string {
  const heading = dry_run ? 'differ from the orders' : 'differed from the orders and are repaired';
  const told = PART_NAMES.map((part) =>
    parts[part].length === 0
      ? `The ${PARTS[part]} are exact.\n`
      : `These ${PARTS[part]} ${heading}:\n${recordTable(parts[part], io)}`,
  );
  return [`Client ${client} has ${orders} orders.\n`, ...told].join('');
}

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
  { signal, ...asked }: Asked & { readonly signal?: AbortSignal },
  { table, wait = waitFor }: { readonly table: Table; readonly wait?: typeof waitFor },
): Promise<Survey> {
  const { clientId } = asked;
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
    const found = await compareOrders(asked, table);
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
