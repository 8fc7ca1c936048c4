import { randomUUID } from 'node:crypto';
import { webhookKey } from '../../store/keys.ts';
import type { Item, Table } from '../../store/table.ts';
import { type Endpoint, type EndpointKey, type Progress, parseEndpoint, setFields } from './endpoints.ts';

// Longer than the slowest delivery with its table calls; a killed run's lease expires.
const LEASE_MS = 30_000;
const RENEWED_AFTER_MS = 10_000;

/** Thrown when another run has the lease or has changed a queue of the endpoint. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** A run's exclusive right to deliver to an endpoint. It avoids repetitions; the events' order does not depend on it. */
export class Lease {
  readonly #table: Table;
  readonly #key: EndpointKey;
  readonly #holder = randomUUID();
  readonly #now: () => Date;
  #renewAt = 0;

  private constructor(table: Table, key: EndpointKey, now: () => Date) {
    this.#table = table;
    this.#key = key;
    this.#now = now;
  }

  /** Returns undefined if the endpoint is disabled, paused by its receiver, or leased to another run. */
  static async take(
    table: Table,
    key: EndpointKey,
    now: () => Date,
  ): Promise<{ readonly lease: Lease; readonly endpoint: Endpoint } | undefined> {
    const lease = new Lease(table, key, now);
    const isOpen = 'disabled = :none AND (pausedUntil = :none OR pausedUntil <= :now)';
    const isFree = '(leaseUntil = :none OR leaseUntil <= :now OR leaseHolder = :me)';
    const values = { ':now': now().toISOString(), ':none': null };
    const endpoint = await lease.#renew({}, `${isOpen} AND ${isFree}`, values);
    return endpoint && { lease, endpoint };
  }

  /** Renews the lease after a third of its time. Throws LeaseLost. */
  async keep(): Promise<void> {
    if (this.#now().getTime() >= this.#renewAt) await this.save({});
  }

  /** Saves progress and renews the lease. Throws LeaseLost. */
  async save(progress: Progress): Promise<Endpoint> {
    const endpoint = await this.#renew(progress, 'leaseHolder = :me');
    if (!endpoint) throw new LeaseLost('another run has the lease');
    return endpoint;
  }

  /** Saves progress and ends the lease, if this run still has it. */
  async release(progress: Progress): Promise<void> {
    await this.#update({ ...progress, leaseHolder: null, leaseUntil: null }, 'leaseHolder = :me');
  }

  async #renew(progress: Progress, condition: string, values: Item = {}): Promise<Endpoint | undefined> {
    const now = this.#now().getTime();
    const leaseUntil = new Date(now + LEASE_MS).toISOString();
    const item = await this.#update({ ...progress, leaseHolder: this.#holder, leaseUntil }, condition, values);
    this.#renewAt = now + RENEWED_AFTER_MS;
    return item && parseEndpoint(item);
  }

  #update(changes: Partial<Endpoint>, ConditionExpression: string, values: Item = {}): Promise<Item | undefined> {
    const { ExpressionAttributeValues, ...fields } = setFields(changes);
    return this.#table.tryUpdate({
      Key: webhookKey(this.#key.clientId, this.#key.id),
      ...fields,
      ConditionExpression,
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ...values, ':me': this.#holder },
    });
  }
}
