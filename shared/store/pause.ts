import { Refusal } from '../domain/refusal.ts';
import { sideBySide } from '../runtime/async.ts';
import { now } from '../runtime/clock.ts';
import { logError } from '../runtime/log.ts';
import { clientKey } from './keys.ts';
import { PRESENT, type Table, type Write } from './table.ts';
import { toUpdate } from './update.ts';

/*
 * While a client's derived rows are rebuilt, nobody writes its orders and people. The pause is a field of the client's record,
 * which every route reads anyway. Routes check it once, at the start; jobs before each order, and commands before their order
 * or patient. Work in progress is finished, not stopped halfway, and a rebuild waits for it. The pause is a time, so it ends
 * even if the rebuild fails.
 */
const PAUSE_MS = 15 * 60 * 1_000;

/** An order's writes are paused until `2026-11-21T23:00:00.000Z`. */
export type Pause = { readonly clientId: number; readonly until: string };

/** Pauses a client's writes for 15 minutes. Throws Refusal `rebuilding` if they are already paused. */
export async function beginPause(table: Table, clientId: number): Promise<Pause> {
  const time = now();
  const until = new Date(time.getTime() + PAUSE_MS).toISOString();
  const where = `${PRESENT} AND (attribute_not_exists(rebuildingUntil) OR rebuildingUntil <= :now)`;
  const changes = { set: { rebuildingUntil: until }, where, values: { ':now': time.toISOString() } };
  const isBegun = await table.tryUpdate(toUpdate(clientKey(clientId), changes));
  if (isBegun) return { clientId, until };
  await refuseWhilePaused(table, clientId);
  throw new Refusal('not_found');
}

const IS_HELD = 'rebuildingUntil = :until';

/** Checks that a pause has not been lifted, but not whether its time is over. */
export const pauseCheck = ({ clientId, until }: Pause): Write => {
  const values = { ':until': until };
  return {
    ConditionCheck: { Key: clientKey(clientId), ConditionExpression: IS_HELD, ExpressionAttributeValues: values },
  };
};

/** Lifts a pause, unless a new one has begun. */
export async function endPause(table: Table, { clientId, until }: Pause): Promise<void> {
  const changes = { remove: ['rebuildingUntil'], where: IS_HELD, values: { ':until': until } };
  await table.tryUpdate(toUpdate(clientKey(clientId), changes));
}

type Paused = { readonly rebuildingUntil?: unknown };

export const isPaused = ({ rebuildingUntil }: Paused): boolean =>
  typeof rebuildingUntil === 'string' && rebuildingUntil > now().toISOString();

// A rebuild takes a minute or two, but may take all of its time.
const RETRY_AFTER_SECONDS = 60;

/** Throws Refusal `rebuilding` during a pause. */
export function refusePaused(client: Paused): void {
  if (isPaused(client)) throw new Refusal('rebuilding', { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Throws Refusal `rebuilding` during a pause; one read. */
export async function refuseWhilePaused(table: Table, clientId: number): Promise<void> {
  refusePaused((await table.get(clientKey(clientId))) ?? {});
}

/** Counts by outcome, including `failed`, and `paused` for orders of paused clients, which stay due for a later run. */
export type Outcomes = Readonly<Record<string, number>>;

type OrderRow = { readonly clientId: number; readonly orderId: number };
type Limits = { readonly timeoutMs: number; readonly atOnce?: number };

/** Runs a job's work on each order, some at a time, until the time is up; a failure is logged. One read per row. */
export async function processInBatches<Row extends OrderRow>(
  table: Table,
  rows: readonly Row[],
  { timeoutMs, atOnce = 5 }: Limits,
  work: (row: Row) => Promise<string | readonly string[]>,
): Promise<Outcomes> {
  const end = Date.now() + timeoutMs;
  const outcomes = await sideBySide(rows, { atOnce, isOver: () => Date.now() >= end }, async (row) => {
    try {
      const client = await table.get(clientKey(row.clientId));
      return isPaused(client ?? {}) ? 'paused' : await work(row);
    } catch (error) {
      logError('work on an order failed', error, { orderId: row.orderId });
      return 'failed';
    }
  });
  const counts: Record<string, number> = {};
  for (const outcome of outcomes.flat()) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
