import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { DocumentOf } from '../../server/counter-commands.ts';
import { address, choose, follow, linkToOrder } from '../ui/address.ts';
import { Button, Field, Notice, Pages, SearchInput, Toggles } from '../ui/controls.tsx';
import { type Query, useQuery } from '../ui/server.ts';
import { focusHeading, View } from '../ui/view.tsx';
import { isTab, type Queue, TAB_LABELS } from './queue-rows.ts';
import { isEntering, QueueTable } from './queue-table.tsx';
import { Arrivals } from './waiting-orders.tsx';

const MOST_FOUND = 100;

function leaveSearch(): void {
  choose({ search: '' });
  focusHeading();
}

function turnTo(page: string): void {
  isEntering.value = true;
  choose({ page });
}

const MORE_MEANING = 'Hay más órdenes y reembolsos: aquí están los más antiguos.';
const DUE_MEANING =
  'Para hoy: lo que espera a la farmacia (verificar, aprobar, surtir, enviar, reembolsar), y desde su día lo que espera el pago o al paciente.';

/** True from Enter in the search box until what it finds is there: a single order of that folio then opens. */
const isOpening = signal(false);

// As a label prints it and a scanner types it; a shorter number may be the beginning of a longer one.
const WHOLE_FOLIO = /^RX-\d{8}$/i;

function useOpening({ document: found, isFormer }: Query<DocumentOf<'orders-search'>>, text: string): void {
  const isWanted = isOpening.value || WHOLE_FOLIO.test(text);
  const [order] = found?.orders ?? [];
  useEffect(() => {
    if (!isWanted || isFormer || found?.found_by !== 'folio' || !order) return;
    isOpening.value = false;
    choose({ search: '', selected: String(order.id) });
    follow(linkToOrder(order.id));
  }, [found, isWanted, isFormer]);
}

export function QueueView({ waiting }: { readonly waiting: Query<Queue> }) {
  const { search: text = '', show, store = '' } = address.value.params;
  const found = useQuery('orders-search', text === '' ? undefined : { text, limit: MOST_FOUND });
  useOpening(found, text);
  const { tab = 'due', counts = {}, stores = [] } = waiting.document ?? {};
  const branches = stores.map(({ id, name }) => [String(id), name] as const);
  // Somebody who comes back to the queue has worked on an order of it.
  useEffect(() => {
    if (waiting.document) void waiting.reload();
  }, []);
  const head = { title: 'Órdenes', tools: [<Arrivals key="arrivals" />, <SearchBox key="search" text={text} />] };
  // Both are one view, whose heading and box stay as they are.
  return text === '' ? (
    <View
      {...head}
      query={waiting}
      choice={
        <div class="choice">
          <Toggles
            label="Mostrar"
            options={Object.entries(TAB_LABELS)}
            counts={counts}
            value={isTab(show) ? show : tab}
            onChange={(chosen) => choose({ show: chosen, page: '' })}
          />
          {(stores.length > 0 || store !== '') && (
            <Field
              label="Sucursal"
              options={[['', 'Todas'], ...branches]}
              value={store}
              onChange={(chosen) => choose({ store: chosen, page: '' })}
            />
          )}
        </div>
      }
    >
      {(document, isFormer) => (
        <>
          {document.has_more && <Notice tone="info">{MORE_MEANING}</Notice>}
          {document.tab === 'due' && <p class="soft small">{DUE_MEANING}</p>}
          <QueueTable
            caption="Órdenes que esperan"
            orders={document.orders}
            isFormer={isFormer}
            empty="No hay órdenes aquí."
          />
          <Pages {...document} onTurn={turnTo} />
        </>
      )}
    </View>
  ) : (
    <View
      {...head}
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

const PAUSE_MS = 300;
const FEWEST_LETTERS = 3;

function SearchBox({ text }: { readonly text: string }) {
  const timer = useRef(0);
  const cancel = () => window.clearTimeout(timer.current);
  useEffect(() => cancel, []);
  const search = (box: HTMLInputElement) => {
    cancel();
    choose({ search: box.value.trim() });
  };
  const stay = () => {
    isEntering.value = false;
    isOpening.value = false;
  };
  const type = ({ currentTarget: box }: { readonly currentTarget: HTMLInputElement }) => {
    stay();
    cancel();
    const { length } = box.value.trim();
    if (length === 0 || length >= FEWEST_LETTERS) timer.current = window.setTimeout(() => search(box), PAUSE_MS);
  };
  const press = (event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }) => {
    const { key, currentTarget: box } = event;
    if (key === 'Enter' || key === 'ArrowDown') search(box);
    if (key === 'Enter') isOpening.value = true;
    if (key === 'Escape') {
      cancel();
      box.value = '';
      leaveSearch();
    }
    if (key !== 'ArrowDown') return;
    event.preventDefault();
    isEntering.value = true;
  };
  const handlers = { onInput: type, onBlur: stay, onKeyDown: press };
  return (
    <search>
      <SearchInput label="Folio, nombre, correo o teléfono" purpose="Buscar una orden" text={text} {...handlers} />
    </search>
  );
}
