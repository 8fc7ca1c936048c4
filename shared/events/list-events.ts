import type { EventsQuery, OrderEventsQuery, PublicEvent } from '../api/events/events.ts';
import type { Position } from '../api/lists.ts';
import { Refusal } from '../domain/refusal.ts';
import { seesShipping } from '../order/answers/parts.ts';
import { toViewer } from '../order/order.ts';
import { findOrderEvents } from '../order/orders.ts';
import type { Role } from '../people/rules/roles.ts';
import type { Table } from '../store/table.ts';
import { type FeedEvent, lastSequence, readFeed } from './feed.ts';
import { toPublicEvent } from './public-event.ts';

type FeedReader = {
  readonly client: { readonly id: number };
  readonly user: { readonly role: Role };
  readonly table: Table;
};
type EventsPage = { readonly results: readonly PublicEvent[]; readonly last: number | undefined };

// A reader of few types skips the others, up to this many per request.
const MOST_READ = 1_000;
const READ_AT_ONCE = 100;

/**
 * Returns a client's events after a number (undefined: from the oldest) and the number of the last one read. Throws Refusal
 * `not_found` unless the user may see all orders of the client, and `invalid_input` if later events are no longer kept.
 */
export async function followEvents(
  after: number | undefined,
  query: EventsQuery,
  { client, user, table }: FeedReader,
): Promise<EventsPage> {
  if (user.role !== 'insurance_employee') throw new Refusal('not_found');
  const isWanted = ({ event }: FeedEvent) => query.type?.includes(event.type) ?? true;
  const limit = query.type ? READ_AT_ONCE : query.limit;
  const results: PublicEvent[] = [];
  let last = after;
  for (let read = 0; read < MOST_READ; read += limit) {
    const events = await readKept(table, client.id, { after: last, limit });
    const matches = events.filter(isWanted).slice(0, query.limit - results.length);
    results.push(...matches.map(({ event }) => event));
    const isFull = results.length === query.limit;
    last = (isFull ? matches : events).at(-1)?.sequence ?? last;
    if (isFull || events.length < limit) break;
  }
  return { results, last };
}

type Reading = { readonly after: number | undefined; readonly limit: number };

/** Returns the events after a number, up to the first expired one. */
async function readKept(table: Table, clientId: number, { after, limit }: Reading): Promise<FeedEvent[]> {
  const events = await readFeed(table, { clientId, after: after ?? 0, limit });
  if (after === undefined) return withoutBeginning(events);
  const end = events.findIndex(({ sequence }, index) => sequence !== after + 1 + index);
  if (end === 0 || (events.length === 0 && (await areAllExpired(table, clientId, after)))) {
    throw new Refusal('invalid_input', { errors: [{ path: ['cursor'], code: 'cursor_expired' }] });
  }
  return end === -1 ? events : events.slice(0, end);
}

/** Returns the events after the last gap: DynamoDB removes expired items in no particular order. */
function withoutBeginning(events: FeedEvent[]): FeedEvent[] {
  const ahead = (events.at(-1)?.sequence ?? 0) - events.length;
  return events.slice(events.findLastIndex(({ sequence }, index) => sequence !== ahead + index + 1) + 1);
}

/** True if the feed has had events after a number and none of them is kept. */
async function areAllExpired(table: Table, clientId: number, after: number): Promise<boolean> {
  if ((await lastSequence(table, clientId)) <= after) return false;
  // They may be newer than the first read.
  return (await readFeed(table, { clientId, after, limit: 1 })).length === 0;
}

type PageRequest = OrderEventsQuery & { readonly after?: Position };
type OrderReader = {
  readonly client: { readonly id: number };
  readonly user: { readonly id: number; readonly role: Role };
  readonly table: Table;
};

/** Returns a page of an order's events, oldest first. Throws Refusal `not_found` for another user's order. */
export async function listOrderEvents(id: number, query: PageRequest, { client, user, table }: OrderReader) {
  const orderEvents = await findOrderEvents(table, { clientId: client.id, id, viewer: toViewer(user) });
  if (!orderEvents) throw new Refusal('not_found');
  // A tracking number leads to the address.
  const isShipmentShown = seesShipping(orderEvents.order, user);
  const published = orderEvents.events
    .flatMap((event) => toPublicEvent(event) ?? [])
    .map((event) => (isShipmentShown ? event : { ...event, shipment: null }));
  const events = published.filter(({ type }) => query.type?.includes(type) ?? true);
  const start = query.after ? findStart(events, query.after) : (query.page - 1) * query.limit;
  const results = events.slice(start, start + query.limit);
  const end = start + query.limit < events.length ? results.at(-1) : undefined;
  return { count: events.length, results, last: query.after && end && [end.id] };
}

// The last event itself may have expired, so its place is computed from its id.
function findStart(events: readonly PublicEvent[], [last]: Position): number {
  const behind = last === undefined ? 0 : events.findIndex(({ id }) => isLater(id, String(last)));
  return behind === -1 ? events.length : behind;
}

function isLater(id: string, other: string): boolean {
  const [[version = 0, place = 0], [otherVersion = 0, otherPlace = 0]] = [parseEventPlace(id), parseEventPlace(other)];
  return version > otherVersion || (version === otherVersion && place > otherPlace);
}

const parseEventPlace = (id: string): number[] => id.split('_').slice(2).map(Number);
