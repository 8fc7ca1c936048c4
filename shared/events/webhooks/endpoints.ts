import * as z from 'zod';
import { EVENT_TYPES } from '../../api/events/events.ts';
import type { Ids } from '../../store/ids.ts';
import { clientWebhooks, WEBHOOKS_PARTITION, webhookKey, webhookSecretsKey } from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import { ABSENT, type Item, PRESENT, type Table, type Write } from '../../store/table.ts';
import { toUpdate } from '../../store/update.ts';
import { type FeedEvent, lastSequence, readFeed } from '../feed.ts';

/** By an operator, or by the service after a day of failures or a 410. */
const DISABLED_BY = ['operator', 'failures', 'gone'] as const;

const storedEndpoint = z.object({
  id: z.number(),
  clientId: z.number(),
  url: z.string(),
  /** Null for all types, including those of later releases. */
  eventTypes: z.array(z.enum(EVENT_TYPES)).readonly().nullable(),
  ownerEmail: z.string(),
  /** The latest end of a former secret; null if there was none. */
  formerSecretUntil: z.string().nullable().default(null),
  createdAt: z.string(),
  disabled: z
    .object({ by: z.enum(DISABLED_BY), at: z.string() })
    .nullable()
    .default(null),
  /** True until the owner has been mailed that the service disabled the endpoint. */
  isNoticeDue: z.boolean().default(false),
  /** All events up to this number are delivered, given up or queued. */
  position: z.number(),
  failingSince: z.string().nullable().default(null),
  /** The receiver wants no events before this time. */
  pausedUntil: z.string().nullable().default(null),
  /** When the first queue is due; null without queues. */
  dueAt: z.string().nullable().default(null),
  /** The last replay that an operator has queued, and the last one that the job has seen. */
  replay: z.string().nullable().default(null),
  foundReplay: z.string().nullable().default(null),
  leaseHolder: z.string().nullable().default(null),
  leaseUntil: z.string().nullable().default(null),
  givenUpCount: z.number().default(0),
  lastGivenUpAt: z.string().nullable().default(null),
});
export type Endpoint = Readonly<z.infer<typeof storedEndpoint>>;
type EndpointKey = Pick<Endpoint, 'clientId' | 'id'>;
export type NewEndpoint = Pick<Endpoint, 'clientId' | 'url' | 'eventTypes' | 'ownerEmail'>;

export type Progress = Partial<Omit<Endpoint, 'id' | 'clientId'>>;

// They have their own record, which only the function that sends webhooks may read.
const storedSecrets = z.object({
  secret: z.string(),
  /** Latest first; each signs until its end. */
  formerSecrets: z.array(z.object({ value: z.string(), until: z.string() })).readonly(),
});
export type EndpointSecrets = Readonly<z.infer<typeof storedSecrets>>;

export const parseEndpoint = (item: Item): Endpoint => parseItem(storedEndpoint, item, 'webhook endpoint');

/** Creates an endpoint with its signing secret; it gets events from now on. */
export async function createEndpoint(
  table: Table,
  ids: Ids,
  { secret, ...input }: NewEndpoint & Pick<EndpointSecrets, 'secret'>,
  now: Date,
): Promise<Endpoint> {
  const [id] = (await ids.take('webhook', 1)) as [number];
  const position = await lastSequence(table, input.clientId);
  const endpoint = storedEndpoint.parse({ ...input, id, position, createdAt: now.toISOString() });
  const Item = toItem(webhookKey(input.clientId, id), endpoint);
  const secretWrite = secretsWrite(id, { secret, formerSecrets: [] }, null);
  await table.transact([{ Put: { Item, ConditionExpression: ABSENT } }, secretWrite]);
  return endpoint;
}

/** Returns the endpoints of one or all clients. One query per some 2,000. */
export async function listEndpoints(table: Table, clientId?: number): Promise<Endpoint[]> {
  const where = 'begins_with(sk, :start)';
  const ofClient = clientId === undefined ? {} : { where, values: { ':start': clientWebhooks(clientId) } };
  return (await table.all({ pk: WEBHOOKS_PARTITION, ...ofClient })).map(parseEndpoint);
}

export async function readOldestNew(table: Table, { clientId, position }: Endpoint): Promise<FeedEvent | undefined> {
  const [oldest] = await readFeed(table, { clientId, after: position, limit: 1 });
  return oldest;
}

/** True if queues are due or an operator has queued a replay. */
export const areQueuesDue = ({ dueAt, replay, foundReplay }: Endpoint, now: Date): boolean =>
  replay !== foundReplay || (dueAt !== null && dueAt <= now.toISOString());

/** Throws ConditionFailed if there is no such endpoint. */
export async function changeEndpoint(
  table: Table,
  { clientId, id }: EndpointKey,
  changes: Partial<Omit<Endpoint, 'id' | 'clientId' | 'position'>>,
): Promise<Endpoint> {
  const item = await table.update(toUpdate(webhookKey(clientId, id), { set: changes, where: PRESENT }));
  return parseEndpoint(item);
}

/** The old secret stays valid until `until`. Throws ConditionFailed if the secret was replaced meanwhile. */
export async function replaceSecret(
  table: Table,
  { clientId, id }: EndpointKey,
  { secret: former, formerSecrets }: EndpointSecrets,
  { secret, until, now }: { readonly secret: string; readonly until: string; readonly now: Date },
): Promise<void> {
  const next = { secret, formerSecrets: [{ value: former, until }, ...listSigning(formerSecrets, now)] };
  const [formerSecretUntil] = next.formerSecrets
    .map(({ until: end }) => end)
    .toSorted()
    .reverse();
  const update = toUpdate(webhookKey(clientId, id), { set: { formerSecretUntil }, where: PRESENT });
  await table.transact([secretsWrite(id, next, former), { Update: update }]);
}

/** The write fails unless `former` is the current secret, or null and there is none. */
const secretsWrite = (endpoint: number, secrets: EndpointSecrets, former: string | null): Write => ({
  Put: {
    Item: toItem(webhookSecretsKey(endpoint), secrets),
    ...(former === null
      ? { ConditionExpression: ABSENT }
      : { ConditionExpression: 'secret = :former', ExpressionAttributeValues: { ':former': former } }),
  },
});

export async function getSecrets(table: Table, endpoint: number): Promise<EndpointSecrets> {
  const item = await table.get(webhookSecretsKey(endpoint));
  if (!item) throw new Error('an endpoint of webhooks has its secrets');
  return parseItem(storedSecrets, item, 'webhook secrets');
}

const listSigning = (formerSecrets: EndpointSecrets['formerSecrets'], now: Date) =>
  formerSecrets.filter(({ until }) => now.toISOString() < until);

/** Returns the current secret and the former ones that still sign. */
export const signingSecrets = ({ secret, formerSecrets }: EndpointSecrets, now: Date): string[] => [
  secret,
  ...listSigning(formerSecrets, now).map(({ value }) => value),
];
