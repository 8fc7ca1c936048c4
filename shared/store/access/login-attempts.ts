import { Refusal } from '../../domain/refusal.ts';
import { accountAttemptsKey, type Key, sourceAttemptsKey } from '../keys.ts';
import { ConditionFailed, type Item, type Table } from '../table.ts';

type Limit = { readonly tries: number; readonly windowMs: number };

// Per client and e-mail, whether there is such an account or not.
const ACCOUNT_LIMIT: Limit = { tries: 10, windowMs: 15 * 60_000 };
// Per address, against one password tried on many accounts; generous, as a whole company may stand behind one.
const SOURCE_LIMIT: Limit = { tries: 100, windowMs: 60_000 };

/** Who tries to log in: `email` in lower case, `sourceAddress` as the gateway saw it. */
export type LoginTry = { readonly client: number; readonly email: string; readonly sourceAddress: string };

type AttemptsItem = { readonly tries: number; readonly windowEndsAt: number };
/** Undoes a reservation, once it turns out that the password was right. */
export type GiveBack = () => Promise<void>;

/**
 * Reserves a try before its password is looked at, so that tries side by side cannot pass the limit together.
 * The source comes first: over its limit it no longer uses up the tries of accounts. What an account refuses stays
 * on the source's bill. Throws Refusal `too_many_attempts` with the seconds until the window ends.
 */
export async function reserveLoginTry(table: Table, login: LoginTry, now: Date): Promise<GiveBack> {
  const fromSource = await reserve(table, sourceAttemptsKey(login.sourceAddress), SOURCE_LIMIT, now);
  const onAccount = await reserve(table, accountAttemptsKey(login.client, login.email), ACCOUNT_LIMIT, now);
  return async () => {
    await Promise.all([fromSource(), onAccount()]);
  };
}

/**
 * A new window, if there is none or it is over; else one more try in the present one. Each is a single conditional
 * update, and a window that is refused both is full. Its end is compared, as expired items may linger for days.
 */
async function reserve(table: Table, key: Key, limit: Limit, now: Date): Promise<GiveBack> {
  const reserved =
    (await attempted(() => openWindow(table, key, limit, now))) ?? (await attempted(() => countTry(table, key, limit)));
  if (!reserved) throw await tooManyAttempts(table, key, now);
  return () => giveBack(table, key, reserved.windowEndsAt);
}

async function openWindow(table: Table, key: Key, { windowMs }: Limit, now: Date): Promise<AttemptsItem> {
  const endsAt = now.getTime() + windowMs;
  const item = await table.update({
    Key: key,
    UpdateExpression: 'SET tries = :one, windowEndsAt = :end, #ttl = :ttl',
    ConditionExpression: 'attribute_not_exists(pk) OR windowEndsAt <= :now',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':one': 1, ':end': endsAt, ':now': now.getTime(), ':ttl': Math.ceil(endsAt / 1_000) },
  });
  return item as AttemptsItem & Item;
}

async function countTry(table: Table, key: Key, { tries }: Limit): Promise<AttemptsItem> {
  const item = await table.update({
    Key: key,
    UpdateExpression: 'ADD tries :one',
    ConditionExpression: 'tries < :limit',
    ExpressionAttributeValues: { ':one': 1, ':limit': tries },
  });
  return item as AttemptsItem & Item;
}

async function giveBack(table: Table, key: Key, windowEndsAt: number): Promise<void> {
  const update = {
    Key: key,
    UpdateExpression: 'ADD tries :back',
    ConditionExpression: 'windowEndsAt = :end',
    ExpressionAttributeValues: { ':back': -1, ':end': windowEndsAt },
  };
  // A later window does not hold the try any more.
  await attempted(() => table.update(update));
}

async function attempted<Result>(update: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await update();
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}

async function tooManyAttempts(table: Table, key: Key, now: Date): Promise<Refusal> {
  const item = await table.get<AttemptsItem & Item>(key);
  const leftMs = (item?.windowEndsAt ?? now.getTime()) - now.getTime();
  return new Refusal('too_many_attempts', { retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)) });
}
