import type { ComponentChild } from 'preact';
import { CatalogView } from './catalog/catalog-view.tsx';
import { InvoicesView } from './invoices/invoices-view.tsx';
import { OrderView } from './order/order-view.tsx';
import { PicturesView } from './pictures/pictures-view.tsx';
import { QueueView } from './queue/queue-view.tsx';
import { type Route, route } from './routes.ts';
import { session } from './session.ts';
import { Header } from './shell/header.tsx';
import { SHELL_TEXTS } from './shell/texts.ts';
import { translate } from './text.ts';
import { readToken } from './token.ts';
import { LiveRegion } from './ui/live-region.tsx';
import { ErrorNotice, Notice } from './ui/notice.tsx';
import { ShortcutsDialog } from './ui/shortcuts-dialog.tsx';

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
  // The queue asks for its orders while the session is asked for; the other views need the shop's time zone first.
  if (now.state === 'opening') return route.value.view === 'queue' ? <QueueView /> : null;
  if (now.state === 'locked') return <Notice kind="error">{translate(SHELL_TEXTS.locked)}</Notice>;
  if (now.state === 'failed') return <ErrorNotice error={now.error} />;
  return drawView(route.value);
}

function drawView(shown: Route): ComponentChild {
  switch (shown.view) {
    case 'orders':
      return <OrderView key={shown.id} id={shown.id} />;
    case 'catalog':
      return <CatalogView />;
    case 'invoices':
      return <InvoicesView />;
    case 'pictures':
      return <PicturesView />;
    default:
      return <QueueView />;
  }
}
