import { createHash } from 'node:crypto';
import { Refusal } from '../../domain/refusal.ts';
import { idempotencyKey, type Key } from '../../store/keys.ts';
import { currentKeyUse, type Idempotency } from '../../store/orders/idempotency.ts';
import { type Order, toViewer } from '../../store/orders/order.ts';
import { findOrder } from '../../store/orders/orders.ts';
import type { Item, Table } from '../../store/table.ts';
import type { UserCaller } from '../access/authenticate.ts';

type Keyed = {
  /** The body as parsed, with what else tells the request from others. */
  readonly body: object;
  /** The value of the `Idempotency-Key` header. */
  readonly idempotencyKey: string | undefined;
  readonly caller: UserCaller;
};

/** Returns the user's key with the hash of the body, or undefined if no key was sent. */
export function toIdempotency({ body, caller, idempotencyKey: key }: Keyed): Idempotency | undefined {
  if (key === undefined) return undefined;
  return { clientId: caller.client.id, userId: caller.user.id, key, fingerprint: hashBody(body) };
}

export const useKey = ({ clientId, userId, key }: Idempotency): Key => idempotencyKey(clientId, userId, key);

// A parsed body has its fields in the order of the contract, not in the order in which they were sent.
const hashBody = (body: object): string => createHash('sha256').update(JSON.stringify(body)).digest('base64url');

/** Returns the order that the same key made or changed before. Throws `idempotency_key_reused` if the body was another. */
export async function findReplay(
  table: Table,
  { caller, now }: { readonly caller: UserCaller; readonly now: Date },
  { fingerprint }: Idempotency,
  stored: Item | undefined,
): Promise<Order | undefined> {
  const use = currentKeyUse(stored, now);
  if (!use) return undefined;
  if (use.fingerprint !== fingerprint) throw new Refusal('idempotency_key_reused');
  return findOrder(table, { clientId: caller.client.id, id: use.orderId, viewer: toViewer(caller.user) });
}
