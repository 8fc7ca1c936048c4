import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { localDate } from '../../../../shared/domain/working-day.ts';
import { address, choose, follow, linkToNextStep, linkToOrder } from '../ui/address.ts';
import { Badge } from '../ui/controls.tsx';
import { formatAge, formatDay, formatMoney, timeZone } from '../ui/format.ts';
import { useShortcut } from '../ui/keys.ts';
import { ORDER, PAYMENT, WAITS } from '../ui/statuses.ts';
import { type Column, DataTable } from '../ui/view.tsx';
import type { QueueOrder } from './queue-rows.ts';

/** True from the down arrow in the search box, or the turning of a page, until the first order shown has the focus. */
export const isEntering = signal(false);

type QueueTableProps = {
  readonly caption: string;
  readonly orders: readonly QueueOrder[];
  readonly empty?: string;
  readonly isFormer: boolean;
};

export function QueueTable({ orders, isFormer, ...table }: QueueTableProps) {
  const { selected } = address.value.params;
  useRowKeys(selected);
  useEntry(!isFormer && orders.length > 0);
  useLayoutEffect(() => {
    findLink(selected)?.closest('tr')?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div class="queue stack">
      <DataTable
        {...table}
        columns={COLUMNS}
        rows={orders}
        rowKey={({ id }) => id}
        isCurrent={({ id }) => String(id) === selected}
        isOpening
      />
    </div>
  );
}

function useRowKeys(selected: string | undefined): void {
  const step = (by: 1 | -1) => {
    const links = [...document.querySelectorAll<HTMLElement>('[data-order]')];
    const at = links.findIndex(({ dataset }) => dataset.order === selected);
    // From an order that is not shown, -1, both steps lead to the first one.
    links[Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
  useShortcut('ArrowDown', 'Orden siguiente; Enter la abre', () => step(1));
  useShortcut('j', 'Orden siguiente; Enter la abre', () => step(1));
  useShortcut('ArrowUp', 'Orden anterior', () => step(-1));
  useShortcut('k', 'Orden anterior', () => step(-1));
  useShortcut('g', 'Dar el paso siguiente de la orden', () => {
    if (findLink(selected)) follow(linkToNextStep(Number(selected)));
  });
}

function useEntry(isReady: boolean): void {
  const isEntered = isReady && isEntering.value;
  useLayoutEffect(() => {
    if (!isEntered) return;
    isEntering.value = false;
    document.querySelector<HTMLElement>('[data-order]')?.focus();
  }, [isEntered]);
}

const findLink = (id: string | undefined): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-order="${id}"]`);

// An order of another day is due at once while it waits for somebody to approve it.
const isForToday = (dueAt: string): boolean =>
  localDate(new Date(dueAt), timeZone.value) <= localDate(new Date(), timeZone.value);

const COLUMNS: readonly Column<QueueOrder>[] = [
  {
    title: 'Folio',
    isHeader: true,
    cell: ({ id, folio }) => (
      <a href={linkToOrder(id)} data-order={id} onFocus={() => choose({ selected: String(id) })}>
        {folio}
      </a>
    ),
  },
  {
    class: 'waits',
    title: 'Espera',
    cell: ({ waits_for: [next, ...others] }) =>
      next && (
        <span>
          <strong>{WAITS[next]}</strong>
          <span class="soft">{others.map((wait) => ` · ${WAITS[wait]}`)}</span>
        </span>
      ),
  },
  {
    class: 'due',
    title: 'Para el',
    cell: ({ due_at, waits_for }) =>
      waits_for.length > 0 && (
        <time dateTime={due_at} class={isForToday(due_at) ? 'is-due' : ''}>
          {formatDay(due_at)}
        </time>
      ),
  },
  { class: 'age end', title: 'Hace', cell: ({ age_minutes }) => formatAge(age_minutes) },
  { title: 'Estado', cell: ({ order_status }) => <Badge {...ORDER[order_status]} /> },
  { title: 'Pago', cell: ({ payment_status }) => <Badge {...PAYMENT[payment_status]} /> },
  {
    title: 'Paciente',
    cell: ({ patient, condition, comment, note }) => (
      <span class="row">
        {patient}
        {condition && <Badge tone="danger" text="Alergia o padecimiento" />}
        {comment && <Badge tone="info" text="Comentario" />}
        {note && <Badge tone="info" text="Nota" />}
      </span>
    ),
  },
  { title: 'Total', class: 'end', cell: ({ total }) => formatMoney(total) },
  { class: 'whole', title: 'Recoge en', cell: ({ store }) => store?.name },
];
