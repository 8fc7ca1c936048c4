import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { translate } from '../text.ts';
import { announce } from '../ui/live-region.tsx';
import { useCommand } from '../ui/use-command.ts';
import { findArrived, joinQueue, type QueueOrder } from './queue-rows.ts';
import { QUEUE_TEXTS } from './texts.ts';

/** The open orders that the queue shows at most. */
export const MOST_OPEN = 5_000;
// A long queue opens with its oldest orders, which are those that are due, and has the others a moment later.
const FIRST_OPEN = 100;
const MOST_REFUNDS = 200;
const REFRESH_MS = 5_000;
// Each refresh reads every open order, so that a long queue is read less often: never more than some 50 orders a second.
const LONG_QUEUE = 250;
const LONG_REFRESH_MS = 30_000;

/** Reads the queue, again and again while the tab is looked at, and announces the orders that come. */
export function useQueue() {
  const pause = useRef(REFRESH_MS);
  const [limit, setLimit] = useState(FIRST_OPEN);
  const open = useCommand('orders-list', { limit }, { everyMs: pause.current });
  const refunds = useCommand('orders-list', { refundDue: true, limit: MOST_REFUNDS }, { everyMs: LONG_REFRESH_MS });
  const { orders: oldest = [], has_more: hasMore = false } = open.document ?? {};
  useEffect(() => {
    if (hasMore) setLimit(MOST_OPEN);
  }, [hasMore]);
  const isCut = oldest.length >= MOST_OPEN && hasMore;
  const queue = useMemo(
    () => joinQueue(open.document?.orders ?? [], refunds.document?.orders ?? []),
    [open.document, refunds.document],
  );
  pause.current = queue.length > LONG_QUEUE ? LONG_REFRESH_MS : REFRESH_MS;
  const isWhole = refunds.document !== undefined && (isCut || !hasMore);
  useArrivals(open.document && isWhole ? queue : undefined);
  // Refunds may come a moment later, unless they alone tell whether anything is due.
  const isLoaded =
    open.document !== undefined && (refunds.document !== undefined || oldest.some(({ is_due }) => is_due));
  return { queue, isLoaded, isCut, error: open.error ?? refunds.error };
}

function useArrivals(queue: readonly QueueOrder[] | undefined): void {
  const before = useRef(queue);
  useEffect(() => {
    if (before.current && queue) tellArrived(findArrived(before.current, queue));
    before.current = queue;
  }, [queue]);
}

function tellArrived(arrived: readonly QueueOrder[]): void {
  const [first, another] = arrived;
  if (another) announce(translate(QUEUE_TEXTS.arrivedMany, { count: arrived.length }));
  else if (first) announce(translate(QUEUE_TEXTS.arrivedOne, { folio: first.folio }));
}
