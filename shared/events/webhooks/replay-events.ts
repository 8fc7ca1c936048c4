import { randomBytes } from 'node:crypto';
import { replayLane } from '../../store/keys.ts';
import type { Table } from '../../store/table.ts';
import { type FeedEvent, readFeed } from '../feed.ts';
import { listDeliveries } from './deliveries.ts';
import { changeEndpoint, type Endpoint } from './endpoints.ts';
import { openLanes } from './lanes.ts';

/** The events to send once more: one by its id, those of a span of time, or all that were given up. */
export type Replay =
  | { readonly event: string }
  | { readonly from: Date; readonly to: Date }
  | { readonly givenUp: true };

const PAGE = 1_000;
const RANDOM_BYTES = 6;

/**
 * Lets an endpoint get events once more that it got, or did not get, before; those of one order in their order. Returns how
 * many they are; none of types that the endpoint does not want.
 */
export async function replayEvents(table: Table, endpoint: Endpoint, replay: Replay, now: Date): Promise<number> {
  const events = (await findEvents(table, endpoint, replay)).filter(
    ({ event }) => !endpoint.eventTypes || endpoint.eventTypes.includes(event.type),
  );
  if (events.length === 0) return 0;
  const name = randomBytes(RANDOM_BYTES).toString('hex');
  const dueAt = now.toISOString();
  const lanes = [...Map.groupBy(events, ({ event }) => event.order.id)].map(([order, own]) => ({
    name: replayLane(name, order),
    sequences: own.map(({ sequence }) => sequence),
    tries: 0,
  }));
  await openLanes(table, endpoint.id, lanes, dueAt);
  await changeEndpoint(table, endpoint, { dueAt, ...('givenUp' in replay && { lastGivenUpAt: null }) });
  return events.length;
}

async function findEvents(table: Table, endpoint: Endpoint, replay: Replay): Promise<FeedEvent[]> {
  const isWanted = 'givenUp' in replay ? await givenUpEvents(table, endpoint) : matcher(replay);
  const found: FeedEvent[] = [];
  for (let after = 0; after < endpoint.position; ) {
    const page = await readFeed(table, { clientId: endpoint.clientId, after, limit: PAGE });
    found.push(...page.filter((event) => event.sequence <= endpoint.position && isWanted(event)));
    after = page.at(-1)?.sequence ?? endpoint.position;
  }
  return found;
}

type Matcher = (event: FeedEvent) => boolean;

function matcher(replay: Exclude<Replay, { givenUp: true }>): Matcher {
  if ('event' in replay) return ({ event }) => event.id === replay.event;
  const [from, to] = [replay.from.toISOString(), replay.to.toISOString()];
  return ({ event }) => event.time >= from && event.time < to;
}

async function givenUpEvents(table: Table, { id }: Endpoint): Promise<Matcher> {
  const rows = await listDeliveries(table, id, { status: 'given_up', limit: Number.POSITIVE_INFINITY });
  const sequences = new Set(rows.map(({ sequence }) => sequence));
  return ({ sequence }) => sequences.has(sequence);
}
