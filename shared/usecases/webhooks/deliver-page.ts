import type { FeedEvent } from '../../store/events/feed.ts';
import { finishedSequences } from '../../store/webhooks/deliveries.ts';
import type { DueLane } from '../../store/webhooks/lanes.ts';
import type { Lanes } from './deliver-lanes.ts';
import type { Worker } from './worker.ts';

// The orders whose events are sent at once.
const AT_ONCE = 16;

type Work = () => Promise<void>;

/** New events, and the times of lanes that are due, by the names of the lanes. */
type Page = { readonly events: readonly FeedEvent[]; readonly due: ReadonlyMap<string, readonly DueLane[]> };

/** Delivers a page of new events, of many orders at once and of each order in turn, and the first lanes that are due. */
export async function deliverPage(worker: Worker, lanes: Lanes, { events, due }: Page): Promise<void> {
  const settled = await findSettled(worker, events);
  const open = events.filter(({ sequence }) => !settled.has(sequence));
  await lanes.load([...due.keys()], new Set(open.map(({ event }) => event.order.id)));
  const isWaiting = ({ event }: FeedEvent) => lanes.isWaiting(event.order.id);
  // Before any lane is sent, so that its task sees the events that are behind it now.
  await lanes.append(open.filter(isWaiting));
  for (const { sequence } of open.filter(isWaiting)) settled.add(sequence);
  const ofOrders = Map.groupBy(
    open.filter((event) => !isWaiting(event)),
    ({ event }) => event.order.id,
  );
  const orders = [...ofOrders].map(
    ([order, own]) =>
      () =>
        deliverOrder(worker, lanes, { order, events: own, settled }),
  );
  const drains = [...due].map(
    ([name, times]) =>
      () =>
        lanes.drain(name, times),
  );
  await runAtOnce(worker, [...orders, ...drains]);
  await worker.save({ position: lastSettled(worker, events, settled), dueAt: await lanes.readNextDueAt() });
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
