import { idempotencyKey } from '../keys.ts';
import type { Item, Write } from '../table.ts';

// What an order service may be asked twice for: a client that has not heard back within a day starts anew.
const LIFETIME_MS = 24 * 60 * 60 * 1_000;

export type Idempotency = {
  readonly clientId: number;
  readonly userId: number;
  /** As sent in `Idempotency-Key`. */
  readonly key: string;
  /** Of the body, so that the same key with another one is told apart. */
  readonly fingerprint: string;
};

/** What a key was used for. */
export type KeyUse = { readonly fingerprint: string; readonly orderId: number };

/** What is stored under a key, if it still counts: DynamoDB removes expired items days later, so the time decides. */
export function keyUseOf(item: Item | undefined, now: Date): KeyUse | undefined {
  if (!item || Number(item.expiresAt) <= now.getTime()) return undefined;
  return { fingerprint: String(item.fingerprint), orderId: Number(item.orderId) };
}

/** Records that the key made this order; fails if the key counts for another one already. */
export function keyUseWrite({ clientId, userId, key, fingerprint }: Idempotency, orderId: number, now: Date): Write {
  const expiresAt = now.getTime() + LIFETIME_MS;
  return {
    Put: {
      Item: {
        ...idempotencyKey(clientId, userId, key),
        fingerprint,
        orderId,
        expiresAt,
        ttl: Math.ceil(expiresAt / 1_000),
      },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': now.getTime() },
    },
  };
}
