import { computed, effect, signal } from '@preact/signals';

/** The views with their links and keys; `orders`, which shows one order, is reached from them. */
export const VIEWS = [
  { view: 'queue', shortcut: '1', name: 'Órdenes', text: 'Ir a las órdenes' },
  { view: 'catalog', shortcut: '2', name: 'Catálogo', text: 'Ir al catálogo' },
  { view: 'invoices', shortcut: '3', name: 'Facturas', text: 'Ir a las facturas' },
  { view: 'figures', shortcut: '4', name: 'Gráficas', text: 'Ir a las gráficas' },
  { view: 'cash', shortcut: '5', name: 'Caja', text: 'Ir a la caja' },
  { view: 'stock', shortcut: '6', name: 'Existencias', text: 'Ir a las existencias' },
] as const;
type View = (typeof VIEWS)[number]['view'];

/** A view with the reader's choices, `#/queue?show=ready`, or an order, `#/orders/42`. */
type Address = {
  readonly view: View | 'orders';
  readonly id: number;
  readonly params: Readonly<Record<string, string>>;
};

const hash = signal(location.hash);

export const address = computed((): Address => {
  const [path = '', query] = hash.value.split('?');
  const [, view, id = ''] = path.split('/');
  const params = Object.fromEntries(new URLSearchParams(query));
  if (view === 'orders' && /^[1-9]\d{0,14}$/.test(id)) return { view, id: Number(id), params };
  return { view: VIEWS.find((each) => each.view === view)?.view ?? 'queue', id: 0, params };
});

const latest = new Map<string, string>();
effect(() => {
  const { view } = address.value;
  if (hash.value.startsWith(`#/${view}`)) latest.set(view, hash.value);
});

export const linkToView = (view: View): string => latest.get(view) ?? `#/${view}`;
export const linkToOrder = (id: number): string => `#/orders/${id}`;
export const linkToNextStep = (id: number): string => `${linkToOrder(id)}?step=next`;

export const showView = (view: View): void => follow(linkToView(view));

/** Goes to a link; the way back leads to the choices as they are. */
export function follow(link: string): void {
  writeAddress();
  location.hash = link;
}

/** Changes choices of the current view; '' removes one. The history keeps the latest choice only. */
export function choose(changes: Readonly<Record<string, string>>): void {
  const { view, id, params } = address.peek();
  const chosen = Object.entries({ ...params, ...changes }).filter(([, value]) => value !== '');
  const path = id === 0 ? `#/${view}` : linkToOrder(id);
  hash.value = [path, new URLSearchParams(chosen)].filter((part) => String(part) !== '').join('?');
  timer ??= window.setTimeout(writeAddress, WRITE_MS);
}

// Browsers refuse more than 200 changes in ten seconds, and a held key passes 300 rows.
const WRITE_MS = 200;
let timer: number | undefined;

function writeAddress(): void {
  window.clearTimeout(timer);
  if (timer !== undefined) history.replaceState(null, '', hash.peek());
  timer = undefined;
}

addEventListener('click', writeAddress, { capture: true });
addEventListener('hashchange', () => {
  window.clearTimeout(timer);
  timer = undefined;
  hash.value = location.hash;
});
