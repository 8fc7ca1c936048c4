import { signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import { localDate } from '../../../../shared/domain/working-day.ts';
import { linkTo } from '../routes.ts';
import { OrderStatusBadge, PaymentStatusBadge } from '../ui/badges.tsx';
import { Button } from '../ui/button.tsx';
import { formatAge, formatDay, formatMoney, timeZone } from '../ui/format.ts';
import { useShortcut } from '../ui/shortcuts.ts';
import { type Column, DataTable } from '../ui/table.tsx';
import { type QueueOrder, WAIT_TEXTS } from './queue-rows.ts';

/** True while the reader wants to go to the first order of what is searched, once that is drawn. */
export const isEntering = signal(false);

/** The order that the reader was at last; it stays while other views are looked at. */
const selectedOrder = signal<number | undefined>(undefined);

type QueueTableProps = {
  readonly caption: string;
  readonly orders: readonly QueueOrder[];
  /** The sentence in place of no orders. */
  readonly empty?: string;
  /** True while they are those of the search before. */
  readonly isFormer?: boolean;
};

// A longer table is slow to draw, and nobody reads to its end.
const MOST_ROWS = 100;

export function QueueTable({ orders, isFormer, ...table }: QueueTableProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? orders : orders.slice(0, MOST_ROWS);
  useRowKeys();
  useEntry(isFormer !== true && shown.length > 0);
  // The reader comes back to the row where they were.
  useLayoutEffect(() => {
    findLink(selectedOrder.peek())?.closest('tr')?.scrollIntoView({ block: 'nearest' });
  }, []);
  // The button goes away, so that the focus goes to the first order that it shows.
  useLayoutEffect(() => {
    if (isWhole) findLink(orders[MOST_ROWS]?.id)?.focus();
  }, [isWhole]);
  return (
    <div class="queue-orders">
      <DataTable
        {...table}
        columns={COLUMNS}
        rows={shown}
        rowKey={({ id }) => id}
        isCurrent={({ id }) => id === selectedOrder.value}
      />
      {shown.length < orders.length && <Button onClick={() => setWhole(true)}>{`Mostrar las ${orders.length}`}</Button>}
    </div>
  );
}

function useRowKeys(): void {
  const step = (by: 1 | -1) => {
    const links = [...document.querySelectorAll<HTMLElement>('[data-order]')];
    const at = links.findIndex(({ dataset }) => dataset.order === String(selectedOrder.value));
    // From an order that is not shown, -1, both steps lead to the first one.
    links[Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
  useShortcut('ArrowDown', 'Orden siguiente; Enter la abre', () => step(1));
  useShortcut('j', 'Orden siguiente; Enter la abre', () => step(1));
  useShortcut('ArrowUp', 'Orden anterior', () => step(-1));
  useShortcut('k', 'Orden anterior', () => step(-1));
}

/** Goes to the first order when the reader has gone down from the search that has found it. */
function useEntry(isFound: boolean): void {
  const isEntered = isFound && isEntering.value;
  useLayoutEffect(() => {
    if (!isEntered) return;
    isEntering.value = false;
    document.querySelector<HTMLElement>('[data-order]')?.focus();
  }, [isEntered]);
}

const findLink = (id: number | undefined): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-order="${id}"]`);

const drawLink = ({ id, folio }: QueueOrder) => (
  <a
    href={linkTo({ view: 'orders', id })}
    data-order={id}
    onFocus={() => {
      selectedOrder.value = id;
    }}
  >
    {folio}
  </a>
);

const drawWaits = ({ waits_for }: QueueOrder) => (
  <span class="waits">
    {waits_for.map((wait, index) => (
      <span key={wait} class={index === 0 ? 'next' : 'also'}>
        {index > 0 && ' · '}
        {WAIT_TEXTS[wait]}
      </span>
    ))}
  </span>
);

// An order of another day is due at once while it waits for somebody to approve it.
const isForToday = (dueAt: string): boolean =>
  localDate(new Date(dueAt), timeZone.value) <= localDate(new Date(), timeZone.value);

const drawDue = ({ due_at, waits_for }: QueueOrder) =>
  waits_for.length === 0 ? null : (
    <time dateTime={due_at} class={isForToday(due_at) ? 'is-due' : ''}>
      {formatDay(due_at)}
    </time>
  );

const COLUMNS: readonly Column<QueueOrder>[] = [
  { key: 'folio', title: 'Folio', isHeader: true, cell: drawLink },
  { key: 'waits', title: 'Espera', cell: drawWaits },
  { key: 'due', title: 'Para el', cell: drawDue },
  { key: 'age', title: 'Hace', align: 'end', cell: ({ age_minutes }) => formatAge(age_minutes) },
  { key: 'status', title: 'Estado', cell: ({ order_status }) => <OrderStatusBadge status={order_status} /> },
  { key: 'payment', title: 'Pago', cell: ({ payment_status }) => <PaymentStatusBadge status={payment_status} /> },
  { key: 'patient', title: 'Paciente', cell: ({ patient }) => patient },
  { key: 'total', title: 'Total', align: 'end', cell: ({ total }) => formatMoney(total) },
];
