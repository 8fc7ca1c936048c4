import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { linkTo } from '../routes.ts';
import { translate } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { formatAge, formatDay, formatMoney } from '../ui/format.ts';
import { useShortcut } from '../ui/shortcuts.ts';
import { OrderStatusBadge, PaymentStatusBadge } from '../ui/statuses.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { type QueueOrder, stepFrom } from './queue-rows.ts';
import { enteredText, selectedOrder } from './queue-state.ts';
import { QUEUE_TEXTS } from './texts.ts';
import { WAIT_TEXTS } from './wait-texts.ts';

type QueueTableProps = {
  /** The search that has found the orders; '' for the queue. */
  readonly text: string;
  readonly caption: string;
  readonly orders: readonly QueueOrder[];
};

// A longer table is slow to draw, and nobody reads to its end.
const MOST_ROWS = 100;
// As many as a tall screen shows; the others are drawn when these are seen.
const FIRST_ROWS = 40;

/** Orders to go through by keyboard: the selected row holds the focus, whatever rows come and go. */
export function QueueTable({ text, caption, orders }: QueueTableProps) {
  const { most, showAll } = useMostRows();
  const shown = orders.slice(0, most);
  useRowKeys(shown);
  const { keepFocus } = useKeptFocus(shown);
  useSelectedInView();
  useEntry(text);
  const goOn = () => {
    // The button goes away, so that the focus goes to the first order that it shows.
    selectedOrder.value = orders[most]?.id;
    keepFocus();
    showAll();
  };
  if (orders.length === 0) return <p class="soft">{translate(QUEUE_TEXTS.isNone)}</p>;
  return (
    <div class="queue-orders">
      <DataTable
        caption={caption}
        columns={listColumns()}
        rows={shown}
        rowKey={({ id }) => id}
        isCurrent={({ id }) => id === selectedOrder.value}
      />
      {orders.length > Math.max(most, MOST_ROWS) && (
        <Button onClick={goOn}>{translate(QUEUE_TEXTS.showAll, { count: orders.length })}</Button>
      )}
    </div>
  );
}

/** Returns how many rows are drawn. A reader who comes back to an order needs its row at once. */
function useMostRows() {
  const [most, setMost] = useState(() => (selectedOrder.peek() === undefined ? FIRST_ROWS : MOST_ROWS));
  useEffect(() => setMost((before) => Math.max(before, MOST_ROWS)), []);
  return { most, showAll: () => setMost(Number.POSITIVE_INFINITY) };
}

function useRowKeys(shown: readonly QueueOrder[]): void {
  const step = (by: 1 | -1) => {
    const next = stepFrom(shown, selectedOrder.value, by);
    if (next) findLink(next.id)?.focus();
  };
  useShortcut('ArrowDown', QUEUE_TEXTS.nextRow, () => step(1));
  useShortcut('j', QUEUE_TEXTS.nextRow, () => step(1));
  useShortcut('ArrowUp', QUEUE_TEXTS.previousRow, () => step(-1));
  useShortcut('k', QUEUE_TEXTS.previousRow, () => step(-1));
}

/** Gives the focus back to the selected row if it was there, and a refresh has moved the row. */
function useKeptFocus(shown: readonly QueueOrder[]) {
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    const link = selectedOrder.peek() === undefined ? null : findLink(Number(selectedOrder.peek()));
    if (hadFocus.current && document.activeElement === document.body) link?.focus({ preventScroll: true });
    hadFocus.current = link !== null && document.activeElement === link;
  });
  useLayoutEffect(() => {
    const remember = () => {
      hadFocus.current = document.activeElement?.matches('[data-order]') ?? false;
    };
    document.addEventListener('focusin', remember);
    return () => document.removeEventListener('focusin', remember);
  }, [shown]);
  const keepFocus = () => {
    hadFocus.current = true;
  };
  return { keepFocus };
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
    findLink(Number(selectedOrder.peek()))?.closest('tr')?.scrollIntoView({ block: 'nearest' });
  }, []);
}

const findLink = (id: number): HTMLElement | null => document.querySelector<HTMLElement>(`[data-order="${id}"]`);

const listColumns = (): Column<QueueOrder>[] => [
  { key: 'folio', title: translate(QUEUE_TEXTS.folio), isHeader: true, cell: drawLink },
  { key: 'waits', title: translate(QUEUE_TEXTS.waits), cell: drawWaits },
  { key: 'due', title: translate(QUEUE_TEXTS.due), cell: drawDue },
  { key: 'age', title: translate(QUEUE_TEXTS.age), align: 'end', cell: ({ age_minutes }) => formatAge(age_minutes) },
  {
    key: 'status',
    title: translate(QUEUE_TEXTS.status),
    cell: ({ order_status }) => <OrderStatusBadge status={order_status} />,
  },
  {
    key: 'payment',
    title: translate(QUEUE_TEXTS.payment),
    cell: ({ payment_status }) => <PaymentStatusBadge status={payment_status} />,
  },
  { key: 'patient', title: translate(QUEUE_TEXTS.patient), cell: ({ patient }) => patient },
  { key: 'total', title: translate(QUEUE_TEXTS.total), align: 'end', cell: ({ total }) => formatMoney(total) },
];

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
        {translate(WAIT_TEXTS[wait])}
      </span>
    ))}
  </span>
);

const drawDue = ({ due_at, is_due, waits_for }: QueueOrder) =>
  waits_for.length === 0 ? null : (
    <time dateTime={due_at} class={is_due ? 'is-due' : ''}>
      {formatDay(due_at)}
    </time>
  );
