import { setTimeout as pauseFor } from 'node:timers/promises';
import { refusedToOperator } from '../domain/operator-refusal.ts';
import { widenDelays } from '../order/lists/delivery-delays.ts';
import { sideBySide } from '../runtime/async.ts';
import { now } from '../runtime/clock.ts';
import { type Key, orderKey, toKey } from '../store/keys.ts';
import { beginPause, endPause, type Pause, pauseCheck } from '../store/pause.ts';
import { ABSENT, BATCH, batches, type Table, type Write } from '../store/table.ts';
import { type CounterProblem, compareOrders, type RowProblem, type Survey, type SurveyInput } from './survey-orders.ts';

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
