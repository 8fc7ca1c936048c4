import { Refusal } from '../domain/refusal.ts';
import { now } from '../runtime/clock.ts';
import { clientKey } from './keys.ts';
import { PRESENT, type Table, type Write } from './table.ts';

/*
 * While what follows from the orders of a client is rebuilt, nobody writes its orders and people. The pause is a field of the
 * client's record: every route has read that record when it knows its caller, so that an order pays nothing for it. Routes ask
 * once, before anything else; a job asks before each order, and an operator's command before its order or patient. What is
 * under way by then is finished and not stopped halfway, so that no invoice is issued and not recorded: a rebuild waits for
 * it. The pause is a time, and so ends by itself whatever became of the rebuild.
 */
const PAUSE_MS = 15 * 60 * 1_000;

/** The time until which the orders of a client are not written: `2026-11-21T23:00:00.000Z`. */
export type Pause = { readonly clientId: number; readonly until: string };

/** Pauses the writes of a client for 15 minutes. Throws Refusal `rebuilding` if they are paused already. */
export async function beginPause(table: Table, clientId: number): Promise<Pause> {
  const time = now();
  const until = new Date(time.getTime() + PAUSE_MS).toISOString();
  const isBegun = await table.tryUpdate({
    Key: clientKey(clientId),
    UpdateExpression: 'SET rebuildingUntil = :until',
    ConditionExpression: `${PRESENT} AND (attribute_not_exists(rebuildingUntil) OR rebuildingUntil <= :now)`,
    ExpressionAttributeValues: { ':until': until, ':now': time.toISOString() },
  });
  if (!isBegun) await refuseWhilePaused(table, clientId);
  if (!isBegun) throw new Refusal('not_found');
  return { clientId, until };
}

const IS_HELD = { ConditionExpression: 'rebuildingUntil = :until' };

/** Returns the check that a pause has not been lifted; whether its time is over is for the clock to say. */
export const pauseCheck = ({ clientId, until }: Pause): Write => ({
  ConditionCheck: { Key: clientKey(clientId), ...IS_HELD, ExpressionAttributeValues: { ':until': until } },
});

/** Lifts a pause, unless another one has begun since it ended. */
export async function endPause(table: Table, { clientId, until }: Pause): Promise<void> {
  await table.tryUpdate({
    Key: clientKey(clientId),
    UpdateExpression: 'REMOVE rebuildingUntil',
    ...IS_HELD,
    ExpressionAttributeValues: { ':until': until },
  });
}

type Paused = { readonly rebuildingUntil?: unknown };

/** True if the writes of a client, as read, are paused now. */
export const isPaused = ({ rebuildingUntil }: Paused): boolean =>
  typeof rebuildingUntil === 'string' && rebuildingUntil > now().toISOString();

// A rebuild takes a minute or two, but may take all of its time.
const RETRY_AFTER_SECONDS = 60;

/** Throws Refusal `rebuilding` while the writes of this client are paused. */
export function refusePaused(client: Paused): void {
  if (isPaused(client)) throw new Refusal('rebuilding', { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Throws Refusal `rebuilding` while the writes of a client are paused; one read. */
export async function refuseWhilePaused(table: Table, clientId: number): Promise<void> {
  refusePaused((await table.get(clientKey(clientId))) ?? {});
}

/**
 * Returns the work of a job on a row, which it leaves undone while the client of the row is paused: the row stays due, and a
 * later run finds it. One read for each row.
 */
export const unlessPaused =
  <Row extends { readonly clientId: number }, Outcome>(table: Table, work: (row: Row) => Promise<Outcome>) =>
  async (row: Row): Promise<Outcome | 'paused'> =>
    isPaused((await table.get(clientKey(row.clientId))) ?? {}) ? 'paused' : work(row);
