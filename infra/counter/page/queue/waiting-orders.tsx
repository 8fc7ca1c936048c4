import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isTabSeen, type Query, useCommand } from '../call.ts';
import { linkTo, navigate, route } from '../routes.ts';
import { Button } from '../ui/button.tsx';
import { announce } from '../ui/notice.tsx';
import { unseenCount } from '../view.tsx';
import { findArrived, joinQueue, type QueueOrder } from './queue-rows.ts';

const MOST_OPEN = 5_000;
/** The refunds that it has at most; its first rows wait for them. */
const MOST_REFUNDS = 200;
/** The pause while the queue is looked at, and the one in which new orders are noticed from elsewhere. */
const SEEN_MS = 5_000;
const UNSEEN_MS = 60_000;

export const MORE_MEANING = `Hay más: aquí están hasta ${MOST_OPEN} órdenes abiertas y hasta ${MOST_REFUNDS} reembolsos, los más antiguos.`;

/** The orders and refunds that wait for somebody, what is due first at their head. */
export type Waiting = { readonly orders: readonly QueueOrder[]; readonly hasMore: boolean };

/** Reads the orders that wait again and again, whichever view is shown, and tells of those that come. */
export function useWaitingOrders(): Query<Waiting> {
  const pauses = { everyMs: route.value.view === 'queue' ? SEEN_MS : UNSEEN_MS, hiddenMs: UNSEEN_MS };
  const open = useCommand('orders-list', { limit: MOST_OPEN }, pauses);
  const refunds = useCommand('orders-list', { refundDue: true, limit: MOST_REFUNDS }, pauses);
  const waiting = useMemo(() => {
    if (!open.document || !refunds.document) return undefined;
    const orders = joinQueue(open.document.orders, refunds.document.orders);
    return { orders, hasMore: open.document.has_more || refunds.document.has_more };
  }, [open.document, refunds.document]);
  useArrivals(waiting?.orders);
  const reload = async () => void (await Promise.all([open.reload(), refunds.reload()]));
  return { ...open, document: waiting, error: open.error ?? refunds.error, reload };
}

/** The orders that have come since the queue was left, the newest last. */
const arrivedOrders = signal<readonly QueueOrder[]>([]);

function useArrivals(orders: readonly QueueOrder[] | undefined): void {
  const before = useRef(orders);
  useEffect(() => {
    if (before.current && orders) tellArrived(findArrived(before.current, orders));
    before.current = orders;
  }, [orders]);
  const isSeen = isTabSeen.value;
  useEffect(() => {
    if (isSeen) unseenCount.value = 0;
  }, [isSeen]);
}

function tellArrived(arrived: readonly QueueOrder[]): void {
  const [first] = arrived;
  if (!first) return;
  arrivedOrders.value = [...arrivedOrders.peek(), ...arrived];
  if (route.peek().view === 'queue') {
    announce(arrived.length === 1 ? `Llegó una orden nueva: ${first.folio}.` : countText(arrived.length));
  }
  if (isTabSeen.peek()) return;
  unseenCount.value += arrived.length;
  notify(unseenCount.value);
}

const countText = (count: number): string =>
  count === 1 ? 'Llegó una orden nueva.' : `Llegaron ${count} órdenes nuevas.`;

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

/** Shows what has come since the queue was left, in a place that is kept for it, so that no row moves below the pointer. */
export function Arrivals() {
  // True while the person was not asked yet whether the browser may notify them.
  const [isToAsk, setToAsk] = useState('Notification' in window && Notification.permission === 'default');
  const arrived = arrivedOrders.value;
  const latest = arrived.at(-1);
  useEffect(
    () => () => {
      arrivedOrders.value = [];
    },
    [],
  );
  const ask = async () => setToAsk((await Notification.requestPermission()) === 'default');
  return (
    <div class="arrivals">
      {latest && (
        <p>
          {arrived.length === 1 ? 'Llegó' : `Llegaron ${arrived.length}; la última:`}{' '}
          <a href={linkTo({ view: 'orders', id: latest.id })}>{latest.folio}</a>
        </p>
      )}
      {isToAsk && <Button onClick={() => void ask()}>Avisarme de las nuevas</Button>}
    </div>
  );
}
