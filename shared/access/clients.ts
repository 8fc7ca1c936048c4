import * as z from 'zod';
import { type Ids, lastId } from '../store/ids.ts';
import { clientKey, gatewayKeyKey } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import { isPaused } from '../store/pause.ts';
import { ABSENT, type Item, PRESENT, type Table, type Write } from '../store/table.ts';

export const CREDIT_USERS = ['employees', 'everyone'] as const;

const storedClient = z.object({
  id: z.number(),
  name: z.string(),
  /** Marks its orders; 1 to 20 characters. */
  origin: z.string(),
  /** Ids of the payment methods that its orders may use. */
  paymentMethods: z.array(z.number()).readonly(),
  /** The users who may place orders on credit. */
  credit: z.enum(CREDIT_USERS).default('employees'),
  /** The name of the insurance carrier that the client is itself. */
  carrierName: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** The time since which none of its keys opens anything; null while it is enabled. */
  disabledAt: z.string().nullable().default(null),
  /** The time until which its orders are not written, as they are being rebuilt. */
  rebuildingUntil: z.string().exactOptional(),
  /** The gateway's ids of its API keys. */
  gatewayKeyIds: z
    .set(z.string())
    .transform((ids): readonly string[] => [...ids].sort())
    .default([]),
});
type StoredClient = z.infer<typeof storedClient>;

type Carrier = { readonly id: number; readonly name: string; readonly createdAt: string; readonly updatedAt: string };
/** A client as its operator sees it. */
export type ClientRecord = Readonly<Omit<StoredClient, 'carrierName'>> & {
  /** The insurance carrier that the client is itself, with the id of the client. */
  readonly carrier: Carrier | null;
};
/** A company that calls us with API keys of its own. Times are `2026-11-21T23:00:00.000Z`. */
export type Client = Omit<ClientRecord, 'disabledAt' | 'gatewayKeyIds'>;

export type NewClient = Readonly<
  Pick<StoredClient, 'name' | 'origin' | 'paymentMethods' | 'carrierName'> & Partial<Pick<StoredClient, 'credit'>>
>;

/** The fields of a client that an operator may change; an undefined one stays. */
export type ClientTerms = {
  readonly [Field in 'name' | 'origin' | 'paymentMethods' | 'credit' | 'carrierName']?: StoredClient[Field] | undefined;
};

const gatewayKeyOwner = z.object({ clientId: z.number() });

const CACHE_MS = 30_000;
const CACHED_KEYS = 1_000;

/** Registers a client, without any API key yet. */
export async function createClient(table: Table, ids: Ids, input: NewClient, now: Date): Promise<Client> {
  const [id] = (await ids.take('client', 1)) as [number];
  const { name, origin, paymentMethods, carrierName, credit = 'employees' } = input;
  const time = now.toISOString();
  const item = { id, name, origin, paymentMethods, carrierName, credit, createdAt: time, updatedAt: time };
  await table.transact([{ Put: { Item: toItem(clientKey(id), item), ConditionExpression: ABSENT } }]);
  return withoutOperation(parseClient(item));
}

/**
 * Lets an API key, by the gateway's id of it, act for a client; a client may have several.
 * Throws ConditionFailed when the key is another client's or already added.
 */
export async function addGatewayKey(table: Table, client: number, gatewayKeyId: string): Promise<void> {
  await table.transact([
    { Put: { Item: { ...gatewayKeyKey(gatewayKeyId), clientId: client }, ConditionExpression: ABSENT } },
    changeKeys(client, 'ADD', gatewayKeyId),
  ]);
}

/** Removes an API key from those that act for a client. Throws ConditionFailed when it is not a key of that client. */
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
    ConditionExpression: PRESENT,
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
    ConditionExpression: PRESENT,
    ExpressionAttributeValues: { ':now': now.toISOString() },
  });
}

/** Changes terms of a client and returns it: functions see them within 30 s. Throws ConditionFailed when there is none. */
export async function changeClient(table: Table, client: number, terms: ClientTerms, now: Date): Promise<ClientRecord> {
  const fields = Object.entries({ ...terms, updatedAt: now.toISOString() }).filter(([, value]) => value !== undefined);
  const item = await table.update({
    Key: clientKey(client),
    UpdateExpression: `SET ${fields.map(([field]) => `#${field} = :${field}`).join(', ')}`,
    ConditionExpression: PRESENT,
    ExpressionAttributeNames: Object.fromEntries(fields.map(([field]) => [`#${field}`, field])),
    ExpressionAttributeValues: Object.fromEntries(fields.map(([field, value]) => [`:${field}`, value])),
  });
  return parseClient(item);
}

/** Returns a client by its id. */
export async function getClient(table: Table, client: number): Promise<ClientRecord | undefined> {
  const item = await table.get(clientKey(client));
  return item && parseClient(item);
}

/** Returns every client, by id; one round trip for each 100 there are. */
export async function listClients(table: Table): Promise<ClientRecord[]> {
  const keys = Array.from({ length: await lastId(table, 'client') }, (_, index) => clientKey(index + 1));
  const items = await table.getAll(keys);
  return items.flatMap((item) => (item ? parseClient(item) : []));
}

/** Returns the client that a gateway key acts for, enabled or not. */
export async function findClientOfKey(table: Table, gatewayKeyId: string): Promise<Client | undefined> {
  const record = await findRecordOfKey(table, gatewayKeyId);
  return record && withoutOperation(record);
}

async function findRecordOfKey(table: Table, gatewayKeyId: string): Promise<ClientRecord | undefined> {
  const item = await table.get(gatewayKeyKey(gatewayKeyId));
  return item && getClient(table, parseItem(gatewayKeyOwner, item, 'gateway key').clientId);
}

const withoutOperation = ({ disabledAt: _, gatewayKeyIds: __, ...client }: ClientRecord): Client => client;

/**
 * Returns a function that finds the enabled client of a gateway key. It keeps clients for 30 s, 1,000 at most, but no
 * unknown keys, so that a stream of those cannot drive out the others and a new key works at once, and none that is paused, so
 * that it writes again at once.
 */
export function createClientLookup(
  table: Table,
  now: () => Date,
): (gatewayKeyId: string) => Promise<Client | undefined> {
  const cache = new Map<string, { client: Client; until: number }>();
  return async (gatewayKeyId) => {
    const cached = cache.get(gatewayKeyId);
    if (cached && now().getTime() < cached.until) return cached.client;
    const record = await findRecordOfKey(table, gatewayKeyId);
    const client = record?.disabledAt === null ? withoutOperation(record) : undefined;
    cache.delete(gatewayKeyId);
    if (client && !isPaused(client)) cache.set(gatewayKeyId, { client, until: now().getTime() + CACHE_MS });
    const [oldest] = cache.keys();
    if (cache.size > CACHED_KEYS && oldest !== undefined) cache.delete(oldest);
    return client;
  };
}

function parseClient(item: Item): ClientRecord {
  const { carrierName, ...client } = parseItem(storedClient, item, 'client');
  const { id, createdAt, updatedAt } = client;
  return { ...client, carrier: carrierName === null ? null : { id, name: carrierName, createdAt, updatedAt } };
}
