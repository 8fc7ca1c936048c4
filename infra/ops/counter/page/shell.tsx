import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import type { Session } from '../server/server.ts';
import { CallError, callServer, keepToken, readToken } from './call.ts';
import { FiguresView } from './figures/figures-view.tsx';
import { InvoicesView } from './invoices.tsx';
import { OrderView } from './order/order-view.tsx';
import { ProductsView } from './products.tsx';
import { QueueView } from './queue/queue-view.tsx';
import { WaitingOrders } from './queue/waiting-orders.tsx';
import { linkTo, navigate, type Route, route, showRouteOnly, type View } from './routes.ts';
import { KeyButton } from './ui/button.tsx';
import { Dialog } from './ui/dialog.tsx';
import { timeZone } from './ui/format.ts';
import { ErrorNotice, LiveRegion, Notice } from './ui/notice.tsx';
import { type Shortcut, shortcuts, useShortcut } from './ui/shortcuts.ts';
import { type Column, DataTable } from './ui/table.tsx';
import { focusHeading } from './view.tsx';

/** `opening` until the server has answered; `locked` without the token of this counter. */
type SessionState =
  | { readonly state: 'opening' | 'locked' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'open'; readonly session: Session };

const session = signal<SessionState>({ state: 'opening' });

/** Takes the token from the address, if it has one, and asks the server what the page has to know. */
export async function startSession(): Promise<void> {
  if (keepToken(location.hash)) showRouteOnly();
  await openSession();
}

// A page that is open may be given the address of another counter.
addEventListener('hashchange', () => {
  if (keepToken(location.hash)) {
    showRouteOnly();
    session.value = { state: 'opening' };
    void openSession();
  }
});

async function openSession(): Promise<void> {
  if (readToken() === '') {
    session.value = { state: 'locked' };
    return;
  }
  try {
    const opened = await callServer<Session>('GET', '/session');
    timeZone.value = opened.timeZone;
    session.value = { state: 'open', session: opened };
  } catch (error) {
    const isLocked = error instanceof CallError && error.code === 'no_token';
    session.value = isLocked ? { state: 'locked' } : { state: 'failed', error };
  }
}

/** The page: its header, the view of the route, and what is announced to screen readers. Another counter is drawn anew. */
export const App = () => (
  <>
    <Header />
    <main key={readToken()}>{drawState()}</main>
    <LiveRegion />
    <ShortcutsDialog />
  </>
);

function drawState(): ComponentChild {
  const now = session.value;
  if (now.state === 'locked')
    return (
      <Notice kind="error">Falta la clave del mostrador: abra la dirección completa que mostró la terminal.</Notice>
    );
  if (now.state === 'failed') return <ErrorNotice error={now.error} />;
  // The queue asks for its orders while the session is asked for; the other views need the shop's time zone first.
  const isDrawn = now.state === 'open' || route.value.view === 'queue';
  return (
    <>
      <WaitingOrders />
      {isDrawn && drawView(route.value)}
    </>
  );
}

function drawView(shown: Route): ComponentChild {
  if (shown.view === 'orders') return <OrderView key={shown.id} id={shown.id} />;
  return LINKS.find(({ view }) => view === shown.view)?.draw();
}

type Link = { readonly view: View; readonly shortcut: string; readonly name: string; readonly text: string };

const LINKS: readonly (Link & { draw(): ComponentChild })[] = [
  { view: 'queue', shortcut: '1', name: 'Órdenes', text: 'Ir a las órdenes', draw: () => <QueueView /> },
  { view: 'catalog', shortcut: '2', name: 'Catálogo', text: 'Ir al catálogo', draw: () => <ProductsView /> },
  { view: 'invoices', shortcut: '3', name: 'Facturas', text: 'Ir a las facturas', draw: () => <InvoicesView /> },
  { view: 'figures', shortcut: '4', name: 'Gráficas', text: 'Ir a las gráficas', draw: () => <FiguresView /> },
];

/** The name of the page, the way to each view, the list of keys, and where and as whom one works. */
function Header() {
  const now = session.value;
  return (
    <header class="page-header">
      <button type="button" class="button skip" onClick={focusHeading}>
        Ir al contenido
      </button>
      <span class="brand">
        Botica <span class="suffix">· Mostrador</span>
      </span>
      <nav aria-label="Vistas">
        {LINKS.map((link) => (
          <ViewLink key={link.view} {...link} />
        ))}
      </nav>
      <KeyButton shortcut="?" text="Atajos de teclado" sign="?" run={openShortcuts} />
      {now.state === 'open' && (
        <p class="place">
          <span>{now.session.place}</span> <span>Trabaja como {now.session.operator}</span>
        </p>
      )}
    </header>
  );
}

function ViewLink({ view, shortcut, name, text }: Link) {
  useShortcut(shortcut, text, () => navigate({ view }));
  const isCurrent = route.value.view === view || (view === 'queue' && route.value.view === 'orders');
  return (
    <a href={linkTo({ view })} aria-current={isCurrent ? 'page' : undefined}>
      {name}
    </a>
  );
}

const isOpen = signal(false);

function openShortcuts(): void {
  isOpen.value = true;
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

// Those that the browser itself has, which are of use here.
const OF_BROWSER: readonly Omit<Shortcut, 'run'>[] = [
  { key: 'Tab', text: 'Ir al botón o campo siguiente; con Mayús, al anterior' },
  { key: 'Enter', text: 'Abrir, apretar o enviar lo que tiene el foco' },
  { key: 'Escape', text: 'Cerrar el formulario o esta lista' },
];

const COLUMNS: readonly Column<Omit<Shortcut, 'run'>>[] = [
  { key: 'key', title: 'Tecla', isHeader: true, cell: ({ key }) => <kbd>{NAMES[key] ?? key}</kbd> },
  { key: 'action', title: 'Qué hace', cell: ({ text }) => text },
];

/** The list of what the keys do in the present view. Stands in the page once. */
function ShortcutsDialog() {
  if (!isOpen.value) return null;
  const close = () => {
    isOpen.value = false;
  };
  return (
    <Dialog title="Atajos de teclado" onClose={close}>
      <DataTable
        caption="Atajos de teclado"
        columns={COLUMNS}
        rows={[...shortcuts.value, ...OF_BROWSER]}
        rowKey={({ key, text }) => `${key} ${text}`}
      />
    </Dialog>
  );
}
