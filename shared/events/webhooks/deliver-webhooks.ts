import { setTimeout as pause } from 'node:timers/promises';
import { sideBySide } from '../../runtime/async.ts';
import { logError } from '../../runtime/log.ts';
import { batches } from '../../store/table.ts';
import { type FeedEvent, getFeedEvents, readFeed } from '../feed.ts';
import { finishedSequences, getQueues, listQueues, type OrderQueue, withEvents } from './deliveries.ts';
import { type DeliveryCounts, type DeliveryDeps, EndpointTurn, LeaseLost, type Run } from './endpoint-turn.ts';
import { areQueuesDue, type Endpoint, listEndpoints, readOldestNew } from './endpoints.ts';

// With 16 connections each they stay below a function's 1,024 file descriptors.
const ENDPOINTS_AT_ONCE = 50;
const ORDERS_AT_ONCE = 16;
const EVENTS_AT_ONCE = 50;
const PAGE = 100;
// How often the run looks for due endpoints while others are slow.
const LOOK_MS = 1_000;

type Limits = Pick<Run, 'endsAt'> & {
  /** The total wait for retries that are due soon, as the next scheduled run is up to a minute away. */
  readonly patienceMs: number;
};

/**
 * Delivers the pending events of all endpoints. Runs may overlap and be killed at any call:
 * - Each endpoint has its own turn in parallel. Meanwhile the run looks every second for due endpoints, so a slow one delays no
 *   other. If 50 are slow, the next scheduled run serves the rest.
 * - An order's events are sent in sequence, each after the one before is delivered or given up. Each run keeps this order by
 *   itself: two runs may repeat events, which leases make rare, but never overtake.
 * - A failed event waits in its order's queue with all later ones. An endpoint's position moves once all events of a page are
 *   finished or queued, and a queue is only replaced if it has not changed.
 * - The next run continues from the stored outcomes and queues; an event in flight is repeated.
 * Throws at the end if a turn has failed.
 */
export async function deliverWebhooks(deps: DeliveryDeps, { endsAt, patienceMs }: Limits): Promise<DeliveryCounts> {
  const run: Turns = {
    deps,
    endsAt,
    counts: { delivered: 0, failed: 0, givenUp: 0 },
    turns: new Map(),
    failures: new Set(),
  };
  const { turns, failures } = run;
  try {
    for (let patience = patienceMs; Date.now() < endsAt; ) {
      const idle = (await listOpen(deps)).filter(({ id }) => !turns.has(id) && !failures.has(id));
      const due = await filterDue(idle, deps);
      for (const endpoint of due.slice(0, ENDPOINTS_AT_ONCE - turns.size)) startTurn(run, endpoint);
      if (turns.size === 0) {
        const soon = new Date(deps.now().getTime() + patience);
        if (!idle.some((endpoint) => areQueuesDue(endpoint, soon))) break;
        patience -= LOOK_MS;
      }
      await Promise.race([pause(LOOK_MS), ...(turns.size > 0 ? [Promise.all(turns.values())] : [])]);
    }
  } finally {
    await Promise.all(turns.values());
  }
  if (failures.size > 0) throw new Error(`webhooks of ${failures.size} endpoints were not delivered`);
  return run.counts;
}

type Turns = Run & {
  readonly turns: Map<number, Promise<void>>;
  /** Endpoints whose turn has failed wait for the next run. */
  readonly failures: Set<number>;
};

function startTurn({ turns, failures, ...run }: Turns, endpoint: Endpoint): void {
  const { clientId, id } = endpoint;
  const turn = deliverToEndpoint(endpoint, run)
    .catch((error: unknown) => {
      logError('webhooks were not delivered', error, { clientId, endpointId: id });
      failures.add(id);
    })
    .finally(() => turns.delete(id));
  turns.set(id, turn);
}

async function listOpen({ table, now }: DeliveryDeps): Promise<Endpoint[]> {
  const time = now().toISOString();
  const isOver = (end: string | null): boolean => end === null || end <= time;
  return (await listEndpoints(table)).filter(
    ({ disabled, pausedUntil, leaseUntil }) => disabled === null && isOver(pausedUntil) && isOver(leaseUntil),
  );
}

async function filterDue(endpoints: readonly Endpoint[], { table, now }: DeliveryDeps): Promise<Endpoint[]> {
  const isDue = async (endpoint: Endpoint) =>
    areQueuesDue(endpoint, now()) || (await readOldestNew(table, endpoint)) !== undefined;
  const due = await Promise.all(endpoints.map(isDue));
  return endpoints.filter((_, index) => due[index]);
}

