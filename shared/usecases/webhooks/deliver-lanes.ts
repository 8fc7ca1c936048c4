import { nextTryAt } from '../../events/webhooks/retry-plan.ts';
import { type FeedEvent, readFeed } from '../../store/events/feed.ts';
import { orderLane } from '../../store/keys.ts';
import { finishedSequences } from '../../store/webhooks/deliveries.ts';
import { isReplay, type Lane, putLanes, removeLane } from '../../store/webhooks/lanes.ts';
import type { Worker } from './worker.ts';

/** The lanes of an endpoint, as the worker with its lease keeps them. */
export class Lanes {
  readonly #worker: Worker;
  readonly #lanes: Map<string, Lane>;

  constructor(worker: Worker, lanes: readonly Lane[]) {
    this.#worker = worker;
    this.#lanes = new Map(lanes.map((lane) => [lane.name, lane]));
  }

  get count(): number {
    return this.#lanes.size;
  }

  ofOrder(order: number): Lane | undefined {
    return this.#lanes.get(orderLane(order));
  }

  named(name: string): Lane | undefined {
    return this.#lanes.get(name);
  }

  /** Returns the first lanes that are due, at most `limit`. */
  due(limit: number): Lane[] {
    const now = this.#worker.deps.now().toISOString();
    const due = [...this.#lanes.values()].filter(({ dueAt }) => dueAt <= now);
    return due.toSorted((a, b) => (a.dueAt < b.dueAt ? -1 : 1)).slice(0, limit);
  }

  /** The time of the next retry; null if nothing waits. */
  get nextDueAt(): string | null {
    const times = [...this.#lanes.values()].map(({ dueAt }) => dueAt).sort();
    return times[0] ?? null;
  }

  /** Lets events wait behind those of their order that wait already. */
  async append(order: number, sequences: readonly number[]): Promise<void> {
    const lane = this.ofOrder(order);
    const added = sequences.filter((sequence) => !lane?.sequences.includes(sequence));
    if (lane && added.length > 0) await this.#put({ ...lane, sequences: [...lane.sequences, ...added] });
  }

  /** Lets the events of an order wait after the first of them has failed. */
  open(order: number, sequences: readonly number[], retryAfterMs: number | undefined): Promise<void> {
    return this.#put({ name: orderLane(order), sequences: [...sequences], ...this.#retry(1, retryAfterMs) });
  }

  /** Sends the events of a lane one after another, until one fails, none is left, or the worker has to stop. */
  async drain(lane: Lane): Promise<void> {
    let left = lane;
    const finished = await this.#finished(lane);
    while (left.sequences.length > 0 && !this.#worker.isStopped) {
      const [sequence] = left.sequences as [number];
      const event = finished.has(sequence) ? undefined : await this.#read(sequence);
      const rest = await this.#try(left, event);
      if (!rest) return;
      left = rest;
    }
    if (left.sequences.length === 0) await this.#remove(left);
  }

  /** Tries the first event of a lane. Returns the lane without it, or undefined when it has to wait. */
  async #try(lane: Lane, event: FeedEvent | undefined): Promise<Lane | undefined> {
    const rest = { ...lane, sequences: lane.sequences.slice(1), tries: 0 };
    if (!event) return rest;
    const tries = lane.tries + 1;
    const isLast = nextTryAt({ tries, now: this.#worker.deps.now() }, 0) === undefined;
    const { verdict, answer } = await this.#worker.attempt(event, { tries, isLast });
    const isOver = verdict === 'delivered' || isLast;
    await this.#put(isOver ? rest : { ...lane, ...this.#retry(tries, answer.retryAfterMs) });
    return isOver ? rest : undefined;
  }

  #retry(tries: number, retryAfterMs: number | undefined): Pick<Lane, 'tries' | 'dueAt'> {
    const { now, random } = this.#worker.deps;
    const next = nextTryAt({ tries, now: now(), retryAfterMs }, random()) ?? now();
    return { tries, dueAt: next.toISOString() };
  }

  /** A worker that was killed may have delivered events of the lane; those of a replay are sent all the same. */
  async #finished(lane: Lane): Promise<ReadonlySet<number>> {
    const [from] = lane.sequences;
    if (from === undefined || isReplay(lane)) return new Set();
    const until = lane.sequences.at(-1) ?? from;
    return finishedSequences(this.#worker.deps.table, this.#worker.endpoint.id, { from, until });
  }

  /** Returns an event of the feed; undefined once it is no longer kept. */
  async #read(sequence: number): Promise<FeedEvent | undefined> {
    const { clientId } = this.#worker.endpoint;
    const [found] = await readFeed(this.#worker.deps.table, { clientId, after: sequence - 1, limit: 1 });
    return found?.sequence === sequence ? found : undefined;
  }

  async #put(lane: Lane): Promise<void> {
    this.#lanes.set(lane.name, lane);
    if (lane.sequences.length > 0) await putLanes(this.#worker.deps.table, this.#worker.endpoint.id, [lane]);
  }

  async #remove(lane: Lane): Promise<void> {
    this.#lanes.delete(lane.name);
    await removeLane(this.#worker.deps.table, this.#worker.endpoint.id, lane);
  }
}
