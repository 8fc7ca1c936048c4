import * as z from 'zod';
import { idempotencyKey } from '../keys.ts';
import { parseItem } from '../parse-item.ts';
import { ABSENT, type Item, type Write } from '../table.ts';

// A client that has had no answer for a day starts anew.
const LIFETIME_MS = 24 * 60 * 60 * 1_000;

export type Idempotency = {
  readonly clientId: number;
  readonly userId: number;
  /** The value of the `Idempotency-Key` header. */
  readonly key: string;
  /** The digest of the body, so that the same key with another body is refused. */
  readonly fingerprint: string;
};

const keyUse = z.object({ fingerprint: z.string(), orderId: z.number(), expiresAt: z.number() });
/** The request that used a key, and the order that it made. */
export type KeyUse = Omit<z.infer<typeof keyUse>, 'expiresAt'>;

/** Returns the use of a key unless it has expired: DynamoDB removes expired items days later, so the time decides. */
export function currentKeyUse(item: Item | undefined, now: Date): KeyUse | undefined {
  if (!item) return undefined;
  const { expiresAt, ...use } = parseItem(keyUse, item, 'idempotency key');
  return expiresAt > now.getTime() ? use : undefined;
}

/** Records that the key made this order; the condition fails if the key has made another one and has not expired. */
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
      ConditionExpression: `${ABSENT} OR expiresAt <= :now`,
      ExpressionAttributeValues: { ':now': now.getTime() },
    },
  };
}
