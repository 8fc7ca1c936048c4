import { sideBySide } from '../../runtime/async.ts';
import { batches } from '../../store/table.ts';
import { type FeedEvent, getFeedEvents, readFeed } from '../feed.ts';
import { finishedSequences } from './deliveries.ts';
import { EndpointTurn, type Run } from './endpoint-turn.ts';
import { areQueuesDue, type EndpointKey } from './endpoints.ts';
import { Lease, LeaseLost } from './lease.ts';
import { getQueues, listQueues, type OrderQueue, withEvents } from './order-queues.ts';

const PAGE = 100;
const ORDERS_AT_ONCE = 16;
const EVENTS_AT_ONCE = 50;

/** Delivers an endpoint's new events and due queues. Does nothing while another run holds its lease. */
export async function deliverToEndpoint(key: EndpointKey, run: Run): Promise<void> {
  const leased = await Lease.take(run.deps.table, key, run.deps.now);
  if (!leased) return;
  const turn = new EndpointTurn(leased, run);
  try {
    await deliverPages(turn);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    turn.isAborted = true;
  }
  await turn.release();
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
