import './queue.css';
import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DocumentOf } from '../../server/counter-commands.ts';
import { type Query, useCommand } from '../call.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useShortcut } from '../ui/shortcuts.ts';
import { Toggles } from '../ui/toggles.tsx';
import { focusHeading, View } from '../view.tsx';
import { ALL, DUE, FILTERS, type QueueFilter, type QueueOrder } from './queue-rows.ts';
import { isEntering, QueueTable } from './queue-table.tsx';
import { Arrivals, MORE_MEANING, type Waiting } from './waiting-orders.tsx';

const MOST_FOUND = 100;

// They stay while other views are looked at.
/** The content of the search box. */
const writtenText = signal('');
/** The search whose orders are shown in place of the queue; '' for the queue. */
const searchedText = signal('');
/** The filter that the reader has chosen. */
const chosenFilter = signal<QueueFilter | undefined>(undefined);

function leaveSearch(): void {
  writtenText.value = '';
  searchedText.value = '';
  focusHeading();
}

const DUE_MEANING =
  'Para hoy: lo que se entrega hoy o debió entregarse antes, y lo que espera verificación o aprobación, aunque sea para otro día.';

/** Shows the orders that wait for somebody, those due now first, or the orders that a search has found. */
export function QueueView({ waiting }: { readonly waiting: Query<Waiting> }) {
  const text = searchedText.value;
  const found = useCommand('orders-search', text === '' ? undefined : { text, limit: MOST_FOUND });
  const filter = useFilter(waiting.document?.orders);
  // Somebody who comes back to the queue has worked on an order of it.
  useEffect(() => {
    if (waiting.document) void waiting.reload();
  }, []);
  const shown = {
    title: 'Órdenes',
    tools: (
      <>
        <Arrivals />
        <SearchBox />
      </>
    ),
  };
  // Both are one view, whose heading and box stay as they are.
  return text === '' ? (
    <View
      {...shown}
      query={waiting}
      choice={
        <Toggles
          legend="Mostrar"
          options={countFilters(waiting.document?.orders ?? [], filter)}
          value={filter}
          onChange={(chosen) => {
            chosenFilter.value = chosen;
          }}
        />
      }
    >
      {({ orders, hasMore }) => (
        <>
          {hasMore && <Notice kind="info">{MORE_MEANING}</Notice>}
          {filter === DUE && <p class="due-meaning">{DUE_MEANING}</p>}
          <QueueTable caption="Órdenes que esperan" orders={orders.filter(filter.has)} empty="No hay órdenes aquí." />
        </>
      )}
    </View>
  ) : (
    <View
      {...shown}
      query={found}
      describe={(document) => describeFound(document, text)}
      choice={
        <div>
          <Button onClick={leaveSearch}>Volver a las órdenes</Button>
        </div>
      }
    >
      {(document, isFormer) => (
        <>
          <p>{isFormer ? 'Buscando…' : describeFound(document, text)}</p>
          <QueueTable caption="Órdenes encontradas" orders={document.orders} isFormer={isFormer} />
        </>
      )}
    </View>
  );
}

function describeFound({ orders, has_more, is_too_common }: DocumentOf<'orders-search'>, text: string): string {
  if (is_too_common) return 'Demasiados pacientes se llaman así: escriba más del nombre.';
  if (has_more) return `Las ${orders.length} órdenes más nuevas de «${text}»`;
  if (orders.length === 0)
    return `Ninguna orden de «${text}». Un correo se escribe completo, y un teléfono con sus diez dígitos.`;
  return orders.length === 1 ? `Una orden de «${text}»` : `${orders.length} órdenes de «${text}»`;
}

/**
 * Returns the filter that the reader has chosen. Until then the queue opens each time on what is due now, or on all that is
 * open while nothing is, and stays so while it is looked at.
 */
function useFilter(orders: readonly QueueOrder[] | undefined): QueueFilter {
  // Data read before the queue was opened may be a minute old.
  const [former] = useState(orders);
  const [opened, setOpened] = useState<QueueFilter>();
  const fitting = orders?.some(({ is_due }) => is_due) === false ? ALL : DUE;
  if (opened === undefined && orders && orders !== former) setOpened(fitting);
  return chosenFilter.value ?? opened ?? fitting;
}

/** Returns the filters with the number of orders of each; one that no order has is left out. */
const countFilters = (orders: readonly QueueOrder[], chosen: QueueFilter) =>
  FILTERS.map((filter) => ({ value: filter, name: filter.name, count: orders.filter(filter.has).length })).filter(
    ({ value, count }) => count > 0 || [DUE, ALL, chosen].includes(value),
  );

// Somebody who types on is not searched for each letter.
const PAUSE_MS = 300;
const FEWEST_LETTERS = 3;

/** The box for a folio, a name, an e-mail or a phone. The down arrow leads to what is found, Escape back to the queue. */
function SearchBox() {
  const box = useRef<HTMLInputElement>(null);
  const text = writtenText.value.trim();
  useShortcut('/', 'Buscar una orden', () => box.current?.focus());
  const search = () => {
    searchedText.value = text;
  };
  useEffect(() => {
    if (text !== '' && text.length < FEWEST_LETTERS) return;
    const timer = window.setTimeout(search, PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  const stay = () => {
    isEntering.value = false;
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') leaveSearch();
    if (event.key === 'Enter' || event.key === 'ArrowDown') search();
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    isEntering.value = true;
  };
  return (
    <search>
      <input
        ref={box}
        type="search"
        aria-label="Folio, nombre, correo o teléfono"
        placeholder="Folio, nombre, correo o teléfono"
        maxLength={200}
        autocomplete="off"
        enterkeyhint="search"
        value={writtenText.value}
        onInput={({ currentTarget }) => {
          stay();
          writtenText.value = currentTarget.value;
        }}
        onBlur={stay}
        onKeyDown={press}
      />
    </search>
  );
}
