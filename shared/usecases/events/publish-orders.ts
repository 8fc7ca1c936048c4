import { unavailable } from '../../domain/refusal.ts';
import { listEvents } from '../../events/from-history.ts';
import { retry } from '../../runtime/async.ts';
import { type FeedAddition, type FeedEnd, feedWrites, readFeedEnd } from '../../store/events/feed.ts';
import type { WrittenOrder } from '../../store/events/stream-record.ts';
import { BATCH, type Table } from '../../store/table.ts';

export type Publishing = { readonly table: Table; readonly now: Date };

// Another publisher that adds to the same feed makes the end that was read outdated; each time, one of them is through.
const PATIENCE = { tries: 20, longestPauseMs: 200 };

/**
 * Adds the events of orders of one client to its feed, in the order in which they are given, except those that were told
 * before. Returns how many were added. Throws Refusal `unavailable` when the feed cannot be reached or does not stand still.
 */
export async function publishOrders(written: readonly WrittenOrder[], { table, now }: Publishing): Promise<number> {
  const clientId = written[0]?.order.clientId;
  if (clientId === undefined) return 0;
  const ids = [...new Set(written.map(({ order }) => order.id))];
  let end: FeedEnd | undefined;
  const addNext = async (): Promise<number | undefined> => {
    end ??= await readFeedEnd(table, clientId, ids);
    const addition = nextAddition(clientId, written, { end, now });
    if (addition.events.length === 0) return 0;
    const isAdded = await table.tryTransact(feedWrites(addition, end, now));
    end = isAdded ? advance(end, addition) : undefined;
    return isAdded ? addition.events.length : undefined;
  };
  for (let all = 0; ; ) {
    const added = await retry(PATIENCE, addNext);
    if (added === undefined) throw unavailable();
    if (added === 0) return all;
    all += added;
  }
}

const advance = (end: FeedEnd, { events, told }: FeedAddition): FeedEnd => ({
  last: end.last + events.length,
  told: new Map([...end.told, ...told]),
});

/** Returns as many of the events that are not told yet as one transaction takes beside the counter of the feed. */
function nextAddition(
  clientId: number,
  written: readonly WrittenOrder[],
  { end, now }: { end: FeedEnd; now: Date },
): FeedAddition {
  const events: FeedAddition['events'][number][] = [];
  const told = new Map<number, number>();
  for (const version of written) {
    const { order } = version;
    const news = listEvents(order, told.get(order.id) ?? end.told.get(order.id) ?? firstUntold(version, now));
    if (news.length === 0) continue;
    if (1 + events.length + news.length + new Set([...told.keys(), order.id]).size > BATCH) break;
    events.push(...news);
    told.set(order.id, order.version);
  }
  return { clientId, events, told };
}

const RECENT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Returns up to which version an order counts as told of which the feed does not know that. Nothing of a recent order was
 * told, else the feed would know it; what was told of an older one may have expired, so that it begins with this version.
 */
function firstUntold({ order, before }: WrittenOrder, now: Date): number {
  const ageMs = now.getTime() - Date.parse(order.createdAt);
  return ageMs < RECENT_DAYS * DAY_MS ? 0 : before;
}
