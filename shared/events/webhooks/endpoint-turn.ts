import { randomUUID } from 'node:crypto';
import { webhookKey } from '../../store/keys.ts';
import type { Item, Table } from '../../store/table.ts';
import { toUpdate } from '../../store/update.ts';
import type { FeedEvent } from '../feed.ts';
import { type OrderQueue, putDelivery, replaceQueue } from './deliveries.ts';
import {
  type Endpoint,
  type EndpointSecrets,
  getSecrets,
  type Progress,
  parseEndpoint,
  signingSecrets,
} from './endpoints.ts';
import {
  judgeAnswer,
  judgeEndpoint,
  nextTryAt,
  type TryOutcome,
  type WebhookAnswer,
  type WebhookMessage,
} from './send.ts';

export type DeliveryDeps = {
  readonly table: Table;
  readonly now: () => Date;
  readonly send: (
    target: { readonly url: string; readonly secrets: readonly string[] },
    message: WebhookMessage,
  ) => Promise<WebhookAnswer>;
  /** From 0 to 1. */
  readonly random: () => number;
};

export type DeliveryCounts = { delivered: number; failed: number; givenUp: number };

export type Run = {
  readonly deps: DeliveryDeps;
  /** As of `Date.now()`; no events are sent later. */
  readonly endsAt: number;
  readonly counts: DeliveryCounts;
};

// Longer than the slowest delivery with its table calls; a killed run's lease expires.
const LEASE_MS = 30_000;
const RENEWED_AFTER_MS = 10_000;

/** Thrown when another run has the lease or has changed a queue of the endpoint. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/**
 * A run's turn at an endpoint: sends events and collects the endpoint's progress. Its lease excludes other runs, which
 * avoids repetitions; the events' order does not depend on it.
 */
export class EndpointTurn {
  readonly run: Run;
  endpoint: Endpoint;
  /** True after a failure; a later turn continues. */
  isAborted = false;
  readonly #holder = randomUUID();
  #renewAt = 0;
  #secrets: Promise<EndpointSecrets> | undefined;
  #progress: Progress = {};
  #nextDueAt: string | null = null;

  constructor(endpoint: Endpoint, run: Run) {
    this.endpoint = endpoint;
    this.run = run;
  }

  /** Takes the lease. Returns false if the endpoint is disabled, paused by its receiver, or leased to another run. */
  async begin(): Promise<boolean> {
    const isOpen = 'disabled = :none AND (pausedUntil = :none OR pausedUntil <= :now)';
    const isFree = '(leaseUntil = :none OR leaseUntil <= :now OR leaseHolder = :me)';
    const values = { ':now': this.run.deps.now().toISOString(), ':none': null };
    const endpoint = await this.#renew({}, `${isOpen} AND ${isFree}`, values);
    if (!endpoint) return false;
    this.endpoint = endpoint;
    this.#nextDueAt = endpoint.dueAt;
    return true;
  }

  get isOver(): boolean {
    const { disabled, pausedUntil: pause } = { ...this.endpoint, ...this.#progress };
    const isPaused = pause !== null && pause > this.run.deps.now().toISOString();
    return this.isAborted || disabled !== null || isPaused || Date.now() >= this.run.endsAt;
  }

  /** Sends an event once. Returns the time of its next try, undefined once it is finished. Throws LeaseLost before sending. */
  async attempt({ sequence, event }: FeedEvent, tries: number): Promise<string | undefined> {
    const { table, now, send, random } = this.run.deps;
    if (now().getTime() >= this.#renewAt) await this.#keep({});
    const { id, url } = this.endpoint;
    this.#secrets ??= getSecrets(table, id);
    const secrets = await this.#secrets;
    const sentAt = now();
    const target = { url, secrets: signingSecrets(secrets, sentAt) };
    const answer = await send(target, { id: event.id, sentAt, body: JSON.stringify(event) });
    const { retryAfterMs } = answer;
    const verdict = judgeAnswer(answer);
    const next = verdict === 'delivered' ? undefined : nextTryAt({ tries, now: now(), retryAfterMs }, random());
    const status = verdict === 'delivered' ? 'delivered' : next ? 'retrying' : 'given_up';
    await putDelivery(table, id, { sequence, event }, { status, tries, answer, sentAt });
    this.#count({ verdict, isGivenUp: status === 'given_up', retryAfterMs });
    return next?.toISOString();
  }

  /** Replaces a queue's stored row if it differs. Returns the new row, if any. Throws LeaseLost if the row has changed. */
  async storeQueue(row: OrderQueue | undefined, queue: OrderQueue): Promise<OrderQueue | undefined> {
    const isStored = row === queue || (await replaceQueue(this.run.deps.table, this.endpoint.id, row, queue));
    if (!isStored) throw new LeaseLost('the queue has changed');
    if (queue.sequences.length === 0) return undefined;
    if (this.#nextDueAt === null || queue.dueAt < this.#nextDueAt) this.#nextDueAt = queue.dueAt;
    return queue;
  }

  /** Records that all queues were read; `next` is the first that is due later. */
  recordQueues(next: OrderQueue | undefined): void {
    this.#nextDueAt = next?.dueAt ?? null;
    this.#progress = { ...this.#progress, foundReplay: this.endpoint.replay };
  }

  /** Saves the progress; events up to `position` are not read again. Throws LeaseLost. */
  async save(position: number): Promise<void> {
    this.endpoint = await this.#keep({ ...this.#progress, position, dueAt: this.#nextDueAt });
    this.#progress = {};
    // An operator may have replaced them.
    this.#secrets = undefined;
  }

  /** Ends the lease, if this run still has it. After a failure, the queues' due time stays unchanged. */
  async end(): Promise<void> {
    const progress = this.isAborted ? {} : { ...this.#progress, dueAt: this.#nextDueAt };
    await this.#update({ ...progress, leaseHolder: null, leaseUntil: null }, 'leaseHolder = :me');
  }

  #count(outcome: TryOutcome): void {
    const { counts, deps } = this.run;
    counts[outcome.verdict === 'delivered' ? 'delivered' : 'failed'] += 1;
    if (outcome.isGivenUp) counts.givenUp += 1;
    const endpoint = { ...this.endpoint, ...this.#progress };
    this.#progress = { ...this.#progress, ...judgeEndpoint(endpoint, outcome, deps.now()) };
  }

  async #keep(progress: Progress): Promise<Endpoint> {
    const endpoint = await this.#renew(progress, 'leaseHolder = :me');
    if (!endpoint) throw new LeaseLost('another run has the lease');
    return endpoint;
  }

  async #renew(progress: Progress, condition: string, values: Item = {}): Promise<Endpoint | undefined> {
    const now = this.run.deps.now().getTime();
    const leaseUntil = new Date(now + LEASE_MS).toISOString();
    const item = await this.#update({ ...progress, leaseHolder: this.#holder, leaseUntil }, condition, values);
    this.#renewAt = now + RENEWED_AFTER_MS;
    return item && parseEndpoint(item);
  }

  #update(set: Progress, where: string, values: Item = {}): Promise<Item | undefined> {
    const key = webhookKey(this.endpoint.clientId, this.endpoint.id);
    const update = toUpdate(key, { set, where, values: { ...values, ':me': this.#holder } });
    return this.run.deps.table.tryUpdate(update);
  }
}
