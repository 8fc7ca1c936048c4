import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Query } from './call.ts';
import { KeyButton } from './ui/button.tsx';
import { announce, ErrorNotice } from './ui/notice.tsx';

/** The number before the title of the tab: what came while nobody looked at it. */
export const unseenCount = signal(0);

type ViewProps<Document> = LoadedProps<Document> & {
  /** The heading, which names the tab and takes the focus after a navigation. */
  readonly title: string;
  readonly tools?: ComponentChildren;
  /** The content between the heading and the document, shown while the document loads too. */
  readonly choice?: ComponentChildren;
  /** Reads anew, by a button and by `r`; a view without it refreshes by itself alone. */
  onReload?(): void;
};

/** A view: its heading, its tools, and what its query reads. */
export function View<Document>({ title, tools, choice, onReload, ...loaded }: ViewProps<Document>) {
  return (
    <>
      <div class="view-head">
        <ViewHeading title={title} />
        {tools}
        {onReload && <KeyButton shortcut="r" text="Leer de nuevo" isBusy={loaded.query.isLoading} run={onReload} />}
      </div>
      {choice}
      <Loaded {...loaded} />
    </>
  );
}

// The first view comes with the page, where the reader has the focus already.
let isFirst = true;

function ViewHeading({ title }: { readonly title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Later, it would take the focus from what the reader's first key has led to.
  useLayoutEffect(() => {
    if (!isFirst) focusHeading();
    isFirst = false;
  }, []);
  const unseen = unseenCount.value;
  useEffect(() => {
    document.title = `${unseen > 0 ? `(${unseen}) ` : ''}${title} · Botica`;
  }, [title, unseen]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  );
}

/** Puts the focus on the heading of the view, from where its keys work. */
export const focusHeading = (): void => document.querySelector<HTMLElement>('main h1')?.focus();

type LoadedProps<Document> = {
  readonly query: Query<Document>;
  /** Returns the sentence for a screen reader when a document has come; '' for none. */
  describe?(document: Document): string;
  children(document: Document, isFormer: boolean): ComponentChildren;
};

/** The result of a query: its error, or its document, which is dimmed while that of another choice is waited for. */
export function Loaded<Document>({ query, describe, children }: LoadedProps<Document>) {
  const { document, former, error } = query;
  const shown = document ?? former;
  const isFormer = document === undefined;
  const told = document === undefined ? '' : (describe?.(document) ?? '');
  useEffect(() => {
    if (told) announce(told);
  }, [told]);
  return (
    <>
      <ErrorNotice error={error} />
      {shown !== undefined ? (
        <div class={isFormer ? 'loaded former' : 'loaded'} aria-busy={isFormer}>
          {children(shown, isFormer)}
        </div>
      ) : (
        error === undefined && <p class="soft">Leyendo…</p>
      )}
    </>
  );
}

/** The element that has the focus, with the place of its row if it stands in a table. */
type Held = { readonly element: HTMLElement; readonly body: HTMLTableSectionElement | null; readonly row: number };
let held: Held | undefined;

/**
 * Keeps the focus when what has it goes away: on the same element if a refresh has moved it, else on the row that has taken the
 * place of its row, or on the heading.
 */
export function keepFocus(): void {
  document.addEventListener('focusin', rememberFocus);
  // A click on what takes no focus tells that the reader has left.
  document.addEventListener('click', rememberFocus, { capture: true });
  new MutationObserver(mendFocus).observe(document.body, { childList: true, subtree: true });
}

function rememberFocus(): void {
  const element = document.activeElement;
  const row = element?.closest('tr');
  held =
    element instanceof HTMLElement && element !== document.body
      ? { element, body: row?.closest('tbody') ?? null, row: row?.sectionRowIndex ?? 0 }
      : undefined;
}

function mendFocus(): void {
  if (!held || document.activeElement !== document.body) return;
  const next = held.element.isConnected ? held.element : findNext(held);
  if (next) next.focus({ preventScroll: true });
  else focusHeading();
}

/** Returns the first link or button of the row that has taken the place of the one that is gone, or of the last row. */
function findNext({ body, row }: Held): HTMLElement | null {
  if (!body?.isConnected) return null;
  const taking = body.rows[Math.min(row, body.rows.length - 1)];
  return taking?.querySelector<HTMLElement>('a[href], button:enabled') ?? null;
}
