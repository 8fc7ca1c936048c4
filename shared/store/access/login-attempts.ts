import * as z from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import { accountAttemptsKey, type Key, sourceAttemptsKey } from '../keys.ts';
import { parseItem } from '../parse-item.ts';
import { ABSENT, type Item, type Table } from '../table.ts';

type Limit = { readonly tries: number; readonly windowMs: number };

// Counts per client and e-mail, whether there is such an account or not.
const ACCOUNT_LIMIT: Limit = { tries: 10, windowMs: 15 * 60_000 };
// Counts per address, against one password tried on many accounts; generous, as a whole company may share one.
const SOURCE_LIMIT: Limit = { tries: 100, windowMs: 60_000 };

/** An attempt to log in: `email` in lower case, `sourceAddress` as the gateway saw it. */
export type LoginTry = { readonly client: number; readonly email: string; readonly sourceAddress: string };

const attempts = z.object({ windowEndsAt: z.number() });
/** Undoes a reservation, once it turns out that the password was right. */
export type GiveBack = () => Promise<void>;

/**
 * Reserves a try before its password is looked at, so that tries side by side cannot pass the limit together.
 * The source comes first: over its limit it no longer uses up the tries of accounts. A try that an account refuses still
 * counts for the source. Throws Refusal `too_many_attempts` with the seconds until the window ends.
 */
export async function reserveLoginTry(table: Table, login: LoginTry, now: Date): Promise<GiveBack> {
  const fromSource = await reserve(table, sourceAttemptsKey(login.sourceAddress), SOURCE_LIMIT, now);
  const onAccount = await reserve(table, accountAttemptsKey(login.client, login.email), ACCOUNT_LIMIT, now);
  return async () => {
    await Promise.all([fromSource(), onAccount()]);
  };
}

/**
 * Opens a new window if there is none or it is over, or else counts one more try in the present one. Each is a single
 * conditional update; when both are refused, the window is full. Its end is compared, as expired items may linger for days.
 */
async function reserve(table: Table, key: Key, limit: Limit, now: Date): Promise<GiveBack> {
  const reserved = (await openWindow(table, key, limit, now)) ?? (await countTry(table, key, limit));
  if (!reserved) throw await tooManyAttempts(table, key, now);
  const { windowEndsAt } = parseItem(attempts, reserved, 'login attempts');
  return () => giveBack(table, key, windowEndsAt);
}

function openWindow(table: Table, key: Key, { windowMs }: Limit, now: Date): Promise<Item | undefined> {
  const endsAt = now.getTime() + windowMs;
  return table.tryUpdate({
    Key: key,
    UpdateExpression: 'SET tries = :one, windowEndsAt = :end, #ttl = :ttl',
    ConditionExpression: `${ABSENT} OR windowEndsAt <= :now`,
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':one': 1, ':end': endsAt, ':now': now.getTime(), ':ttl': Math.ceil(endsAt / 1_000) },
  });
}

function countTry(table: Table, key: Key, { tries }: Limit): Promise<Item | undefined> {
  return table.tryUpdate({
    Key: key,
    UpdateExpression: 'ADD tries :one',
    ConditionExpression: 'tries < :limit',
    ExpressionAttributeValues: { ':one': 1, ':limit': tries },
  });
}

async function giveBack(table: Table, key: Key, windowEndsAt: number): Promise<void> {
  // A later window no longer holds the try.
  await table.tryUpdate({
    Key: key,
    UpdateExpression: 'ADD tries :back',
    ConditionExpression: 'windowEndsAt = :end',
    ExpressionAttributeValues: { ':back': -1, ':end': windowEndsAt },
  });
}

async function tooManyAttempts(table: Table, key: Key, now: Date): Promise<Refusal> {
  const item = await table.get(key);
  const leftMs = item ? parseItem(attempts, item, 'login attempts').windowEndsAt - now.getTime() : 0;
  return new Refusal('too_many_attempts', { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)) });
}
