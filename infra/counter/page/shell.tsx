import './style.css';
import { signal } from '@preact/signals';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import type { Session } from '../server/server.ts';
import { CashView } from './cash/cash-view.tsx';
import { FiguresView } from './figures/figures-view.tsx';
import { InvoicesView } from './invoices/invoices-view.tsx';
import { formFields } from './order/action-form.tsx';
import { OrderView } from './order/order-view.tsx';
import { ProductsView } from './products/products-view.tsx';
import { QueueView } from './queue/queue-view.tsx';
import { useWaitingOrders } from './queue/waiting-orders.tsx';
import { StockView } from './stock/stock-view.tsx';
import { address, linkToView, showView, VIEWS } from './ui/address.ts';
import { Dialog, ErrorNotice, KeyButton, LiveRegion } from './ui/controls.tsx';
import { timeZone } from './ui/format.ts';
import { type Shortcut, shortcuts, useShortcut } from './ui/keys.ts';
import { callServer, takeToken, watchTab } from './ui/server.ts';
import { type Column, DataTable, focusHeading, keepFocus } from './ui/view.tsx';

const session = signal<Session | undefined>(undefined);
const failure = signal<unknown>(undefined);

async function startSession(): Promise<void> {
  takeToken();
  try {
    const opened: Session = await (await callServer('/session')).json();
    timeZone.value = opened.timeZone;
    formFields.value = opened.forms;
    session.value = opened;
  } catch (error) {
    failure.value = error;
  }
}

// The reader may paste the address of another counter, which serves its own page.
addEventListener('hashchange', () => {
  if (takeToken()) location.reload();
});

const App = () => (
  <>
    <Header />
    <main>
      <ErrorNotice error={failure.value} />
      {session.value && <CurrentView />}
    </main>
    <LiveRegion />
  </>
);

function CurrentView() {
  const waiting = useWaitingOrders();
  const { view, id } = address.value;
  if (view === 'orders') return <OrderView key={id} id={id} />;
  if (view === 'catalog') return <ProductsView />;
  if (view === 'invoices') return <InvoicesView />;
  if (view === 'cash') return <CashView />;
  if (view === 'stock') return <StockView />;
  return view === 'figures' ? <FiguresView /> : <QueueView waiting={waiting} />;
}

function Header() {
  const [isListOpen, setListOpen] = useState(false);
  return (
    <>
      <header class="page-header row">
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
      {isListOpen && (
        <Dialog title="Atajos de teclado" onClose={() => setListOpen(false)}>
          <DataTable caption="Atajos de teclado" columns={COLUMNS} rows={[...shortcuts.value, ...OF_BROWSER]} />
        </Dialog>
      )}
    </>
  );
}

function ViewLink({ view, shortcut, name, text }: (typeof VIEWS)[number]) {
  useShortcut(shortcut, text, () => showView(view));
  const current = address.value.view === 'orders' ? 'queue' : address.value.view;
  return (
    <a href={linkToView(view)} aria-current={current === view ? 'page' : undefined}>
      {name}
    </a>
  );
}

const ARROWS = { ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→' };
const NAMES: Readonly<Record<string, string>> = { ...ARROWS, Escape: 'Esc' };

const OF_BROWSER: readonly Omit<Shortcut, 'run'>[] = [
  { key: 'Tab', text: 'Ir al botón o campo siguiente; con Mayús, al anterior' },
  { key: 'Enter', text: 'Abrir, apretar o enviar lo que tiene el foco' },
  { key: 'Escape', text: 'Cerrar el formulario o esta lista' },
];

const COLUMNS: readonly Column<Omit<Shortcut, 'run'>>[] = [
  { title: 'Tecla', isHeader: true, cell: ({ key }) => <kbd>{NAMES[key] ?? key}</kbd> },
  { title: 'Qué hace', cell: ({ text }) => text },
];

watchTab();
void startSession();
render(<App />, document.body);
keepFocus();
