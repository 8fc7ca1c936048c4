import type { FeedEvent } from '../../store/events/feed.ts';
import { finishedSequences } from '../../store/webhooks/deliveries.ts';
import type { Lanes } from './deliver-lanes.ts';
import type { Worker } from './worker.ts';

// The orders whose events are sent at once.
const AT_ONCE = 16;

type Work = () => Promise<void>;

/** Delivers a page of new events, of many orders at once and of each order in turn, and the lanes that are due. */
export async function deliverPage(worker: Worker, lanes: Lanes, page: readonly FeedEvent[]): Promise<void> {
  const due = lanes.due(AT_ONCE);
  const settled = await findSettled(worker, page);
  const isOpen = ({ sequence }: FeedEvent) => !settled.has(sequence);
  const ofOrders = [...Map.groupBy(page.filter(isOpen), ({ event }) => event.order.id)];
  // Before any lane is sent, so that its task sees the events that are behind it now.
  const waiting = ofOrders.filter(([order]) => lanes.ofOrder(order));
  await runAtOnce(
    worker,
    waiting.map(
      ([order, events]) =>
        () =>
          queueBehind(lanes, order, events, settled),
    ),
  );
  const fresh = ofOrders.filter(([order]) => !lanes.ofOrder(order));
  const tasks = fresh.map(
    ([order, events]) =>
      () =>
        deliverOrder(worker, lanes, { order, events, settled }),
  );
  const names = due.map(
    ({ name }) =>
      () =>
        drainLatest(lanes, name),
  );
  await runAtOnce(worker, [...tasks, ...names]);
  await worker.save({ position: lastSettled(worker, page, settled), dueAt: lanes.nextDueAt });
}

/** Returns the events that need nothing: of types that the endpoint does not want, or finished by a worker that was killed. */
async function findSettled({ endpoint, deps }: Worker, page: readonly FeedEvent[]): Promise<Set<number>> {
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last) return new Set();
  const settled = await finishedSequences(deps.table, endpoint.id, { from: first.sequence, until: last.sequence });
  for (const { sequence, event } of page) {
    if (endpoint.eventTypes && !endpoint.eventTypes.includes(event.type)) settled.add(sequence);
  }
  return settled;
}

async function queueBehind(
  lanes: Lanes,
  order: number,
  events: readonly FeedEvent[],
  settled: Set<number>,
): Promise<void> {
  const sequences = events.map(({ sequence }) => sequence);
  await lanes.append(order, sequences);
  for (const sequence of sequences) settled.add(sequence);
}

type OrderEvents = {
  readonly order: number;
  readonly events: readonly FeedEvent[];
  readonly settled: Set<number>;
};

/** Sends the events of an order; from the first that fails on, they wait in a lane. */
async function deliverOrder(worker: Worker, lanes: Lanes, { order, events, settled }: OrderEvents): Promise<void> {
  for (const [index, event] of events.entries()) {
    if (worker.isStopped) return;
    const { verdict, answer } = await worker.attempt(event, { tries: 1, isLast: false });
    if (verdict !== 'delivered') {
      const left = events.slice(index).map(({ sequence }) => sequence);
      await lanes.open(order, left, answer.retryAfterMs);
      for (const sequence of left) settled.add(sequence);
      return;
    }
    settled.add(event.sequence);
  }
}

async function drainLatest(lanes: Lanes, name: string): Promise<void> {
  const lane = lanes.named(name);
  if (lane) await lanes.drain(lane);
}

/** Returns the number of the last event before the first one that is still open. */
function lastSettled({ endpoint }: Worker, page: readonly FeedEvent[], settled: ReadonlySet<number>): number {
  const open = page.findIndex(({ sequence }) => !settled.has(sequence));
  const last = open < 0 ? page.at(-1) : page[open - 1];
  return last?.sequence ?? endpoint.position;
}

/** Runs all works, so many at once. After a failure none begins, and those under way come to their end before it is thrown. */
async function runAtOnce(worker: Worker, works: readonly Work[]): Promise<void> {
  const waiting = works.values();
  const runs = Array.from({ length: Math.min(AT_ONCE, works.length) }, () => runEach(worker, waiting));
  const failed = (await Promise.allSettled(runs)).find((run) => run.status === 'rejected');
  if (failed) throw failed.reason;
}

async function runEach(worker: Worker, works: Iterable<Work>): Promise<void> {
  try {
    for (const work of works) await work();
  } catch (error) {
    worker.stop();
    throw error;
  }
}
