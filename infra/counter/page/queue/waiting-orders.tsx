import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { InputOf } from '../../server/counter-commands.ts';
import { address, linkToOrder, showView } from '../ui/address.ts';
import { announce, Button } from '../ui/controls.tsx';
import { isTabSeen, type Query, useQuery } from '../ui/server.ts';
import { unseenCount } from '../ui/view.tsx';
import { findArrived, isTab, type NewOrder, type Queue } from './queue-rows.ts';

const SEEN_MS = 5_000;
const UNSEEN_MS = 60_000;

/** Polls the chosen page of the queue in every view, and announces new orders, whatever is chosen. */
export function useWaitingOrders(): Query<Queue> {
  const { view, params } = address.value;
  const choice = useRef<InputOf<'orders-queue'>>({});
  // The parameters of other views are none of the queue's.
  if (view === 'queue') {
    const { show, store, page } = params;
    choice.current = { tab: isTab(show) ? show : undefined, store, page };
  }
  const everyMs = view === 'queue' ? SEEN_MS : UNSEEN_MS;
  const waiting = useQuery('orders-queue', choice.current, { everyMs, hiddenMs: UNSEEN_MS });
  const newest = waiting.document?.newest;
  const before = useRef(newest);
  useEffect(() => {
    if (before.current && newest) tellArrived(findArrived(before.current, newest));
    before.current = newest;
  }, [newest]);
  const isSeen = isTabSeen.value;
  useEffect(() => {
    if (isSeen) unseenCount.value = 0;
  }, [isSeen]);
  return waiting;
}

const arrivedOrders = signal<readonly NewOrder[]>([]);

function tellArrived(arrived: readonly NewOrder[]): void {
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
  const [isToAsk, setToAsk] = useState('Notification' in window && Notification.permission === 'default');
  const arrived = arrivedOrders.value;
  const latest = arrived.at(-1);
  const forget = () => {
    arrivedOrders.value = [];
  };
  useEffect(() => forget, []);
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
