import * as z from 'zod';
import { refusedToOperator } from '../domain/operator-refusal.ts';
import { type Ids, lastId } from '../store/ids.ts';
import { clientKey, gatewayKeyKey } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import { isPaused } from '../store/pause.ts';
import { ABSENT, type Item, PRESENT, type Table, type Write } from '../store/table.ts';
import { toUpdate } from '../store/update.ts';

export const CREDIT_USERS = ['employees', 'everyone'] as const;

const storedClient = z.object({
  id: z.number(),
  name: z.string(),
  origin: z.string(),
  paymentMethods: z.array(z.number()).readonly(),
  credit: z.enum(CREDIT_USERS).default('employees'),
  carrierName: z.string().nullable(),
  /** The page on which its users set a new password; null if its users get no mails for one. */
  passwordUrl: z.string().nullable().default(null),
  /** True if its answers show what products cost the pharmacy. */
  seesCosts: z.boolean().default(false),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** When its keys were disabled; null while enabled. */
  disabledAt: z.string().nullable().default(null),
  /** Until then a rebuild blocks writes to its orders. */
  rebuildingUntil: z.string().exactOptional(),
  gatewayKeyIds: z
    .set(z.string())
    .transform((ids): readonly string[] => [...ids].sort())
    .default([]),
});
type StoredClient = z.infer<typeof storedClient>;

export type ClientRecord = Readonly<Omit<StoredClient, 'carrierName'>> & {
  /** Set if the client is an insurance carrier itself, with the client's id. */
  readonly carrier: Pick<StoredClient, 'id' | 'name' | 'createdAt' | 'updatedAt'> | null;
};
export type Client = Omit<ClientRecord, 'disabledAt' | 'gatewayKeyIds'>;

type RequiredTerm = 'name' | 'origin' | 'paymentMethods' | 'carrierName';
type OptionalTerm = 'credit' | 'passwordUrl' | 'seesCosts';
type NewClient = Readonly<Pick<StoredClient, RequiredTerm> & Partial<Pick<StoredClient, OptionalTerm>>>;
/** The fields that an operator may change; undefined leaves one as it is. */
type ClientTerms = { readonly [Field in RequiredTerm | OptionalTerm]?: StoredClient[Field] | undefined };

const gatewayKeyOwner = z.object({ clientId: z.number() });

const CACHE_MS = 30_000;
const CACHED_KEYS = 1_000;

export async function createClient(table: Table, ids: Ids, input: NewClient, now: Date): Promise<Client> {
  const [id] = (await ids.take('client', 1)) as [number];
  const time = now.toISOString();
  const item = { id, credit: 'employees', ...input, createdAt: time, updatedAt: time };
  await table.transact([{ Put: { Item: toItem(clientKey(id), item), ConditionExpression: ABSENT } }]);
  return withoutOperation(parseClient(item));
}

/** Lets an API key, by its gateway id, act for a client. Throws ConditionFailed if the key is in use. */
export async function addGatewayKey(table: Table, client: number, gatewayKeyId: string): Promise<void> {
  await table.transact([
    { Put: { Item: { ...gatewayKeyKey(gatewayKeyId), clientId: client }, ConditionExpression: ABSENT } },
    changeKeys(client, 'ADD', gatewayKeyId),
  ]);
}

/** Throws ConditionFailed if it is not a key of that client. */
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

/** Functions see the change within 30 s. Throws ConditionFailed if there is no such client. */
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

/** Functions see the change within 30 s. Throws ConditionFailed if there is no such client. */
export async function changeClient(table: Table, client: number, terms: ClientTerms, now: Date): Promise<ClientRecord> {
  const changes = { set: { ...terms, updatedAt: now.toISOString() }, where: PRESENT };
  return parseClient(await table.update(toUpdate(clientKey(client), changes)));
}

export async function getClient(table: Table, client: number): Promise<ClientRecord | undefined> {
  const item = await table.get(clientKey(client));
  return item && parseClient(item);
}

/** Returns all clients by id; one round trip for each 100. */
export async function listClients(table: Table): Promise<ClientRecord[]> {
  const keys = Array.from({ length: await lastId(table, 'client') }, (_, index) => clientKey(index + 1));
  const items = await table.getAll(keys);
  return items.flatMap((item) => (item ? parseClient(item) : []));
}

export async function findClientOfKey(table: Table, gatewayKeyId: string): Promise<ClientRecord | undefined> {
  const item = await table.get(gatewayKeyKey(gatewayKeyId));
  return item && getClient(table, parseItem(gatewayKeyOwner, item, 'gateway key').clientId);
}

const withoutOperation = ({ disabledAt: _, gatewayKeyIds: __, ...client }: ClientRecord): Client => client;

/**
 * Returns a function that finds the enabled client of a gateway key. It caches up to 1,000 clients for 30 s, but no
 * unknown keys, which could drive out others and would delay a new key, and no paused client, whose writes resume at
 * once.
 */
export function createClientLookup(
  table: Table,
  now: () => Date,
): (gatewayKeyId: string) => Promise<Client | undefined> {
  const cache = new Map<string, { client: Client; until: number }>();
  return async (gatewayKeyId) => {
    const cached = cache.get(gatewayKeyId);
    if (cached && now().getTime() < cached.until) return cached.client;
    const record = await findClientOfKey(table, gatewayKeyId);
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

/** Returns all clients, or the one that is named. Throws `not_found` if it does not exist. */
export const namedClients = async (id: number | undefined, table: Table): Promise<readonly ClientRecord[]> =>
  id === undefined ? listClients(table) : [await existingClient(id, table)];

export async function existingClient(id: number, table: Table): Promise<ClientRecord> {
  const client = await getClient(table, id);
  if (!client) throw refusedToOperator('client_without_record', { client: id });
  return client;
}
