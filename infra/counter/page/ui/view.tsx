// biome-ignore-all lint/a11y/noRedundantRoles: a browser takes the roles away from cells that are laid out as cards
// biome-ignore-all lint/a11y/useKeyWithClickEvents: keys open a row by the link in it
import { signal } from '@preact/signals';
import type { ComponentChild, ComponentChildren, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { announce, ErrorNotice, KeyButton } from './controls.tsx';
import type { Query } from './server.ts';

/** The number of orders that came while the tab was hidden, shown before its title. */
export const unseenCount = signal(0);

type ViewProps<Document> = LoadedProps<Document> & {
  readonly title: string;
  readonly tools?: ComponentChildren;
  /** The content between the heading and the document, shown while the document loads too. */
  readonly choice?: ComponentChildren;
  /** Adds a button, and the key `r`, that reads it again; other views only refresh by themselves. */
  readonly isReloadable?: boolean;
};

// The first view comes with the page, which has the focus already.
let isFirst = true;

// Runs as the heading is drawn: an effect would take the focus from what the reader's first key has already led to.
const enter = (heading: HTMLHeadingElement | null): void => {
  if (!heading) return;
  if (!isFirst) heading.focus();
  isFirst = false;
};

export function View<Document>({ title, tools, choice, isReloadable, ...loaded }: ViewProps<Document>) {
  const { isLoading, reload } = loaded.query;
  const unseen = unseenCount.value;
  useEffect(() => {
    document.title = `${unseen > 0 ? `(${unseen}) ` : ''}${title} · Botica`;
  }, [title, unseen]);
  return (
    <>
      <div class="row view-head">
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

type LoadedProps<Document> = {
  readonly query: Query<Document>;
  /** Returns the sentence for a screen reader when a document has come; '' for none. */
  describe?(document: Document): string;
  children(document: Document, isFormer: boolean): ComponentChildren;
};

export function Loaded<Document>({ query, describe, children }: LoadedProps<Document>) {
  const { document: shown, isFormer, error } = query;
  const text = shown === undefined || isFormer ? '' : (describe?.(shown) ?? '');
  useEffect(() => {
    if (text) announce(text);
  }, [text]);
  return (
    <>
      <ErrorNotice error={error} />
      {shown !== undefined ? (
        <div class="loaded stack" aria-busy={isFormer}>
          {children(shown, isFormer)}
        </div>
      ) : (
        error === undefined && <p class="soft">Leyendo…</p>
      )}
    </>
  );
}

type PartProps = { readonly title: string; readonly isForStaff?: boolean; readonly children: ComponentChildren };

/** A part of a view with its heading, by which a screen reader finds it. One for staff is not printed. */
export const Part = ({ title, isForStaff, children }: PartProps) => (
  <section class={isForStaff ? 'card staff' : 'card'} aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
);

export const focusHeading = (): void => document.querySelector<HTMLElement>('main h1')?.focus();

/**
 * Keeps the focus when what has it goes away: on the same element if a refresh has moved it, else on its row, or on the one that
 * has come into its place, or on the heading.
 */
export function keepFocus(): void {
  let held: Element | null = null;
  let place: { readonly row: Element; readonly table: HTMLTableElement | null; readonly index: number } | undefined;
  const remember = () => {
    held = document.activeElement;
    const row = held?.closest('tr');
    place = row ? { row, table: row.closest('table'), index: row.rowIndex } : undefined;
  };
  document.addEventListener('focusin', remember);
  // After a click on something without focus, the reader has moved on.
  document.addEventListener('click', remember, { capture: true });
  new MutationObserver((changes) => {
    const isRemoved = changes.some(({ removedNodes }) => [...removedNodes].some((node) => node.contains(held)));
    if (!isRemoved || document.activeElement !== document.body) return;
    const rows = place?.table?.isConnected ? [...place.table.rows].slice(1) : [];
    const row = place?.row.isConnected ? place.row : rows[Math.min((place?.index ?? 1) - 1, rows.length - 1)];
    const next = held?.isConnected ? held : row?.querySelector('a[href], button:enabled');
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    else focusHeading();
  }).observe(document.body, { childList: true, subtree: true });
}

export type Column<Row> = {
  readonly title: string;
  readonly class?: string;
  readonly isHeader?: boolean;
  cell(row: Row): ComponentChildren;
};

type TableProps<Row> = {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Keeps a row the same element over a refresh, so that the focus stays in it; by default its place. */
  rowKey?(row: Row): string | number;
  isCurrent?(row: Row): boolean;
  /** True if the link of a row is opened by a click anywhere in it. */
  readonly isOpening?: boolean;
  readonly empty?: string;
};

export function DataTable<Row>({ caption, columns, rows, rowKey, isCurrent, isOpening, empty }: TableProps<Row>) {
  if (rows.length === 0) return empty ? <p class="soft">{empty}</p> : null;
  return (
    <table role="table" class={isOpening ? 'data opening' : 'data'} onClick={isOpening ? openRow : undefined}>
      <caption class="for-screen-readers">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, class: name }) => (
            <th key={title} role="columnheader" scope="col" class={name}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row, index) => (
          <tr key={rowKey?.(row) ?? index} role="row" class={isCurrent?.(row) ? 'current' : undefined}>
            {columns.map(({ title, class: name, isHeader, cell }) => {
              const props = { key: title, class: name, 'data-title': title, children: cell(row) };
              return isHeader ? <th {...props} role="rowheader" scope="row" /> : <td {...props} role="cell" />;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type TablePartProps<Row> = Omit<TableProps<Row>, 'caption'> & Pick<PartProps, 'title' | 'isForStaff'>;

export const TablePart = <Row,>({ title, isForStaff = false, ...table }: TablePartProps<Row>) => (
  <Part title={title} isForStaff={isForStaff}>
    <DataTable caption={title} {...table} />
  </Part>
);

/** Opens the link of the row that is clicked, unless the click was for something in it, or marked a text. */
function openRow({ target }: MouseEvent): void {
  if (!(target instanceof Element) || target.closest('a, button') || getSelection()?.toString()) return;
  target.closest('tr')?.querySelector('a')?.click();
}

export type Fact = readonly [title: string, value: ComponentChild];

type FactsProps = { readonly facts: readonly Fact[]; readonly class?: string; readonly label?: string };

/** Lists facts with their titles, but for those without a value. */
export const Facts = ({ facts, class: name = 'facts', label }: FactsProps) => (
  <dl class={name} aria-label={label}>
    {facts
      .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
      .map(([title, value], index) => (
        <div key={`${title} ${index}`}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

export const TwoLines = ({ first, second }: { readonly first: string | VNode; readonly second?: string }) => (
  <span class="lines">
    <span>{first}</span>
    {second && <span class="soft">{second}</span>}
  </span>
);
