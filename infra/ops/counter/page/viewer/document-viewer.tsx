import './viewer.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Text, translate } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice, Notice } from '../ui/notice.tsx';
import { useShortcut } from '../ui/shortcuts.ts';
import { UI_TEXTS } from '../ui/texts.ts';
import type { PageView } from './messages.ts';
import { VIEWER_TEXTS } from './texts.ts';
import { type Shown, useDocument } from './use-frame.ts';

type ViewerProps = {
  /** The path of the document on the server of the counter. */
  readonly path: string;
  /** The name of the document, for a screen reader: `Prescription 7`. */
  readonly name: string;
};

const ZOOMS = [0.5, 0.75, 1, 1.5, 2, 3, 4];
const WHOLE: PageView = { page: 1, zoom: 1, quarterTurns: 0 };

/** Shows a document in a frame that runs nothing of it; `key` it by its path. */
export function DocumentViewer(props: ViewerProps) {
  const [attempt, setAttempt] = useState(1);
  return <ReadDocument key={attempt} {...props} onRetry={() => setAttempt(attempt + 1)} />;
}

/** One attempt to read and show a document. */
function ReadDocument({ path, name, onRetry }: ViewerProps & { onRetry(): void }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [view, setView] = useState(WHOLE);
  const { shown, show } = useDocument(frame, path);
  const pages = shown.state === 'open' ? shown.pages : 0;
  const label = translate(VIEWER_TEXTS.page, { name, page: view.page, pages });
  useEffect(() => {
    if (pages > 0) show(view, label);
  }, [pages, view, label, show]);
  return (
    <div class="viewer">
      <ViewerControls pages={pages} view={view} onView={setView} />
      <ViewerState shown={shown} />
      {isOver(shown) ? (
        <Button onClick={onRetry}>{translate(UI_TEXTS.retry)}</Button>
      ) : (
        <iframe
          ref={frame}
          src="/viewer.html"
          sandbox="allow-scripts"
          referrerpolicy="no-referrer"
          title={translate(VIEWER_TEXTS.frame, { name })}
        />
      )}
    </div>
  );
}

/** True if nothing more comes of this attempt, so that its frame can go. */
const isOver = ({ state }: Shown): boolean => state !== 'opening' && state !== 'open';

function ViewerState({ shown }: { readonly shown: Shown }) {
  if (shown.state === 'opening') return <p class="soft">{translate(VIEWER_TEXTS.loading)}</p>;
  if (shown.state === 'broken') return <Notice kind="error">{translate(VIEWER_TEXTS.broken)}</Notice>;
  if (shown.state === 'late') return <Notice kind="error">{translate(VIEWER_TEXTS.late)}</Notice>;
  if (shown.state === 'failed') return <ErrorNotice error={shown.error} />;
  return shown.isPageBroken ? <Notice kind="error">{translate(VIEWER_TEXTS.pageBroken)}</Notice> : null;
}

type ControlsProps = { readonly pages: number; readonly view: PageView; onView(view: PageView): void };

/** Page, zoom and rotation, by buttons and keys. */
function ViewerControls({ pages, view, onView }: ControlsProps) {
  const turnTo = (page: number) => onView({ ...view, page: Math.min(Math.max(1, page), Math.max(1, pages)) });
  const zoomBy = (steps: number) => {
    const zoom = ZOOMS[ZOOMS.indexOf(view.zoom) + steps];
    if (zoom !== undefined) onView({ ...view, zoom });
  };
  const rotate = () => onView({ ...view, quarterTurns: (view.quarterTurns + 1) % 4 });
  return (
    <fieldset class="row" aria-label={translate(VIEWER_TEXTS.controls)}>
      <Control sign="←" shortcut="ArrowLeft" text={VIEWER_TEXTS.previousPage} run={() => turnTo(view.page - 1)} />
      <span role="status">{pages > 0 && translate(VIEWER_TEXTS.position, { page: view.page, pages })}</span>
      <Control sign="→" shortcut="ArrowRight" text={VIEWER_TEXTS.nextPage} run={() => turnTo(view.page + 1)} />
      <Control sign="−" shortcut="-" text={VIEWER_TEXTS.zoomOut} run={() => zoomBy(-1)} />
      <Control sign="+" shortcut="+" text={VIEWER_TEXTS.zoomIn} run={() => zoomBy(1)} />
      <Control sign="↻" shortcut="r" text={VIEWER_TEXTS.rotate} run={rotate} />
    </fieldset>
  );
}

type ControlProps = { readonly sign: string; readonly shortcut: string; readonly text: Text; run(): void };

function Control({ sign, shortcut, text, run }: ControlProps) {
  useShortcut(shortcut, text, run);
  return (
    <Button onClick={run} label={translate(text)}>
      {sign}
    </Button>
  );
}
