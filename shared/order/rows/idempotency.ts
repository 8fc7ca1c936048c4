import { createHash } from 'node:crypto';
import * as z from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import type { Role } from '../../people/rules/roles.ts';
import { idempotencyKey, type Key } from '../../store/keys.ts';
import { parseItem } from '../../store/parse-item.ts';
import { ABSENT, type Item, type Table, type Write } from '../../store/table.ts';
import { type Order, toViewer } from '../order.ts';
import { findOrder } from '../orders.ts';

// A client that has had no answer for a day may start anew.
const LIFETIME_MS = 24 * 60 * 60 * 1_000;

export type Idempotency = {
  readonly clientId: number;
  readonly userId: number;
  readonly key: string;
  /** The digest of the body: the same key with another body is refused. */
  readonly fingerprint: string;
};

type Caller = { readonly client: { readonly id: number }; readonly user: { readonly id: number; readonly role: Role } };

type Keyed = {
  /** The parsed body, with anything else that distinguishes the request. */
  readonly body: object;
  readonly idempotencyKey: string | undefined;
  readonly caller: Caller;
};

export function toIdempotency({ body, caller, idempotencyKey: key }: Keyed): Idempotency | undefined {
  if (key === undefined) return undefined;
  return { clientId: caller.client.id, userId: caller.user.id, key, fingerprint: hashBody(body) };
}

// A parsed body has its fields in the order of the contract, not in the order in which they were sent.
const hashBody = (body: object): string => createHash('sha256').update(JSON.stringify(body)).digest('base64url');

export const keyUseKey = ({ clientId, userId, key }: Idempotency): Key => idempotencyKey(clientId, userId, key);

const keyUse = z.object({ fingerprint: z.string(), orderId: z.number(), expiresAt: z.number() });
type KeyUse = Omit<z.infer<typeof keyUse>, 'expiresAt'>;

/** Undefined after expiry: DynamoDB removes expired items only days later. */
function currentKeyUse(item: Item | undefined, now: Date): KeyUse | undefined {
  if (!item) return undefined;
  const { expiresAt, ...use } = parseItem(keyUse, item, 'idempotency key');
  return expiresAt > now.getTime() ? use : undefined;
}

/** Returns the order that the same key made before. Throws `idempotency_key_reused` if the body was another. */
export async function findReplay(
  table: Table,
  { caller, now }: { readonly caller: Caller; readonly now: Date },
  { fingerprint }: Idempotency,
  stored: Item | undefined,
): Promise<Order | undefined> {
  const use = currentKeyUse(stored, now);
  if (!use) return undefined;
  if (use.fingerprint !== fingerprint) throw new Refusal('idempotency_key_reused');
  return findOrder(table, { clientId: caller.client.id, id: use.orderId, viewer: toViewer(caller.user) });
}

/** The condition fails if the key made another order and has not expired. */
export function keyUseWrite(idempotency: Idempotency, orderId: number, now: Date): Write {
  const { fingerprint } = idempotency;
  const expiresAt = now.getTime() + LIFETIME_MS;
  const ttl = Math.ceil(expiresAt / 1_000);
  return {
    Put: {
      Item: { ...keyUseKey(idempotency), fingerprint, orderId, expiresAt, ttl },
      ConditionExpression: `${ABSENT} OR expiresAt <= :now`,
      ExpressionAttributeValues: { ':now': now.getTime() },
    },
  };
}
