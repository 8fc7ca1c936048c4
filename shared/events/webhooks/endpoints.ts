import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { EVENT_TYPES } from '../../api/events/events.ts';
import type { Ids } from '../../store/ids.ts';
import { clientWebhooks, WEBHOOKS_PARTITION, webhookKey } from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import { ABSENT, type Item, PRESENT, type Table } from '../../store/table.ts';
import { lastSequence } from '../feed.ts';
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
  /** The number of the event up to which all are delivered, given up, or wait in a lane. */
  position: z.number(),
  /** The first failure since the last success. */
  failingSince: z.string().nullable().default(null),
  /** The time before which the receiver wants no event. */
  pausedUntil: z.string().nullable().default(null),
  /** The time of the next retry. */
  dueAt: z.string().nullable().default(null),
  givenUpCount: z.number().default(0),
  lastGivenUpAt: z.string().nullable().default(null),
});
/** A URL to which the events of a client are sent. Times are `2026-11-21T23:00:00.000Z`. */
export type Endpoint = Readonly<z.infer<typeof storedEndpoint>>;
export type EndpointKey = Pick<Endpoint, 'clientId' | 'id'>;
export type NewEndpoint = Pick<Endpoint, 'clientId' | 'url' | 'eventTypes' | 'description' | 'ownerEmail'>;

const parseEndpoint = (item: Item): Endpoint => parseItem(storedEndpoint, item, 'webhook endpoint');

/** Creates an endpoint with the secret that signs for it, which gets the events that happen from now on. */
export async function createEndpoint(
  table: Table,
  ids: Ids,
  { secret, ...input }: NewEndpoint & Pick<EndpointSecrets, 'secret'>,
  now: Date,
): Promise<Endpoint> {
  const [id] = (await ids.take('webhook', 1)) as [number];
  const position = await lastSequence(table, input.clientId);
  const Item = toItem(webhookKey(input.clientId, id), { ...input, id, position, createdAt: now.toISOString() });
  const signing = secretsWrite(id, { secret, formerSecrets: [] }, null);
  await table.transact([{ Put: { Item, ConditionExpression: ABSENT } }, signing]);
  return parseEndpoint(Item);
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
    .map((one) => one.until)
    .toSorted()
    .reverse();
  const told = { Key: webhookKey(clientId, id), ConditionExpression: PRESENT, ...setFields({ formerSecretUntil }) };
  await table.transact([secretsWrite(id, next, former), { Update: told }]);
}

/** Returns the parts of an update that set these fields. */
function setFields(changes: Readonly<Record<string, unknown>>) {
  const fields = Object.entries(changes);
  return {
    UpdateExpression: `SET ${fields.map(([name]) => `#${name} = :${name}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
  };
}

// Longer than the slowest delivery with its calls to the table; the lease of a worker that was killed ends by itself.
const LEASE_MS = 30_000;
const RENEWED_AFTER_MS = 10_000;

/** Thrown when the lease has gone to another worker. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The fields of an endpoint that its worker saves. */
export type Progress = Partial<
  Pick<
    Endpoint,
    | 'position'
    | 'failingSince'
    | 'pausedUntil'
    | 'dueAt'
    | 'givenUpCount'
    | 'lastGivenUpAt'
    | 'disabled'
    | 'isNoticeDue'
  >
>;

/** The right to deliver to an endpoint, which one worker has at a time. */
export class Lease {
  readonly #table: Table;
  readonly #key: EndpointKey;
  readonly #holder: string;
  readonly #now: () => Date;
  #renewAt: number;

  private constructor(table: Table, key: EndpointKey, now: () => Date) {
    this.#table = table;
    this.#key = key;
    this.#now = now;
    this.#holder = randomUUID();
    this.#renewAt = now().getTime() + RENEWED_AFTER_MS;
  }

  /** Takes the lease of an endpoint; undefined if it is disabled, paused by its receiver, or another worker has it. */
  static async take(
    table: Table,
    key: EndpointKey,
    now: () => Date,
  ): Promise<{ readonly lease: Lease; readonly endpoint: Endpoint } | undefined> {
    const lease = new Lease(table, key, now);
    const isFree = 'attribute_not_exists(leaseUntil) OR leaseUntil <= :now OR leaseHolder = :me';
    const isOpen = '(attribute_not_exists(pausedUntil) OR pausedUntil = :none OR pausedUntil <= :time)';
    const isEnabled = '(attribute_not_exists(disabled) OR disabled = :none)';
    const item = await lease.#update({}, `attribute_exists(pk) AND ${isEnabled} AND ${isOpen} AND (${isFree})`, {
      ':now': now().getTime(),
      ':time': now().toISOString(),
      ':none': null,
    });
    return item && { lease, endpoint: parseEndpoint(item) };
  }

  /** Renews the lease when a third of it is over. Throws LeaseLost. */
  async keep(): Promise<void> {
    if (this.#now().getTime() >= this.#renewAt) await this.save({});
  }

  /** Writes what was found out, and renews the lease. Returns the endpoint as it is now. Throws LeaseLost. */
  async save(progress: Progress): Promise<Endpoint> {
    this.#renewAt = this.#now().getTime() + RENEWED_AFTER_MS;
    const item = await this.#update(progress, 'leaseHolder = :me', {});
    if (!item) throw new LeaseLost('another worker has the lease');
    return parseEndpoint(item);
  }

  /** Writes what was found out, and lets the next worker in; does nothing if another worker has the lease. */
  async release(progress: Progress): Promise<void> {
    const { UpdateExpression, ...fields } = setFields(progress);
    await this.#table.tryUpdate({
      Key: webhookKey(this.#key.clientId, this.#key.id),
      ...fields,
      UpdateExpression: `${UpdateExpression} REMOVE leaseHolder, leaseUntil`,
      ConditionExpression: 'leaseHolder = :me',
      ExpressionAttributeValues: { ...fields.ExpressionAttributeValues, ':me': this.#holder },
    });
  }

  #update(progress: Progress, condition: string, values: Item): Promise<Item | undefined> {
    const lease = { leaseHolder: this.#holder, leaseUntil: this.#now().getTime() + LEASE_MS };
    const { ExpressionAttributeValues, ...fields } = setFields({ ...progress, ...lease });
    return this.#table.tryUpdate({
      Key: webhookKey(this.#key.clientId, this.#key.id),
      ...fields,
      ConditionExpression: condition,
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ...values, ':me': this.#holder },
    });
  }
}
