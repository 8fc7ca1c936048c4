import { randomUUID } from 'node:crypto';
import { webhookKey } from '../keys.ts';
import type { Item, Table } from '../table.ts';
import { type Endpoint, type EndpointKey, parseEndpoint, setFields } from './endpoints.ts';

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
