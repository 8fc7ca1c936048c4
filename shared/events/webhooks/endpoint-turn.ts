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
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
};

/** The events that were sent, by outcome. */
export type DeliveryCounts = { delivered: number; failed: number; givenUp: number };

/** What the turns of a run have in common. */
export type Run = {
  readonly deps: DeliveryDeps;
  /** The time, as of `Date.now()`, after which no more events are sent. */
  readonly endsAt: number;
  /** Is added to. */
  readonly counts: DeliveryCounts;
};

/** The time for which a run holds the lease of an endpoint: it sends events, and keeps what they say about the endpoint. */
export class EndpointTurn {
  readonly run: Run;
  endpoint: Endpoint;
  /** True after a failure, when a later turn has to go on. */
  isAborted = false;
  readonly #lease: Lease;
  #secrets: Promise<EndpointSecrets> | undefined;
  #progress: Progress = {};
  #nextDueAt: string | null;

  constructor(taken: { readonly lease: Lease; readonly endpoint: Endpoint }, run: Run) {
    this.#lease = taken.lease;
    this.endpoint = taken.endpoint;
    this.#nextDueAt = taken.endpoint.dueAt;
    this.run = run;
  }

  /** True when no more events may be sent: the receiver wants none, or the time of the function is over. */
  get isOver(): boolean {
    const { disabled, pausedUntil: pause } = { ...this.endpoint, ...this.#progress };
    const isPaused = pause !== null && pause > this.run.deps.now().toISOString();
    return this.isAborted || disabled !== null || isPaused || Date.now() >= this.run.endsAt;
  }

  /**
   * Sends an event once and writes the outcome. Returns the time of its next try; undefined if it is delivered or given up.
   * Throws LeaseLost before it sends if another run has the lease.
   */
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

  /**
   * Writes a queue in place of the row that was read, if it differs. Returns the row of a queue that has events. Throws
   * LeaseLost if somebody else has changed the row meanwhile.
   */
  async storeQueue(row: OrderQueue | undefined, queue: OrderQueue): Promise<OrderQueue | undefined> {
    const isStored = row === queue || (await replaceQueue(this.run.deps.table, this.endpoint.id, row, queue));
    if (!isStored) throw new LeaseLost('somebody else has changed the queue');
    if (queue.sequences.length === 0) return undefined;
    if (this.#nextDueAt === null || queue.dueAt < this.#nextDueAt) this.#nextDueAt = queue.dueAt;
    return queue;
  }

  /** Notes that all queues were read; `next` is the first that is due later. Those that are stored from now on are added. */
  foundQueues(next: OrderQueue | undefined): void {
    this.#nextDueAt = next?.dueAt ?? null;
    this.#progress = { ...this.#progress, foundReplay: this.endpoint.replay };
  }

  /** Saves what is known of the endpoint, and the number of the event up to which none has to be read again. */
  async save(position: number): Promise<void> {
    const progress = { ...this.#progress, position, dueAt: this.#nextDueAt };
    this.#progress = {};
    // Somebody may have replaced them meanwhile.
    this.#secrets = undefined;
    this.endpoint = await this.#lease.save(progress);
  }

  /** Lets the next run in. After a failure the time at which queues are due is left as it was. */
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
