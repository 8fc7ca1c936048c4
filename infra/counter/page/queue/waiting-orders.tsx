import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { address, linkToOrder, showView } from '../ui/address.ts';
import { announce } from '../ui/announce.tsx';
import { Button } from '../ui/controls.tsx';
import { isTabSeen, type Query, useQuery } from '../ui/server.ts';
import { unseenCount } from '../ui/view.tsx';
import { findArrived, joinQueue, type QueueOrder } from './queue-rows.ts';

const MOST_OPEN = 5_000;
const MOST_REFUNDS = 200;
const SEEN_MS = 5_000;
const UNSEEN_MS = 60_000;

export const MORE_MEANING = `Hay más: aquí están hasta ${MOST_OPEN} órdenes abiertas y hasta ${MOST_REFUNDS} reembolsos, los más antiguos.`;

export type Waiting = { readonly orders: readonly QueueOrder[]; readonly hasMore: boolean };

/** Polls the waiting orders in every view, and announces new ones. */
export function useWaitingOrders(): Query<Waiting> {
  const pauses = { everyMs: address.value.view === 'queue' ? SEEN_MS : UNSEEN_MS, hiddenMs: UNSEEN_MS };
  const open = useQuery('orders-list', { limit: MOST_OPEN }, pauses);
  const refunds = useQuery('orders-list', { refundDue: true, limit: MOST_REFUNDS }, pauses);
  const waiting = useMemo(() => {
    if (!open.document || !refunds.document) return undefined;
    const orders = joinQueue(open.document.orders, refunds.document.orders);
    return { orders, hasMore: open.document.has_more || refunds.document.has_more };
  }, [open.document, refunds.document]);
  useArrivals(waiting?.orders);
  const reload = async () => void (await Promise.all([open.reload(), refunds.reload()]));
  return { ...open, document: waiting, error: open.error ?? refunds.error, reload };
}

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
  if (arrived.length === 0) return;
  arrivedOrders.value = [...arrivedOrders.peek(), ...arrived];
  if (address.peek().view === 'queue') announce(`${countText(arrived.length)} ${arrived.at(-1)?.folio}`);
  if (isTabSeen.peek()) return;
  unseenCount.value += arrived.length;
  notify(unseenCount.value);
}

const countText = (count: number): string =>
  count === 1 ? 'Llegó una orden nueva.' : `Llegaron ${count} órdenes nuevas.`;

function notify(count: number): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  const shown = new Notification('Botica', { body: countText(count), tag: 'arrivals', icon: '/icon.svg' });
  shown.onclick = () => {
    window.focus();
    showView('queue');
    shown.close();
  };
}

/** Shows the orders that arrived since the reader last left the queue, in reserved space, so that no row moves under the pointer. */
export function Arrivals() {
  // True until the person has been asked for permission to notify.
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
          <a href={linkToOrder(latest.id)}>{latest.folio}</a>
        </p>
      )}
      {isToAsk && <Button onClick={() => void ask()}>Avisarme de las nuevas</Button>}
    </div>
  );
}
