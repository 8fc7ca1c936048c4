import { orderLane } from '../../store/keys.ts';
import { batches, type Table } from '../../store/table.ts';
import { type FeedEvent, getFeedEvents } from '../feed.ts';
import { finishedAmong } from './deliveries.ts';
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
} from './lanes.ts';
import { nextTryAt } from './outcome.ts';
import type { Worker } from './worker.ts';

// The lanes that are due and are read at once, and the events of a lane.
const LANES_AT_ONCE = 100;
const EVENTS_AT_ONCE = 50;

/** The times at which each lane is due, by its name. A worker that lost its lease may have left a second one. */
export type DueLanes = ReadonlyMap<string, readonly DueLane[]>;

/**
 * The lanes of an endpoint, in which events wait behind one of their order that failed. A worker reads those that are due
 * (`readDue`); for each page of new events it loads these lanes and those of the page's orders (`load`), lets the events
 * of orders that wait already wait behind them (`append`), and then sends what is due (`drain`), while an order whose event
 * fails for the first time gets a lane (`open`).
 */
export class Lanes {
  readonly #worker: Worker;
  readonly #table: Table;
  readonly #endpointId: number;
  #loaded: Map<string, Lane> = new Map();
  #nextDueAt: string | null;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.#table = worker.deps.table;
    this.#endpointId = worker.endpoint.id;
    this.#nextDueAt = worker.endpoint.dueAt;
  }

  /** The time of the next retry, as it was read last; null if nothing waits. */
  get nextDueAt(): string | null {
    return this.#nextDueAt;
  }

  /** Reads the time of the next retry. */
  async readNextDueAt(): Promise<string | null> {
    await this.#readFirst(1);
    return this.#nextDueAt;
  }

  /** Returns the first lanes that are due. One query, none when nothing is due. */
  async readDue(): Promise<DueLanes> {
    const now = this.#worker.deps.now().toISOString();
    if (this.#nextDueAt === null || this.#nextDueAt > now) return new Map();
    const due = (await this.#readFirst(LANES_AT_ONCE)).filter(({ dueAt }) => dueAt <= now);
    return Map.groupBy(due, ({ name }) => name);
  }

  async #readFirst(limit: number): Promise<DueLane[]> {
    const first = await firstDueLanes(this.#table, this.#endpointId, limit);
    this.#nextDueAt = first[0]?.dueAt ?? null;
    return first;
  }

  /** Reads lanes that are due, and those of the orders of a page. Only these are in memory. */
  async load(due: DueLanes, orders: Iterable<number>): Promise<void> {
    const names = new Set([...due.keys(), ...[...orders].map(orderLane)]);
    this.#loaded = await getLanes(this.#table, this.#endpointId, [...names]);
  }

  isWaiting(order: number): boolean {
    return this.#loaded.has(orderLane(order));
  }

  /** Lets events of a page wait behind those of their orders that wait already. */
  async append(events: readonly FeedEvent[]): Promise<void> {
    const longer = [...Map.groupBy(events, ({ event }) => orderLane(event.order.id))].flatMap(([name, own]) => {
      const lane = this.#loaded.get(name);
      const added = own.map(({ sequence }) => sequence).filter((sequence) => !lane?.sequences.includes(sequence));
      return lane && added.length > 0 ? [{ ...lane, sequences: [...lane.sequences, ...added] }] : [];
    });
    if (longer.length > 0) await replaceLanes(this.#table, this.#endpointId, longer);
    for (const lane of longer) this.#loaded.set(lane.name, lane);
  }

  /** Lets the events of an order wait after the first of them has failed. */
  async open(order: number, sequences: readonly number[], retryAfterMs: number | undefined): Promise<void> {
    const lane = { name: orderLane(order), sequences: [...sequences], tries: 1 };
    await openLanes(this.#table, this.#endpointId, [lane], this.#retryAt(1, retryAfterMs));
  }

  /** Sends the events of a lane that is due one after another, until one fails, none is left, or the worker has to stop. */
  async drain(name: string, due: readonly DueLane[]): Promise<void> {
    const lane = this.#loaded.get(name);
    if (!lane) return removeDue(this.#table, this.#endpointId, due);
    if (this.#worker.isStopped) return;
    let left = lane;
    for await (const event of this.#readOpen(lane)) {
      // Those before it were finished by a worker that was killed, or are no longer kept.
      left = startingAt(event.sequence, left);
      if (this.#worker.isStopped) return this.#shorten(lane, left);
      const tries = left.tries + 1;
      const isLast = nextTryAt({ tries, now: this.#worker.deps.now() }, 0) === undefined;
      const { verdict, answer } = await this.#worker.attempt(event, { tries, isLast });
      if (verdict !== 'delivered' && !isLast) {
        const dueAt = this.#retryAt(tries, answer.retryAfterMs);
        return postponeLane(this.#table, this.#endpointId, { ...left, tries }, { was: due, dueAt });
      }
      left = startingAt(event.sequence + 1, left);
    }
    await closeLane(this.#table, this.#endpointId, name, due);
  }

  /** Yields the events of a lane that are still kept and not finished; those of a replay are sent all the same. */
  async *#readOpen(lane: Lane): AsyncGenerator<FeedEvent> {
    for (const sequences of batches(lane.sequences, EVENTS_AT_ONCE)) {
      const finished = isReplay(lane)
        ? new Set<number>()
        : await finishedAmong(this.#table, this.#endpointId, sequences);
      const open = sequences.filter((sequence) => !finished.has(sequence));
      yield* await getFeedEvents(this.#table, this.#worker.endpoint.clientId, open);
    }
  }

  /** Writes what is left of a lane, which stays due. */
  async #shorten(before: Lane, left: Lane): Promise<void> {
    if (left.sequences.length < before.sequences.length) await replaceLanes(this.#table, this.#endpointId, [left]);
  }

  #retryAt(tries: number, retryAfterMs: number | undefined): string {
    const { now, random } = this.#worker.deps;
    const next = nextTryAt({ tries, now: now(), retryAfterMs }, random()) ?? now();
    return next.toISOString();
  }
}

/** Returns a lane without the events before a number. Its tries are those of its first event. */
function startingAt(sequence: number, lane: Lane): Lane {
  const sequences = lane.sequences.filter((each) => each >= sequence);
  return { ...lane, sequences, tries: sequences.length === lane.sequences.length ? lane.tries : 0 };
}