/** Delivers an endpoint's new events and due queues. Does nothing while another run holds its lease. */
export async function deliverToEndpoint(endpoint: Endpoint, run: Run): Promise<void> {
  const turn = new EndpointTurn(endpoint, run);
  if (!(await turn.begin())) return;
  try {
    await deliverPages(turn);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    turn.isAborted = true;
  }
  await turn.end();
}

async function deliverPages(turn: EndpointTurn): Promise<void> {
  const { table } = turn.run.deps;
  const abort = (error: unknown) => {
    turn.isAborted = true;
    throw error;
  };
  while (!turn.isOver) {
    const { clientId, position } = turn.endpoint;
    const events = await readFeed(table, { clientId, after: position, limit: PAGE });
    const due = await readDueQueues(turn);
    if (events.length === 0 && due.length === 0) return;
    const works = await queueEvents(turn, events, due);
    await sideBySide(works, { atOnce: ORDERS_AT_ONCE }, (work) => sendQueue(turn, work).catch(abort));
    await turn.save(events.at(-1)?.sequence ?? position);
  }
}

/** Returns the first due queues. One query for all queues, none if nothing is due. */
async function readDueQueues(turn: EndpointTurn): Promise<OrderQueue[]> {
  const now = turn.run.deps.now();
  if (!areQueuesDue(turn.endpoint, now)) return [];
  const queues = await listQueues(turn.run.deps.table, turn.endpoint.id);
  const due = queues.filter(({ dueAt }) => dueAt <= now.toISOString()).slice(0, PAGE);
  turn.recordQueues(queues[due.length]);
  return due;
}

/** A queue with its stored row, if any, and its events if they are already read. */
type Work = { readonly queue: OrderQueue; readonly row?: OrderQueue; readonly events?: readonly FeedEvent[] };

/** Adds new events to the stored queues of their orders. Returns the queues to send, including those of other orders. */
async function queueEvents(turn: EndpointTurn, events: readonly FeedEvent[], due: readonly OrderQueue[]) {
  const { table, now } = turn.run.deps;
  const byOrder = Map.groupBy(await findUnfinished(turn, events), ({ event }) => event.order.id);
  const rows = await getQueues(table, turn.endpoint.id, [...byOrder.keys()]);
  const works = new Map<number, Work>(due.map((queue) => [queue.orderId, { queue, row: queue }]));
  await sideBySide([...byOrder], { atOnce: ORDERS_AT_ONCE }, async ([orderId, orderEvents]) => {
    const sequences = orderEvents.map(({ sequence }) => sequence);
    const row = rows.get(orderId);
    if (!row) {
      const queue = { orderId, sequences, tries: 0, dueAt: now().toISOString() };
      works.set(orderId, { queue, events: orderEvents });
      return;
    }
    const queue = withEvents(row, sequences);
    await turn.storeQueue(row, queue);
    if (works.has(orderId)) works.set(orderId, { queue, row: queue });
  });
  return [...works.values()];
}

/** Returns a page's events of the endpoint's types, without those that a killed run has finished. */
async function findUnfinished({ endpoint, run }: EndpointTurn, page: readonly FeedEvent[]): Promise<FeedEvent[]> {
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last) return [];
  const span = { from: first.sequence, until: last.sequence };
  const finished = await finishedSequences(run.deps.table, endpoint.id, span);
  const { eventTypes } = endpoint;
  return page.filter(
    ({ sequence, event }) => !finished.has(sequence) && (eventTypes === null || eventTypes.includes(event.type)),
  );
}

/** Sends a queue's events in order until one fails or the turn is over, and stores the rest. */
async function sendQueue(turn: EndpointTurn, { queue, row, events = [] }: Work): Promise<void> {
  let [current, stored] = [queue, row];
  for await (const event of row ? readEvents(turn, queue) : events) {
    if (turn.isAborted) return;
    if (turn.isOver) return void (await turn.storeQueue(stored, current));
    const tries = current.tries + 1;
    const dueAt = await turn.attempt(event, tries);
    if (dueAt !== undefined) return void (await turn.storeQueue(stored, { ...current, tries, dueAt }));
    const sequences = current.sequences.filter((sequence) => sequence > event.sequence);
    current = { ...current, sequences, tries: 0 };
    if (stored) stored = await turn.storeQueue(stored, current);
  }
  // The remaining events have expired.
  if (stored) await turn.storeQueue(stored, { ...current, sequences: [] });
}

async function* readEvents({ run, endpoint }: EndpointTurn, { sequences }: OrderQueue): AsyncGenerator<FeedEvent> {
  for (const batch of batches(sequences, EVENTS_AT_ONCE))
    yield* await getFeedEvents(run.deps.table, endpoint.clientId, batch);
}
