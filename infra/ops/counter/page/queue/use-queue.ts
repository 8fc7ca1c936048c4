import { useEffect, useMemo, useRef } from 'preact/hooks';
import { translate } from '../text.ts';
import { announce } from '../ui/live-region.tsx';
import { runAhead, useCommand } from '../ui/use-command.ts';
import { findArrived, joinQueue, type QueueOrder } from './queue-rows.ts';
import { arrivedOrders, searchedText } from './queue-state.ts';
import { QUEUE_TEXTS } from './texts.ts';

/** The open orders that the queue shows at most. */
export const MOST_OPEN = 5_000;
/** The refunds that it shows at most; its first rows wait for them. */
export const MOST_REFUNDS = 200;
const OPEN = { limit: MOST_OPEN };
const REFUNDS = { refundDue: true, limit: MOST_REFUNDS };
const REFRESH_MS = 5_000;

/** Asks for the queue that is about to be drawn, unless a search is drawn in its place. */
export function askQueueAhead(): void {
  if (searchedText.peek() !== '') return;
  runAhead('orders-list', OPEN);
  runAhead('orders-list', REFUNDS);
}

/** Reads the queue, again and again while the tab is looked at, and tells of the orders that come. */
export function useQueue() {
  const open = useCommand('orders-list', OPEN, { everyMs: REFRESH_MS });
  const refunds = useCommand('orders-list', REFUNDS, { everyMs: REFRESH_MS });
  const isLoaded = open.document !== undefined && refunds.document !== undefined;
  const queue = useMemo(
    () => (open.document && refunds.document ? joinQueue(open.document.orders, refunds.document.orders) : []),
    [open.document, refunds.document],
  );
  useArrivals(isLoaded ? queue : undefined);
  return {
    queue,
    isLoaded,
    hasMoreOpen: open.document?.has_more ?? false,
    hasMoreRefunds: refunds.document?.has_more ?? false,
    error: open.error ?? refunds.error,
  };
}

function useArrivals(queue: readonly QueueOrder[] | undefined): void {
  const before = useRef(queue);
  useEffect(() => {
    if (before.current && queue) tellArrived(findArrived(before.current, queue));
    before.current = queue;
  }, [queue]);
  useEffect(() => forgetArrived, []);
}

function forgetArrived(): void {
  arrivedOrders.value = [];
}

function tellArrived(arrived: readonly QueueOrder[]): void {
  const [first, another] = arrived;
  if (first) arrivedOrders.value = [...arrivedOrders.peek(), ...arrived];
  if (another) announce(translate(QUEUE_TEXTS.arrivedMany, { count: arrived.length }));
  else if (first) announce(translate(QUEUE_TEXTS.arrivedOne, { folio: first.folio }));
}
