import { signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import { localDate } from '../../../../../shared/domain/working-day.ts';
import { linkTo } from '../routes.ts';
import { OrderStatusBadge, PaymentStatusBadge } from '../ui/badges.tsx';
import { Button } from '../ui/button.tsx';
import { formatAge, formatDay, formatMoney, timeZone } from '../ui/format.ts';
import { useShortcut } from '../ui/shortcuts.ts';
import { type Column, DataTable } from '../ui/table.tsx';
import { type QueueOrder, stepFrom, WAIT_TEXTS } from './queue-rows.ts';

/** The search whose first order the reader wants to go to, once its orders are drawn. */
export const enteredText = signal<string | undefined>(undefined);

/** The order that the reader was at last; it stays while other views are looked at. */
const selectedOrder = signal<number | undefined>(undefined);

type QueueTableProps = {
  /** The search that has found the orders; '' for the queue. */
  readonly text: string;
  readonly caption: string;
  readonly orders: readonly QueueOrder[];
};

// A longer table is slow to draw, and nobody reads to its end.
const MOST_ROWS = 100;

export function QueueTable({ text, caption, orders }: QueueTableProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? orders : orders.slice(0, MOST_ROWS);
  useRowKeys(shown);
  useSelectedInView();
  useEntry(text);
  // The button goes away, so that the focus goes to the first order that it shows.
  useLayoutEffect(() => {
    if (isWhole) findLink(orders[MOST_ROWS]?.id)?.focus();
  }, [isWhole]);
  if (orders.length === 0) return <p class="soft">No hay órdenes aquí.</p>;
  return (
    <div class="queue-orders">
      <DataTable
        caption={caption}
        columns={COLUMNS}
        rows={shown}
        rowKey={({ id }) => id}
        isCurrent={({ id }) => id === selectedOrder.value}
      />
      {shown.length < orders.length && <Button onClick={() => setWhole(true)}>{`Mostrar las ${orders.length}`}</Button>}
    </div>
  );
}

function useRowKeys(shown: readonly QueueOrder[]): void {
  const step = (by: 1 | -1) => {
    const next = stepFrom(shown, selectedOrder.value, by);
    if (next) findLink(next.id)?.focus();
  };
  useShortcut('ArrowDown', 'Orden siguiente; Enter la abre', () => step(1));
  useShortcut('j', 'Orden siguiente; Enter la abre', () => step(1));
  useShortcut('ArrowUp', 'Orden anterior', () => step(-1));
  useShortcut('k', 'Orden anterior', () => step(-1));
}

/** Goes to the first order when the reader has gone down from the search that has found it. */
function useEntry(text: string): void {
  const isEntered = enteredText.value === text;
  useLayoutEffect(() => {
    if (!isEntered) return;
    enteredText.value = undefined;
    document.querySelector<HTMLElement>('[data-order]')?.focus();
  }, [isEntered]);
}

/** Brings the selected row into view when the reader comes back to it. */
function useSelectedInView(): void {
  useLayoutEffect(() => {
    findLink(selectedOrder.peek())?.closest('tr')?.scrollIntoView({ block: 'nearest' });
  }, []);
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
  {
    key: 'status',
    title: 'Estado',
    cell: ({ order_status }) => <OrderStatusBadge status={order_status} />,
  },
  {
    key: 'payment',
    title: 'Pago',
    cell: ({ payment_status }) => <PaymentStatusBadge status={payment_status} />,
  },
  { key: 'patient', title: 'Paciente', cell: ({ patient }) => patient },
  { key: 'total', title: 'Total', align: 'end', cell: ({ total }) => formatMoney(total) },
];
