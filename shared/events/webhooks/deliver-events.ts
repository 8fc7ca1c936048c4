import { setTimeout as pause } from 'node:timers/promises';
import { sideBySide } from '../../runtime/async.ts';
import { type FeedEvent, readFeed } from '../feed.ts';
import { type DueLanes, Lanes } from './deliver-lanes.ts';
import { finishedSequences } from './deliveries.ts';
import { type EndpointKey, getEndpoint, Lease, LeaseLost } from './endpoints.ts';
import { firstDueLanes } from './lanes.ts';
import { type DeliveryCounts, type DeliveryDeps, Worker } from './worker.ts';

const PAGE = 100;
// The orders whose events are sent at once.
const ORDERS_AT_ONCE = 16;

type Limits = {
  /** The time, as of `Date.now()`, after which no more events are sent. */
  readonly endsAt: number;
  /** The longest time to wait in all for retries that are due soon, as the next schedule is up to a minute away. */
  readonly patienceMs: number;
};

/**
 * Delivers what an endpoint is to get: new events of its client, and retries that are due. Does nothing while another worker
 * is at it; that one looks once more after it has released the lease, so that no event is left behind. Returns what was sent.
 */
export async function deliverEvents(
  key: EndpointKey,
  deps: DeliveryDeps,
  { endsAt, patienceMs }: Limits,
): Promise<DeliveryCounts> {
  const counts = { delivered: 0, failed: 0, givenUp: 0 };
  let patience = patienceMs;
  while (Date.now() < endsAt) {
    const taken = await Lease.take(deps.table, key, deps.now);
    if (!taken) break;
    await workOff(new Worker(taken, deps, { endsAt, counts }));
    const waitMs = await millisecondsToWork(key, deps);
    if (waitMs > patience) break;
    patience -= waitMs;
    if (waitMs > 0) await pause(waitMs);
  }
  return counts;
}

async function workOff(worker: Worker): Promise<void> {
  const { table } = worker.deps;
  const { clientId } = worker.endpoint;
  try {
    const lanes = new Lanes(worker);
    while (!worker.isStopped) {
      const events = await readFeed(table, { clientId, after: worker.endpoint.position, limit: PAGE });
      const due = await lanes.readDue();
      if (events.length === 0 && due.size === 0) break;
      await deliverPage(worker, lanes, { events, due });
    }
    await worker.lease.release({ dueAt: lanes.nextDueAt });
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  }
}

/** New events, and the lanes that are due. */
type Page = { readonly events: readonly FeedEvent[]; readonly due: DueLanes };

/** Delivers a page of new events, of many orders at once and of each order in turn, and the first lanes that are due. */
async function deliverPage(worker: Worker, lanes: Lanes, { events, due }: Page): Promise<void> {
  const settled = await findSettled(worker, events);
  const open = events.filter(({ sequence }) => !settled.has(sequence));
  await lanes.load(due, new Set(open.map(({ event }) => event.order.id)));
  const [waiting = [], free = []] = [true, false].map((isWaiting) =>
    open.filter(({ event }) => lanes.isWaiting(event.order.id) === isWaiting),
  );
  // Before any lane is drained, so that it sends the events that are behind it now.
  await lanes.append(waiting);
  for (const { sequence } of waiting) settled.add(sequence);

  const ofOrders = [...Map.groupBy(free, ({ event }) => event.order.id)];
  const works = [
    ...ofOrders.map(
      ([order, own]) =>
        () =>
          deliverOrder(worker, lanes, { order, events: own, settled }),
    ),
    ...[...due].map(
      ([name, times]) =>
        () =>
          lanes.drain(name, times),
    ),
  ];
  // After a failure, what is under way ends with the event that is being sent.
  const stop = (error: unknown) => {
    worker.stop();
    throw error;
  };
  await sideBySide(works, { atOnce: ORDERS_AT_ONCE }, (work) => work().catch(stop));
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

/** Returns how long it is until the endpoint has to get something; 0 for now, Infinity for nothing, or nothing soon. */
async function millisecondsToWork({ clientId, id }: EndpointKey, { table, now }: DeliveryDeps): Promise<number> {
  const endpoint = await getEndpoint(table, { clientId, id });
  if (!endpoint || endpoint.disabled) return Number.POSITIVE_INFINITY;
  const [unread] = await readFeed(table, { clientId, after: endpoint.position, limit: 1 });
  const [due] = await firstDueLanes(table, id, 1);
  const { pausedUntil } = endpoint;
  const [first] = [...(unread ? [now().toISOString()] : []), ...(due ? [due.dueAt] : [])].sort();
  if (first === undefined) return Number.POSITIVE_INFINITY;
  const next = pausedUntil !== null && pausedUntil > first ? pausedUntil : first;
  return Math.max(0, Date.parse(next) - now().getTime());
}
