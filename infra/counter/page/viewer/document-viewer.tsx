import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, KeyButton } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/notice.tsx';
import { type PageView, useDocument } from './use-document.ts';

type ViewerProps = {
  readonly path: string;
  /** The name of the document, for a screen reader: `Receta 7`. */
  readonly name: string;
};

const ZOOMS = [0.5, 0.75, 1, 1.5, 2, 3, 4];
const WHOLE: PageView = { page: 1, zoom: 1, quarterTurns: 0 };

/** Shows a document in a frame that runs nothing of it; `key` it by its path. */
export function DocumentViewer(props: ViewerProps) {
  const [attempt, setAttempt] = useState(1);
  return <ReadDocument key={attempt} {...props} onRetry={() => setAttempt(attempt + 1)} />;
}

function ReadDocument({ path, name, onRetry }: ViewerProps & { onRetry(): void }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [view, setView] = useState(WHOLE);
  const { pages, error, isProtected, ask } = useDocument(frame, path);
  const label = `${name}, página ${view.page} de ${pages}`;
  useEffect(() => {
    if (pages > 0) ask({ kind: 'show', label, ...view });
  }, [pages, view, label, ask]);
  return (
    <div class="viewer">
      <ViewerControls pages={pages} view={view} onView={setView} />
      <ErrorNotice error={error} />
      {isProtected && <p class="soft">Documento protegido, sin revisar.</p>}
      {pages > 0 || error === undefined ? (
        <>
          {pages === 0 && <p class="soft">Abriendo el documento…</p>}
          <iframe
            ref={frame}
            src="/viewer.html"
            sandbox="allow-scripts"
            referrerpolicy="no-referrer"
            title={`Documento: ${name}`}
          />
        </>
      ) : (
        <Button onClick={onRetry}>Intentar de nuevo</Button>
      )}
    </div>
  );
}

type ControlsProps = { readonly pages: number; readonly view: PageView; onView(view: PageView): void };

function ViewerControls({ pages, view, onView }: ControlsProps) {
  const turnTo = (page: number) => onView({ ...view, page: Math.min(Math.max(1, page), Math.max(1, pages)) });
  const zoomBy = (steps: number) => onView({ ...view, zoom: ZOOMS[ZOOMS.indexOf(view.zoom) + steps] ?? view.zoom });
  const rotate = () => onView({ ...view, quarterTurns: (view.quarterTurns + 1) % 4 });
  return (
    <fieldset class="row" aria-label="Ver el documento">
      <KeyButton sign="←" shortcut="ArrowLeft" text="Página anterior" run={() => turnTo(view.page - 1)} />
      <span role="status">{pages > 0 && `Página ${view.page} de ${pages}`}</span>
      <KeyButton sign="→" shortcut="ArrowRight" text="Página siguiente" run={() => turnTo(view.page + 1)} />
      <KeyButton sign="−" shortcut="-" text="Alejar" run={() => zoomBy(-1)} />
      <KeyButton sign="+" shortcut="+" text="Acercar" run={() => zoomBy(1)} />
      <KeyButton sign="↻" shortcut="r" text="Girar" run={rotate} />
    </fieldset>
  );
}
