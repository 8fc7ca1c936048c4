import type { Table } from '../../store/table.ts';
import type { FeedEvent } from '../feed.ts';
import { type DeliveryStatus, putDelivery } from './deliveries.ts';
import type { Endpoint, Lease, Progress } from './endpoints.ts';
import { hasFailedTooLong, judgeAnswer, pausedUntil, type Verdict, type WebhookAnswer } from './outcome.ts';
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

/** The events that one invocation sent, by outcome. */
export type DeliveryCounts = { delivered: number; failed: number; givenUp: number };

type Try = { readonly tries: number; readonly isLast: boolean };

/** One holder of an endpoint's lease: tries events, and collects what it finds out about the endpoint. */
export class Worker {
  readonly lease: Lease;
  readonly deps: DeliveryDeps;
  endpoint: Endpoint;
  #secrets: Promise<EndpointSecrets> | undefined;
  readonly #counts: DeliveryCounts;
  #found: Progress = {};
  #isStopped = false;
  readonly #endsAt: number;

  constructor(
    taken: { lease: Lease; endpoint: Endpoint },
    deps: DeliveryDeps,
    { endsAt, counts }: { endsAt: number; counts: DeliveryCounts },
  ) {
    this.lease = taken.lease;
    this.endpoint = taken.endpoint;
    this.deps = deps;
    this.#endsAt = endsAt;
    this.#counts = counts;
  }

  /** True when no more events may be sent now: the receiver wants none, or the time of the function is over. */
  get isStopped(): boolean {
    return this.#isStopped || Date.now() >= this.#endsAt;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Sends an event once and writes the outcome. Throws LeaseLost before it sends when another worker has the lease. */
  async attempt(
    { sequence, event }: FeedEvent,
    { tries, isLast }: Try,
  ): Promise<{
    readonly verdict: Verdict;
    readonly answer: WebhookAnswer;
  }> {
    await this.lease.keep();
    const { table, now, send } = this.deps;
    this.#secrets ??= getSecrets(table, this.endpoint.id);
    const secrets = await this.#secrets;
    const sentAt = now();
    const target = { url: this.endpoint.url, secrets: signingSecrets(secrets, sentAt) };
    const answer = await send(target, { id: event.id, sentAt, body: JSON.stringify(event) });
    const verdict = judgeAnswer(answer);
    const status: DeliveryStatus = verdict === 'delivered' ? 'delivered' : isLast ? 'given_up' : 'retrying';
    const delivery = {
      sequence,
      eventId: event.id,
      type: event.type,
      orderId: event.order.id,
      status,
      tries,
      answerStatus: answer.status,
      answerCode: answer.code,
      durationMs: answer.durationMs,
      lastTriedAt: sentAt.toISOString(),
    };
    await putDelivery(table, this.endpoint.id, delivery, sentAt);
    this.#note(verdict, status, answer);
    return { verdict, answer };
  }

  /** Writes what was found out so far, and the position behind which the next worker goes on. */
  async save(more: Progress): Promise<void> {
    const progress = { ...this.#found, ...more };
    this.#found = {};
    // Somebody may have replaced them meanwhile.
    this.#secrets = undefined;
    this.endpoint = await this.lease.save(progress);
    if (this.endpoint.disabled) this.stop();
  }

  #note(verdict: Verdict, status: DeliveryStatus, { retryAfterMs = 0 }: WebhookAnswer): void {
    const known = { ...this.endpoint, ...this.#found };
    const now = this.deps.now();
    const at = now.toISOString();
    this.#counts[verdict === 'delivered' ? 'delivered' : 'failed'] += 1;
    if (status === 'given_up') {
      this.#counts.givenUp += 1;
      this.#find({ givenUpCount: known.givenUpCount + 1, lastGivenUpAt: at });
    }
    const failingSince = verdict === 'delivered' ? null : (known.failingSince ?? at);
    if (failingSince !== known.failingSince) this.#find({ failingSince });
    if (failingSince === null) return;
    if (verdict === 'gone' || hasFailedTooLong(failingSince, now)) {
      this.#find({ disabled: { by: verdict === 'gone' ? 'gone' : 'failures', at }, isNoticeDue: true });
      this.stop();
    } else if (verdict === 'busy') {
      this.#find({ pausedUntil: pausedUntil(now, retryAfterMs).toISOString() });
      this.stop();
    }
  }

  #find(progress: Progress): void {
    this.#found = { ...this.#found, ...progress };
  }
}
