import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, ErrorNotice, KeyButton } from '../ui/controls.tsx';
import { useDocument } from './use-document.ts';

type ViewerProps = { readonly path: string; readonly name: string };

/** Shows a document in a frame that runs nothing of it; `key` it by its path. */
export function DocumentViewer(props: ViewerProps) {
  const [attempt, setAttempt] = useState(1);
  return <ReadDocument key={attempt} {...props} onRetry={() => setAttempt(attempt + 1)} />;
}

const ZOOMS = [0.5, 0.75, 1, 1.5, 2, 3, 4];

function ReadDocument({ path, name, onRetry }: ViewerProps & { onRetry(): void }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [view, setView] = useState({ page: 1, zoom: 1, quarterTurns: 0 });
  const { pages, error, isProtected, ask } = useDocument(frame, path);
  const label = `${name}, página ${view.page} de ${pages}`;
  useEffect(() => {
    if (pages > 0) ask({ kind: 'show', label, ...view });
  }, [pages, view, label, ask]);
  const turnTo = (page: number) => setView({ ...view, page: Math.min(Math.max(1, page), Math.max(1, pages)) });
  const zoomBy = (steps: number) => setView({ ...view, zoom: ZOOMS[ZOOMS.indexOf(view.zoom) + steps] ?? view.zoom });
  const rotate = () => setView({ ...view, quarterTurns: (view.quarterTurns + 1) % 4 });
  const isOpen = pages > 0 || error === undefined;
  return (
    <div class="viewer stack">
      <fieldset class="row" aria-label="Ver el documento">
        <KeyButton sign="←" shortcut="ArrowLeft" text="Página anterior" run={() => turnTo(view.page - 1)} />
        <span role="status">{pages > 0 && `Página ${view.page} de ${pages}`}</span>
        <KeyButton sign="→" shortcut="ArrowRight" text="Página siguiente" run={() => turnTo(view.page + 1)} />
        <KeyButton sign="−" shortcut="-" text="Alejar" run={() => zoomBy(-1)} />
        <KeyButton sign="+" shortcut="+" text="Acercar" run={() => zoomBy(1)} />
        <KeyButton sign="↻" shortcut="r" text="Girar" run={rotate} />
      </fieldset>
      <ErrorNotice error={error} />
      {isProtected && <p class="soft">Documento protegido, sin revisar.</p>}
      {!isOpen && <Button onClick={onRetry}>Intentar de nuevo</Button>}
      {isOpen && pages === 0 && <p class="soft">Abriendo el documento…</p>}
      {isOpen && (
        <iframe
          ref={frame}
          src="/viewer.html"
          sandbox="allow-scripts"
          referrerpolicy="no-referrer"
          title={`Documento: ${name}`}
        />
      )}
    </div>
  );
}
