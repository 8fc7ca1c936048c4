import { nextTryAt } from '../../events/webhooks/retry-plan.ts';
import { type FeedEvent, getFeedEvents } from '../../store/events/feed.ts';
import { orderLane } from '../../store/keys.ts';
import { finishedAmong } from '../../store/webhooks/deliveries.ts';
import {
  closeLane,
  type DueLane,
  firstDueLanes,
  getLanes,
  isReplay,
  type Lane,
  openLanes,
  postponeLane,
  removeDue,
  replaceLanes,
} from '../../store/webhooks/lanes.ts';
import type { Worker } from './worker.ts';

const PAGE = 100;
/** The events of a lane that are read at once. */
const READ_AT_ONCE = 50;

/** The times at which a lane is due. A worker that lost its lease may have left a second one. */
type DueTimes = readonly DueLane[];

/** The lanes of an endpoint. Only those that are due, and those of the orders of a page of events, are in memory. */
export class Lanes {
  readonly #worker: Worker;
  #ofPage: Map<string, Lane> = new Map();
  #nextDueAt: string | null;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.#nextDueAt = worker.endpoint.dueAt;
  }

  /** The time of the next retry, as it was read last; null if nothing waits. */
  get nextDueAt(): string | null {
    return this.#nextDueAt;
  }

  /** Returns the times of the first lanes that are due, grouped by lane. One query, none when nothing is due. */
  async readDue(): Promise<Map<string, DueTimes>> {
    const now = this.#worker.deps.now().toISOString();
    if (this.#nextDueAt === null || this.#nextDueAt > now) return new Map();
    const due = (await this.#readFirst(PAGE)).filter(({ dueAt }) => dueAt <= now);
    return Map.groupBy(due, ({ name }) => name);
  }

  /** Reads the time of the next retry. */
  async readNextDueAt(): Promise<string | null> {
    await this.#readFirst(1);
    return this.#nextDueAt;
  }

  /** Reads lanes that are due, and those of the orders of a page. */
  async load(due: readonly string[], orders: ReadonlySet<number>): Promise<void> {
    const { deps, endpoint } = this.#worker;
    this.#ofPage = await getLanes(deps.table, endpoint.id, [...due, ...[...orders].map(orderLane)]);
  }

  isWaiting(order: number): boolean {
    return this.#ofPage.has(orderLane(order));
  }

  /** Lets events of a page wait behind those of their orders that wait already. */
  async append(events: readonly FeedEvent[]): Promise<void> {
    const { deps, endpoint } = this.#worker;
    const longer = [...Map.groupBy(events, ({ event }) => orderLane(event.order.id))].flatMap(([name, own]) => {
      const lane = this.#ofPage.get(name);
      const added = own.map(({ sequence }) => sequence).filter((sequence) => !lane?.sequences.includes(sequence));
      return lane && added.length > 0 ? [{ ...lane, sequences: [...lane.sequences, ...added] }] : [];
    });
    if (longer.length > 0) await replaceLanes(deps.table, endpoint.id, longer);
    for (const lane of longer) this.#ofPage.set(lane.name, lane);
  }

  /** Lets the events of an order wait after the first of them has failed. */
  async open(order: number, sequences: readonly number[], retryAfterMs: number | undefined): Promise<void> {
    const lane = { name: orderLane(order), sequences: [...sequences], tries: 1 };
    const { table } = this.#worker.deps;
    await openLanes(table, this.#worker.endpoint.id, [lane], this.#retryAt(1, retryAfterMs));
  }

  /** Sends the events of a lane one after another, until one fails, none is left, or the worker has to stop. */
  async drain(name: string, times: DueTimes): Promise<void> {
    const { table } = this.#worker.deps;
    const { id } = this.#worker.endpoint;
    const lane = this.#ofPage.get(name);
    if (!lane) return removeDue(table, id, times);
    let left = lane;
    while (left.sequences.length > 0 && !this.#worker.isStopped) {
      const rest = await this.#sendFirst(left, times);
      if (!rest) return;
      left = rest;
    }
    if (left.sequences.length === 0) await closeLane(table, id, name, times);
    else if (left !== lane) await replaceLanes(table, id, [left]);
  }

  /** Sends the first events of a lane. Returns the lane without them, or undefined when it has to wait. */
  async #sendFirst(lane: Lane, times: DueTimes): Promise<Lane | undefined> {
    let left = lane;
    for (const event of await this.#readOpen(lane)) {
      if (this.#worker.isStopped) return left;
      left = from(left, event.sequence);
      if (!(await this.#isSent(left, event, times))) return undefined;
      left = from(left, event.sequence + 1);
    }
    return from(left, (lane.sequences[READ_AT_ONCE - 1] ?? Number.POSITIVE_INFINITY) + 1);
  }

  /** Sends the first event of a lane; after a failure the lane is due later, and the answer is false. */
  async #isSent(lane: Lane, event: FeedEvent, was: DueTimes): Promise<boolean> {
    const tries = lane.tries + 1;
    const { deps, endpoint } = this.#worker;
    const isLast = nextTryAt({ tries, now: deps.now() }, 0) === undefined;
    const { verdict, answer } = await this.#worker.attempt(event, { tries, isLast });
    if (verdict === 'delivered' || isLast) return true;
    const dueAt = this.#retryAt(tries, answer.retryAfterMs);
    await postponeLane(deps.table, endpoint.id, { ...lane, tries }, { was, dueAt });
    return false;
  }

  #retryAt(tries: number, retryAfterMs: number | undefined): string {
    const { now, random } = this.#worker.deps;
    const next = nextTryAt({ tries, now: now(), retryAfterMs }, random()) ?? now();
    return next.toISOString();
  }

  /**
   * Returns the first events of a lane that are still kept. A worker that was killed may have delivered some, which are left
   * out; those of a replay are sent all the same.
   */
  async #readOpen(lane: Lane): Promise<FeedEvent[]> {
    const { table } = this.#worker.deps;
    const { id, clientId } = this.#worker.endpoint;
    const first = lane.sequences.slice(0, READ_AT_ONCE);
    const finished = isReplay(lane) ? new Set() : await finishedAmong(table, id, first);
    const open = first.filter((sequence) => !finished.has(sequence));
    return getFeedEvents(table, clientId, open);
  }

  async #readFirst(limit: number): Promise<DueLane[]> {
    const first = await firstDueLanes(this.#worker.deps.table, this.#worker.endpoint.id, limit);
    this.#nextDueAt = first[0]?.dueAt ?? null;
    return first;
  }
}

/** Returns a lane without the events before a number. Tries are those of its first event. */
function from(lane: Lane, sequence: number): Lane {
  const sequences = lane.sequences.filter((each) => each >= sequence);
  return { ...lane, sequences, tries: sequences.length === lane.sequences.length ? lane.tries : 0 };
}
