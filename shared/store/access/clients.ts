import type { Ids } from '../ids.ts';
import { clientKey, gatewayKeyKey, idsKey } from '../keys.ts';
import type { Item, Table, Write } from '../table.ts';

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
/** A client with what only its operator has to know of it. */
export type ClientRecord = Client & {
  /** Since when none of its keys opens anything; null while it is enabled. */
  readonly disabledAt: string | null;
  /** The gateway's ids of its API keys. */
  readonly gatewayKeyIds: readonly string[];
};
type Carrier = { readonly id: number; readonly name: string; readonly createdAt: string; readonly updatedAt: string };

export type NewClient = Pick<Client, 'name' | 'origin' | 'paymentMethods'> & { readonly carrierName: string | null };

type ClientItem = NewClient & {
  readonly id: number;
  readonly disabledAt?: string;
  readonly gatewayKeyIds?: ReadonlySet<string>;
  readonly createdAt: string;
  readonly updatedAt: string;
};
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
    changeKeys(client, 'ADD', gatewayKeyId),
  ]);
}

/** Lets an API key of a client act for it no more. Throws ConditionFailed when it is not a key of that client. */
export async function removeGatewayKey(table: Table, client: number, gatewayKeyId: string): Promise<void> {
  const isItsOwn = { ConditionExpression: 'clientId = :client', ExpressionAttributeValues: { ':client': client } };
  await table.transact([
    { Delete: { Key: gatewayKeyKey(gatewayKeyId), ...isItsOwn } },
    changeKeys(client, 'DELETE', gatewayKeyId),
  ]);
}

const changeKeys = (client: number, change: 'ADD' | 'DELETE', gatewayKeyId: string): Write => ({
  Update: {
    Key: clientKey(client),
    UpdateExpression: `${change} gatewayKeyIds :keys`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':keys': new Set([gatewayKeyId]) },
  },
});

/** Disables a client, or enables it again: functions see it within 30 s. Throws ConditionFailed when there is none. */
export async function setClientState(
  table: Table,
  client: number,
  { state, now }: { readonly state: 'enabled' | 'disabled'; readonly now: Date },
): Promise<void> {
  await table.update({
    Key: clientKey(client),
    UpdateExpression:
      state === 'disabled'
        ? 'SET disabledAt = if_not_exists(disabledAt, :now), updatedAt = :now'
        : 'SET updatedAt = :now REMOVE disabledAt',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': now.toISOString() },
  });
}

/** A client by its id. */
export async function clientById(table: Table, client: number): Promise<ClientRecord | undefined> {
  const item = await table.get<ClientItem & Item>(clientKey(client));
  return item && toRecord(item);
}

// What one BatchGetItem takes.
const CLIENTS_PER_READ = 100;

/** Every client, by id; one round trip for each 100 there are. */
export async function allClients(table: Table): Promise<ClientRecord[]> {
  const lastId = Number((await table.get(idsKey('client')))?.lastId ?? 0);
  const clients: ClientRecord[] = [];
  for (let first = 1; first <= lastId; first += CLIENTS_PER_READ) {
    const length = Math.min(CLIENTS_PER_READ, lastId - first + 1);
    const items = await table.getAll(Array.from({ length }, (_, index) => clientKey(first + index)));
    for (const item of items) if (item) clients.push(toRecord(item as ClientItem & Item));
  }
  return clients;
}

/** The client that a gateway key acts for, enabled or not. */
export async function clientOfKey(table: Table, gatewayKeyId: string): Promise<Client | undefined> {
  const record = await recordOfKey(table, gatewayKeyId);
  return record && clientOf(record);
}

async function recordOfKey(table: Table, gatewayKeyId: string): Promise<ClientRecord | undefined> {
  const key = await table.get<GatewayKeyItem & Item>(gatewayKeyKey(gatewayKeyId));
  return key && clientById(table, key.clientId);
}

const clientOf = ({ disabledAt: _, gatewayKeyIds: __, ...client }: ClientRecord): Client => client;

/**
 * Finds the enabled client of a gateway key. Found ones are kept for 30 s, 1,000 at most; unknown keys never, so that a
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
    const record = await recordOfKey(table, gatewayKeyId);
    const client = record?.disabledAt === null ? clientOf(record) : undefined;
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

const toRecord = (item: ClientItem): ClientRecord => ({
  ...toClient(item),
  disabledAt: item.disabledAt ?? null,
  gatewayKeyIds: [...(item.gatewayKeyIds ?? [])].sort(),
});
