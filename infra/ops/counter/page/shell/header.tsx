import type { Session } from '../../server/session.ts';
import { linkTo, navigate, route, VIEWS, type View } from '../routes.ts';
import { session } from '../session.ts';
import { translate } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { useShortcut } from '../ui/shortcuts.ts';
import { openShortcuts } from '../ui/shortcuts-dialog.tsx';
import { UI_TEXTS } from '../ui/texts.ts';
import { focusHeading } from '../ui/view-heading.tsx';
import { LanguageSwitch, ThemeChoice } from './preferences-choice.tsx';
import { SHELL_TEXTS } from './texts.ts';

const GO_TO = {
  queue: { key: '1', text: SHELL_TEXTS.goToQueue },
  catalog: { key: '2', text: SHELL_TEXTS.goToCatalog },
  invoices: { key: '3', text: SHELL_TEXTS.goToInvoices },
  pictures: { key: '4', text: SHELL_TEXTS.goToPictures },
};

/** The name of the page, what it works on and as whom, the way to each view, and the reader's choices. */
export function Header() {
  const now = session.value;
  return (
    <header class="page-header">
      <button type="button" class="button skip" onClick={focusHeading}>
        {translate(SHELL_TEXTS.skip)}
      </button>
      <span class="brand">
        Botica <span class="suffix">· {translate(SHELL_TEXTS.brand)}</span>
      </span>
      <nav aria-label={translate(SHELL_TEXTS.navigation)}>
        {VIEWS.map((view) => (
          <ViewLink key={view} view={view} />
        ))}
      </nav>
      <div class="choices">
        <ThemeChoice />
        <LanguageSwitch />
        <Button onClick={openShortcuts} label={translate(UI_TEXTS.shortcuts)}>
          ?
        </Button>
      </div>
      {now.state === 'open' && <Place {...now.session} />}
    </header>
  );
}

function ViewLink({ view }: { readonly view: View }) {
  const { key, text } = GO_TO[view];
  useShortcut(key, text, () => navigate({ view }));
  const isCurrent = route.value.view === view || (view === 'queue' && route.value.view === 'orders');
  return (
    <a href={linkTo({ view })} aria-current={isCurrent ? 'page' : undefined}>
      {translate(SHELL_TEXTS[view])}
    </a>
  );
}

const Place = ({ place, operator }: Session) => (
  <p class="place">
    <span>{place}</span> <span>{translate(SHELL_TEXTS.worksAs, { operator })}</span>
  </p>
);
