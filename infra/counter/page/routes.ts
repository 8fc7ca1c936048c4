import { computed, signal } from '@preact/signals';

/** The views with their links and keys; `orders`, which shows one order, is reached from them. */
export const VIEWS = [
  { view: 'queue', shortcut: '1', name: 'Órdenes', text: 'Ir a las órdenes' },
  { view: 'catalog', shortcut: '2', name: 'Catálogo', text: 'Ir al catálogo' },
  { view: 'invoices', shortcut: '3', name: 'Facturas', text: 'Ir a las facturas' },
  { view: 'figures', shortcut: '4', name: 'Gráficas', text: 'Ir a las gráficas' },
] as const;
type Route = { readonly view: (typeof VIEWS)[number]['view'] } | { readonly view: 'orders'; readonly id: number };

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

/** The present route; an address without a route is the queue. */
export const route = computed<Route>(() => {
  const [, view = '', id = ''] = hash.value.split('/');
  if (view === 'orders' && /^[1-9]\d{0,14}$/.test(id)) return { view, id: Number(id) };
  return { view: VIEWS.find((each) => each.view === view)?.view ?? 'queue' };
});

/** Returns the link to a route: `#/orders/42`. */
export const linkTo = (target: Route): string =>
  target.view === 'orders' ? `#/orders/${target.id}` : `#/${target.view}`;

export function navigate(target: Route): void {
  location.hash = linkTo(target);
}
