import * as z from 'zod';
import { Refusal } from '../domain/refusal.ts';
import {
  accountAttemptsKey,
  accountAttemptsPartition,
  accountSourceAttemptsKey,
  type Key,
  sourceAttemptsKey,
  toKey,
} from '../store/keys.ts';
import { parseItem } from '../store/parse-item.ts';
import { ABSENT, type Item, type Table } from '../store/table.ts';
import { toUpdate } from '../store/update.ts';

export type Limit = { readonly tries: number; readonly windowMs: number };

// Both count per client and e-mail, even of an unknown account: from one address, so that a stranger cannot lock the owner out,
// and from all addresses together.
const ACCOUNT_SOURCE_LIMIT: Limit = { tries: 10, windowMs: 15 * 60_000 };
const ACCOUNT_LIMIT: Limit = { tries: 50, windowMs: 15 * 60_000 };
// Per address, against one password tried on many accounts; generous, since a whole company may share an address.
const SOURCE_LIMIT: Limit = { tries: 100, windowMs: 60_000 };

/** A login: `email` in lower case, `sourceAddress` as seen by the gateway. */
type LoginTry = { readonly client: number; readonly email: string; readonly sourceAddress: string };

const attempts = z.object({ windowEndsAt: z.number() });
type GiveBack = () => Promise<unknown>;

/**
 * Reserves a try before its password is checked, so that parallel tries cannot exceed a limit. Narrower limits come
 * first, so that a source over its limit uses up nobody's tries; a try that an account refuses still counts for the
 * source. Throws Refusal `too_many_attempts` with the seconds until the window ends.
 */
export async function reserveLoginTry(table: Table, login: LoginTry, now: Date): Promise<GiveBack> {
  const { client, email, sourceAddress } = login;
  const fromSource = await reserve(table, sourceAttemptsKey(sourceAddress), SOURCE_LIMIT, now);
  const bothKey = accountSourceAttemptsKey(client, email, sourceAddress);
  const onAccountFromSource = await reserve(table, bothKey, ACCOUNT_SOURCE_LIMIT, now);
  try {
    const onAccount = await reserve(table, accountAttemptsKey(client, email), ACCOUNT_LIMIT, now);
    return () => Promise.all([fromSource(), onAccountFromSource(), onAccount()]);
  } catch (error) {
    // Tries on a locked account do not lock its owner out for longer.
    if (error instanceof Refusal && error.code === 'too_many_attempts') await onAccountFromSource();
    throw error;
  }
}

export async function removeLoginTries(table: Table, client: number, email: string): Promise<void> {
  const items = await table.all({ pk: accountAttemptsPartition(client, email), attributes: 'pk, sk' });
  await table.deleteAll(items.map(toKey));
}

/**
 * Opens a window or counts a try, by one conditional update each; undefined if the window has none left. Expired items may
 * linger, so the window's end is compared.
 */
export const takeTry = async (table: Table, key: Key, limit: Limit, now: Date): Promise<Item | undefined> =>
  (await openWindow(table, key, limit, now)) ?? (await countTry(table, key, limit));

async function reserve(table: Table, key: Key, limit: Limit, now: Date): Promise<GiveBack> {
  const reserved = await takeTry(table, key, limit, now);
  if (!reserved) throw await tooManyAttempts(table, key, now);
  const { windowEndsAt } = parseItem(attempts, reserved, 'login attempts');
  return () => giveBack(table, key, windowEndsAt);
}

function openWindow(table: Table, key: Key, { windowMs }: Limit, now: Date): Promise<Item | undefined> {
  const windowEndsAt = now.getTime() + windowMs;
  const set = { tries: 1, windowEndsAt, ttl: Math.ceil(windowEndsAt / 1_000) };
  const where = `${ABSENT} OR windowEndsAt <= :now`;
  return table.tryUpdate(toUpdate(key, { set, where, values: { ':now': now.getTime() } }));
}

const countTry = (table: Table, key: Key, { tries }: Limit): Promise<Item | undefined> =>
  table.tryUpdate(toUpdate(key, { add: { tries: 1 }, where: 'tries < :limit', values: { ':limit': tries } }));

/** A later window no longer holds the try. */
async function giveBack(table: Table, key: Key, windowEndsAt: number): Promise<void> {
  const values = { ':end': windowEndsAt };
  await table.tryUpdate(toUpdate(key, { add: { tries: -1 }, where: 'windowEndsAt = :end', values }));
}

async function tooManyAttempts(table: Table, key: Key, now: Date): Promise<Refusal> {
  const item = await table.get(key);
  const remainingMs = item ? parseItem(attempts, item, 'login attempts').windowEndsAt - now.getTime() : 0;
  return new Refusal('too_many_attempts', { retryAfterSeconds: Math.max(1, Math.ceil(remainingMs / 1_000)) });
}
