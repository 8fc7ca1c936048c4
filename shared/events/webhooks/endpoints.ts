import * as z from 'zod';
import { EVENT_TYPES } from '../../api/events/events.ts';
import type { Ids } from '../../store/ids.ts';
import { clientWebhooks, WEBHOOKS_PARTITION, webhookKey } from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import { ABSENT, type Item, PRESENT, type Table } from '../../store/table.ts';
import { type FeedEvent, lastSequence, readFeed } from '../feed.ts';
import { type EndpointSecrets, listSigning, secretsWrite } from './secrets.ts';

/** An endpoint is disabled by an operator, or by the service after a day of failures or because the receiver is gone. */
const DISABLED_BY = ['operator', 'failures', 'gone'] as const;

const storedEndpoint = z.object({
  id: z.number(),
  clientId: z.number(),
  url: z.string(),
  /** The types of the events that are sent; null for all, those of later releases too. */
  eventTypes: z.array(z.enum(EVENT_TYPES)).readonly().nullable(),
  description: z.string(),
  ownerEmail: z.string(),
  /** The end of the former secret that signs longest beside the present one; null if none ever did. */
  formerSecretUntil: z.string().nullable().default(null),
  createdAt: z.string(),
  disabled: z
    .object({ by: z.enum(DISABLED_BY), at: z.string() })
    .nullable()
    .default(null),
  /** True until the owner has been told by mail that the service disabled the endpoint. */
  isNoticeDue: z.boolean().default(false),
  /** The number of the event up to which all are delivered, given up, or wait in the queues of their orders. */
  position: z.number(),
  /** The first failure since the last success. */
  failingSince: z.string().nullable().default(null),
  /** The time before which the receiver wants no event. */
  pausedUntil: z.string().nullable().default(null),
  /** The time at which the first of its queues is due; null if nothing waits. */
  dueAt: z.string().nullable().default(null),
  /** The last replay that an operator has put into its queues, and the last one that the job has found there. */
  replay: z.string().nullable().default(null),
  foundReplay: z.string().nullable().default(null),
  leaseHolder: z.string().nullable().default(null),
  leaseUntil: z.string().nullable().default(null),
  givenUpCount: z.number().default(0),
  lastGivenUpAt: z.string().nullable().default(null),
});
/** A URL to which the events of a client are sent. Times are `2026-11-21T23:00:00.000Z`. */
export type Endpoint = Readonly<z.infer<typeof storedEndpoint>>;
export type EndpointKey = Pick<Endpoint, 'clientId' | 'id'>;
export type NewEndpoint = Pick<Endpoint, 'clientId' | 'url' | 'eventTypes' | 'description' | 'ownerEmail'>;

/** The fields of an endpoint that the job saves. */
export type Progress = Partial<
  Pick<
    Endpoint,
    | 'position'
    | 'failingSince'
    | 'pausedUntil'
    | 'dueAt'
    | 'foundReplay'
    | 'givenUpCount'
    | 'lastGivenUpAt'
    | 'disabled'
    | 'isNoticeDue'
  >
>;

export const parseEndpoint = (item: Item): Endpoint => parseItem(storedEndpoint, item, 'webhook endpoint');

/** Creates an endpoint with the secret that signs for it, which gets the events that happen from now on. */
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
  const signing = secretsWrite(id, { secret, formerSecrets: [] }, null);
  await table.transact([{ Put: { Item, ConditionExpression: ABSENT } }, signing]);
  return endpoint;
}

/** Returns the endpoints of a client, or of all clients. One query for some 2,000. */
export async function listEndpoints(table: Table, clientId?: number): Promise<Endpoint[]> {
  const ofClient = clientId === undefined ? {} : startingWith(clientWebhooks(clientId));
  return (await table.all({ pk: WEBHOOKS_PARTITION, ...ofClient })).map(parseEndpoint);
}

const startingWith = (start: string) => ({ where: 'begins_with(sk, :start)', values: { ':start': start } });

export async function getEndpoint(table: Table, { clientId, id }: EndpointKey): Promise<Endpoint | undefined> {
  const item = await table.get(webhookKey(clientId, id));
  return item && parseEndpoint(item);
}

/** Returns the oldest event that an endpoint's position is not past; undefined if there is none. */
export async function readOldestNew(table: Table, { clientId, position }: Endpoint): Promise<FeedEvent | undefined> {
  const [oldest] = await readFeed(table, { clientId, after: position, limit: 1 });
  return oldest;
}

/** True when queues of an endpoint are due, or an operator has put something into them. */
export const areQueuesDue = ({ dueAt, replay, foundReplay }: Endpoint, now: Date): boolean =>
  replay !== foundReplay || (dueAt !== null && dueAt <= now.toISOString());

/** Replaces fields of an endpoint. Throws ConditionFailed if there is none. */
export async function changeEndpoint(
  table: Table,
  { clientId, id }: EndpointKey,
  changes: Partial<Omit<Endpoint, 'id' | 'clientId' | 'position'>>,
): Promise<Endpoint> {
  const item = await table.update({
    Key: webhookKey(clientId, id),
    ConditionExpression: PRESENT,
    ...setFields(changes),
  });
  return parseEndpoint(item);
}

/**
 * Gives an endpoint a new secret; the one that was read is a former one until then. Throws ConditionFailed if somebody else has
 * replaced that one meanwhile.
 */
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
  const shown = { Key: webhookKey(clientId, id), ConditionExpression: PRESENT, ...setFields({ formerSecretUntil }) };
  await table.transact([secretsWrite(id, next, former), { Update: shown }]);
}

/** Returns the parts of an update that set these fields. */
export function setFields(changes: Readonly<Record<string, unknown>>) {
  const fields = Object.entries(changes);
  return {
    UpdateExpression: `SET ${fields.map(([name]) => `#${name} = :${name}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
  };
}
