import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type Query, useCommand } from '../call.ts';
import { navigate, route } from '../routes.ts';
import { announce } from '../ui/notice.tsx';
import { unseenCount } from '../view.tsx';
import { findArrived, joinQueue, type QueueOrder } from './queue-rows.ts';

export const MOST_OPEN = 5_000;
/** The refunds that it has at most; its first rows wait for them. */
export const MOST_REFUNDS = 200;
const OPEN = { limit: MOST_OPEN };
const REFUNDS = { refundDue: true, limit: MOST_REFUNDS };
/** The pause while the queue is looked at, and the one in which new orders are noticed from elsewhere. */
const SEEN_MS = 5_000;
const UNSEEN_MS = 60_000;

/** The orders and refunds that wait for somebody, what is due first at their head. */
type Waiting = {
  readonly orders: readonly QueueOrder[];
  readonly hasMoreOpen: boolean;
  readonly hasMoreRefunds: boolean;
};

export const waitingOrders = signal<Query<Waiting>>({
  document: undefined,
  former: undefined,
  error: undefined,
  isLoading: true,
  reload: async () => {},
});

/** The orders that have come since the queue was left, the newest last. */
export const arrivedOrders = signal<readonly QueueOrder[]>([]);

/** Draws nothing: reads the orders that wait again and again, whichever view is shown, and tells of those that come. */
export function WaitingOrders() {
  const isSeen = route.value.view === 'queue';
  const pauses = { everyMs: isSeen ? SEEN_MS : UNSEEN_MS, hiddenMs: UNSEEN_MS };
  const open = useCommand('orders-list', OPEN, pauses);
  const refunds = useCommand('orders-list', REFUNDS, pauses);
  const document = useMemo(() => {
    if (!open.document || !refunds.document) return undefined;
    const orders = joinQueue(open.document.orders, refunds.document.orders);
    return { orders, hasMoreOpen: open.document.has_more, hasMoreRefunds: refunds.document.has_more };
  }, [open.document, refunds.document]);
  const error = open.error ?? refunds.error;
  const isLoading = open.isLoading || refunds.isLoading;
  useLayoutEffect(() => {
    const reload = async () => void (await Promise.all([open.reload(), refunds.reload()]));
    waitingOrders.value = { document, former: undefined, error, isLoading, reload };
  }, [document, error, isLoading, open.reload, refunds.reload]);
  // Somebody who comes back to the queue has worked on an order of it.
  useEffect(() => {
    if (isSeen && document) void waitingOrders.peek().reload();
  }, [isSeen]);
  useArrivals(document?.orders);
  return null;
}

function useArrivals(orders: readonly QueueOrder[] | undefined): void {
  const before = useRef(orders);
  useEffect(() => {
    if (before.current && orders) tellArrived(findArrived(before.current, orders));
    before.current = orders;
  }, [orders]);
  useEffect(() => {
    const forget = () => {
      if (document.visibilityState === 'visible') unseenCount.value = 0;
    };
    document.addEventListener('visibilitychange', forget);
    return () => document.removeEventListener('visibilitychange', forget);
  }, []);
}

function tellArrived(arrived: readonly QueueOrder[]): void {
  const [first] = arrived;
  if (!first) return;
  arrivedOrders.value = [...arrivedOrders.peek(), ...arrived];
  if (route.peek().view === 'queue') {
    announce(arrived.length === 1 ? `Llegó una orden nueva: ${first.folio}.` : countText(arrived.length));
  }
  if (document.visibilityState === 'visible') return;
  unseenCount.value += arrived.length;
  notify(unseenCount.value);
}

const countText = (count: number): string =>
  count === 1 ? 'Llegó una orden nueva.' : `Llegaron ${count} órdenes nuevas.`;

/** True while the person was not asked yet whether the browser may notify them. */
export const canAskToNotify = signal('Notification' in window && Notification.permission === 'default');

export async function askToNotify(): Promise<void> {
  await Notification.requestPermission();
  canAskToNotify.value = Notification.permission === 'default';
}

/** Tells of new orders outside the page, if the person allows it: how many, and nothing of whose they are. */
function notify(count: number): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  const shown = new Notification('Botica', { body: countText(count), tag: 'arrivals', icon: '/icon.svg' });
  shown.onclick = () => {
    window.focus();
    navigate({ view: 'queue' });
    shown.close();
  };
}
