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
import { LiveRegion } from './ui/live-region.tsx';
import { ErrorNotice, Notice } from './ui/notice.tsx';
import { ShortcutsDialog } from './ui/shortcuts-dialog.tsx';

/** The page: its header, the view of the route, and what is announced to screen readers. */
export const App = () => (
  <>
    <Header />
    <main>{drawState()}</main>
    <LiveRegion />
    <ShortcutsDialog />
  </>
);

function drawState(): ComponentChild {
  const now = session.value;
  if (now.state === 'opening') return null;
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
