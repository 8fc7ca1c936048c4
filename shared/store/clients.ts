import type { Ids } from './ids.ts';
import { clientKey, gatewayKeyKey } from './keys.ts';
import type { Item, Table } from './table.ts';

/** A company that calls us with API keys of its own. Times are `2026-11-21T23:00:00.000Z`. */
export type Client = {
  readonly id: number;
  readonly name: string;
  /** Marks its orders; 1 to 20 characters. */
  readonly origin: string;
  /** Ids of the payment methods that its orders may use. */
  readonly paymentMethods: readonly number[];
  /** Set when the client is an insurance carrier itself; it has the id of the client. */
  readonly carrier: Carrier | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};
type Carrier = { readonly id: number; readonly name: string; readonly createdAt: string; readonly updatedAt: string };

export type NewClient = Pick<Client, 'name' | 'origin' | 'paymentMethods'> & { readonly carrierName: string | null };

type ClientItem = NewClient & { readonly id: number; readonly createdAt: string; readonly updatedAt: string };
type GatewayKeyItem = { readonly clientId: number };

const CACHE_MS = 30_000;
const CACHED_KEYS = 1_000;

/** Registers a client, without any API key yet. */
export async function createClient(table: Table, ids: Ids, input: NewClient, now: Date): Promise<Client> {
  const [id] = (await ids.take('client', 1)) as [number];
  const { name, origin, paymentMethods, carrierName } = input;
  const time = now.toISOString();
  const item: ClientItem = { id, name, origin, paymentMethods, carrierName, createdAt: time, updatedAt: time };
  await table.transact([
    { Put: { Item: { ...clientKey(id), ...item }, ConditionExpression: 'attribute_not_exists(pk)' } },
  ]);
  return toClient(item);
}

/**
 * Lets an API key, by the gateway's id of it, act for a client; a client may have several.
 * Throws ConditionFailed when the key is another client's or already added.
 */
export async function addGatewayKey(table: Table, client: number, gatewayKeyId: string): Promise<void> {
  const item: GatewayKeyItem = { clientId: client };
  await table.transact([
    { Put: { Item: { ...gatewayKeyKey(gatewayKeyId), ...item }, ConditionExpression: 'attribute_not_exists(pk)' } },
  ]);
}

/** A client by its id. */
export async function clientById(table: Table, client: number): Promise<Client | undefined> {
  const item = await table.get<ClientItem & Item>(clientKey(client));
  return item && toClient(item);
}

/**
 * Finds the client of a gateway key. Found ones are kept for 30 s, 1,000 at most; unknown keys never, so that a
 * stream of them cannot drive out the others and a new key works at once.
 */
export function clientOfGatewayKey(
  table: Table,
  now: () => Date,
): (gatewayKeyId: string) => Promise<Client | undefined> {
  const cache = new Map<string, { client: Client; until: number }>();
  return async (gatewayKeyId) => {
    const cached = cache.get(gatewayKeyId);
    if (cached && now().getTime() < cached.until) return cached.client;
    const key = await table.get<GatewayKeyItem & Item>(gatewayKeyKey(gatewayKeyId));
    const client = key && (await clientById(table, key.clientId));
    cache.delete(gatewayKeyId);
    if (client) cache.set(gatewayKeyId, { client, until: now().getTime() + CACHE_MS });
    const [oldest] = cache.keys();
    if (cache.size > CACHED_KEYS && oldest !== undefined) cache.delete(oldest);
    return client;
  };
}

function toClient({ id, name, origin, paymentMethods, carrierName, createdAt, updatedAt }: ClientItem): Client {
  const carrier = carrierName === null ? null : { id, name: carrierName, createdAt, updatedAt };
  return { id, name, origin, paymentMethods, carrier, createdAt, updatedAt };
}
