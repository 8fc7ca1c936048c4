import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
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
  /** True if it is read anew by a button and by `r`; another view refreshes by itself alone. */
  readonly isReloadable?: boolean;
};

// The first view comes with the page, where the reader has the focus already.
let isFirst = true;

// Later, it would take the focus from what the reader's first key has led to, and the page from the row that they come back to.
const enter = (heading: HTMLHeadingElement | null): void => {
  if (!heading) return;
  if (!isFirst) heading.focus();
  isFirst = false;
};

/** A view: its heading, its tools, and what its query reads. */
export function View<Document>({ title, tools, choice, isReloadable, ...loaded }: ViewProps<Document>) {
  const { isLoading, reload } = loaded.query;
  const unseen = unseenCount.value;
  useEffect(() => {
    document.title = `${unseen > 0 ? `(${unseen}) ` : ''}${title} · Botica`;
  }, [title, unseen]);
  return (
    <>
      <div class="view-head">
        <h1 ref={enter} tabIndex={-1}>
          {title}
        </h1>
        {tools}
        {isReloadable && <KeyButton shortcut="r" text="Leer de nuevo" isBusy={isLoading} run={() => void reload()} />}
      </div>
      {choice}
      <Loaded {...loaded} />
    </>
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
  const { document: shown, isFormer, error } = query;
  const told = shown === undefined || isFormer ? '' : (describe?.(shown) ?? '');
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

/**
 * Keeps the focus when what has it goes away: on the same element if a refresh has moved it, else on its row, or on the row that
 * follows those that went with it, or on the one before, or on the heading.
 */
export function keepFocus(): void {
  let held: Element | null = null;
  const remember = () => {
    held = document.activeElement;
  };
  document.addEventListener('focusin', remember);
  // A click on what takes no focus tells that the reader has left.
  document.addEventListener('click', remember, { capture: true });
  new MutationObserver((changes) => {
    const removal = changes.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(held)));
    if (!removal || document.activeElement !== document.body) return;
    const next = held?.isConnected ? held : findNext(removal, changes);
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    else focusHeading();
  }).observe(document.body, { childList: true, subtree: true });
}

function findNext({ target, nextSibling, previousSibling }: MutationRecord, changes: readonly MutationRecord[]) {
  const row = target instanceof Element ? target.closest('tr') : null;
  let following = nextSibling;
  // The rows of one refresh go one after the other.
  for (const { removedNodes, nextSibling: after } of changes) {
    if ([...removedNodes].some((node) => node === following)) following = after;
  }
  return findAction(row) ?? findAction(following) ?? findAction(previousSibling);
}

/** Returns the first link or button of a row that is still in its table. */
const findAction = (row: Node | null): Element | null =>
  row instanceof HTMLTableRowElement && row.isConnected ? row.querySelector('a[href], button:enabled') : null;
