import type { PublicEvent } from '../../api/events/event.ts';
import type { OrderEventsQuery } from '../../api/events/events.ts';
import type { Position } from '../../api/lists.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Role } from '../../domain/role.ts';
import { listEvents } from '../../events/from-history.ts';
import { toViewer } from '../../store/orders/order.ts';
import { findOrder } from '../../store/orders/orders.ts';
import type { Table } from '../../store/table.ts';

type Asked = OrderEventsQuery & { readonly after?: Position };
type Asking = {
  readonly client: { readonly id: number };
  readonly user: { readonly id: number; readonly role: Role };
  readonly table: Table;
};

/** Returns a page of the events of an order, the oldest first. Throws Refusal `not_found` for an order of somebody else. */
export async function listOrderEvents(id: number, query: Asked, { client, user, table }: Asking) {
  const order = await findOrder(table, { clientId: client.id, id, viewer: toViewer(user) });
  if (!order) throw new Refusal('not_found');
  const events = listEvents(order, 0).filter(({ type }) => query.type?.includes(type) ?? true);
  const start = query.after ? findStart(events, query.after) : (query.page - 1) * query.limit;
  const results = events.slice(start, start + query.limit);
  const end = start + query.limit < events.length ? results.at(-1) : undefined;
  return { count: events.length, results, last: query.after && end && [end.id] };
}

// An order with a very long history may have lost the event by now, so that its place is told by its id.
function findStart(events: readonly PublicEvent[], [last]: Position): number {
  const behind = last === undefined ? 0 : events.findIndex(({ id }) => isLater(id, String(last)));
  return behind === -1 ? events.length : behind;
}

function isLater(id: string, other: string): boolean {
  const [[version = 0, place = 0], [otherVersion = 0, otherPlace = 0]] = [parsePlace(id), parsePlace(other)];
  return version > otherVersion || (version === otherVersion && place > otherPlace);
}

/** Returns the version and the place in it that the id of an event says. */
const parsePlace = (id: string): number[] => id.split('_').slice(2).map(Number);
