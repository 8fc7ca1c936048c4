import type { Table } from '../../store/table.ts';
import type { FeedEvent } from '../feed.ts';
import { putDelivery } from './deliveries.ts';
import type { Endpoint, Progress } from './endpoints.ts';
import { type Lease, LeaseLost } from './lease.ts';
import { type OrderQueue, replaceQueue } from './order-queues.ts';
import { judgeAnswer, judgeEndpoint, nextTryAt, type TryOutcome, type WebhookAnswer } from './outcome.ts';
import { type EndpointSecrets, getSecrets, signingSecrets } from './secrets.ts';
import type { WebhookMessage } from './send.ts';

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

/** A run's turn at an endpoint, under its lease: sends events and collects the endpoint's progress. */
export class EndpointTurn {
  readonly run: Run;
  endpoint: Endpoint;
  /** True after a failure; a later turn continues. */
  isAborted = false;
  readonly #lease: Lease;
  #secrets: Promise<EndpointSecrets> | undefined;
  #progress: Progress = {};
  #nextDueAt: string | null;

  constructor(leased: { readonly lease: Lease; readonly endpoint: Endpoint }, run: Run) {
    this.#lease = leased.lease;
    this.endpoint = leased.endpoint;
    this.#nextDueAt = leased.endpoint.dueAt;
    this.run = run;
  }

  get isOver(): boolean {
    const { disabled, pausedUntil: pause } = { ...this.endpoint, ...this.#progress };
    const isPaused = pause !== null && pause > this.run.deps.now().toISOString();
    return this.isAborted || disabled !== null || isPaused || Date.now() >= this.run.endsAt;
  }

  /** Sends an event once. Returns the time of its next try, undefined once it is finished. Throws LeaseLost before sending. */
  async attempt({ sequence, event }: FeedEvent, tries: number): Promise<string | undefined> {
    await this.#lease.keep();
    const { table, now, send, random } = this.run.deps;
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

  /** Saves the progress; events up to `position` are not read again. */
  async save(position: number): Promise<void> {
    const progress = { ...this.#progress, position, dueAt: this.#nextDueAt };
    this.#progress = {};
    // An operator may have replaced them.
    this.#secrets = undefined;
    this.endpoint = await this.#lease.save(progress);
  }

  /** After a failure, the queues' due time stays unchanged. */
  release(): Promise<void> {
    return this.#lease.release(this.isAborted ? {} : { ...this.#progress, dueAt: this.#nextDueAt });
  }

  #count(outcome: TryOutcome): void {
    const { counts, deps } = this.run;
    counts[outcome.verdict === 'delivered' ? 'delivered' : 'failed'] += 1;
    if (outcome.isGivenUp) counts.givenUp += 1;
    const endpoint = { ...this.endpoint, ...this.#progress };
    this.#progress = { ...this.#progress, ...judgeEndpoint(endpoint, outcome, deps.now()) };
  }
}
