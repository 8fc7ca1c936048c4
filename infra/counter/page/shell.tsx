import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Session } from '../server/server.ts';
import { callServer, isTabSeen, takeToken } from './call.ts';
import { FiguresView } from './figures/figures-view.tsx';
import { InvoicesView } from './invoices.tsx';
import { OrderView } from './order/order-view.tsx';
import { ProductsView } from './products.tsx';
import { QueueView } from './queue/queue-view.tsx';
import { useWaitingOrders } from './queue/waiting-orders.tsx';
import { linkTo, navigate, route, VIEWS } from './routes.ts';
import { KeyButton } from './ui/button.tsx';
import { Dialog } from './ui/dialog.tsx';
import { timeZone } from './ui/format.ts';
import { ErrorNotice, LiveRegion } from './ui/notice.tsx';
import { type Shortcut, shortcuts, useShortcut } from './ui/shortcuts.ts';
import { type Column, DataTable } from './ui/table.tsx';
import { focusHeading } from './view.tsx';

const session = signal<Session | undefined>(undefined);
const failure = signal<unknown>(undefined);

/** Takes the token from the address, if it has one, and asks the server what the page has to know. */
export async function startSession(): Promise<void> {
  takeToken();
  try {
    const opened = await callServer<Session>('GET', '/session');
    timeZone.value = opened.timeZone;
    session.value = opened;
  } catch (error) {
    failure.value = error;
  }
}

function look(): void {
  isTabSeen.value = document.visibilityState === 'visible';
}
look();
document.addEventListener('visibilitychange', look);

// A page that is open may be given the address of another counter, which has a page of its own.
addEventListener('hashchange', () => {
  if (takeToken()) location.reload();
});

/** The page: its header, the view of the route, and what is announced to screen readers. */
export const App = () => (
  <>
    <Header />
    <main>
      <ErrorNotice error={failure.value} />
      {session.value && <RouteView />}
    </main>
    <LiveRegion />
  </>
);

function RouteView() {
  const waiting = useWaitingOrders();
  const shown = route.value;
  switch (shown.view) {
    case 'orders':
      return <OrderView key={shown.id} id={shown.id} />;
    case 'catalog':
      return <ProductsView />;
    case 'invoices':
      return <InvoicesView />;
    case 'figures':
      return <FiguresView />;
    default:
      return <QueueView waiting={waiting} />;
  }
}

/** The name of the page, the way to each view, the list of keys, and where and as whom one works. */
function Header() {
  const [isListOpen, setListOpen] = useState(false);
  return (
    <>
      <header class="page-header">
        <button type="button" class="button skip" onClick={focusHeading}>
          Ir al contenido
        </button>
        <span class="brand">
          Botica <span class="suffix">· Mostrador</span>
        </span>
        <nav aria-label="Vistas">
          {VIEWS.map((link) => (
            <ViewLink key={link.view} {...link} />
          ))}
        </nav>
        <KeyButton shortcut="?" text="Atajos de teclado" sign="?" run={() => setListOpen(true)} />
        {session.value && (
          <p class="place">
            <span>{session.value.place}</span> <span>Trabaja como {session.value.operator}</span>
          </p>
        )}
      </header>
      {isListOpen && <ShortcutsDialog onClose={() => setListOpen(false)} />}
    </>
  );
}

function ViewLink({ view, shortcut, name, text }: (typeof VIEWS)[number]) {
  useShortcut(shortcut, text, () => navigate({ view }));
  const isCurrent = route.value.view === view || (view === 'queue' && route.value.view === 'orders');
  return (
    <a href={linkTo({ view })} aria-current={isCurrent ? 'page' : undefined}>
      {name}
    </a>
  );
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

/** The list of what the keys do in the present view. */
const ShortcutsDialog = ({ onClose }: { onClose(): void }) => (
  <Dialog title="Atajos de teclado" onClose={onClose}>
    <DataTable
      caption="Atajos de teclado"
      columns={COLUMNS}
      rows={[...shortcuts.value, ...OF_BROWSER]}
      rowKey={({ key, text }) => `${key} ${text}`}
    />
  </Dialog>
);
