import { focusHeading } from './view-heading.tsx';

/** The element that has the focus, with the place of its row if it stands in a table. */
type Held = { readonly element: Element; readonly body: HTMLTableSectionElement | null; readonly row: number };

let held: Held | undefined;

/** Puts the focus on the next row, or else on the heading, whenever what has it goes away: a row whose work is done. */
export function keepFocus(): void {
  document.addEventListener('focusin', remember);
  // A click on what takes no focus tells that the reader has left.
  document.addEventListener('click', remember, { capture: true });
  new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
}

function remember(): void {
  const element = document.activeElement;
  held = element && element !== document.body ? { element, ...findPlace(element) } : undefined;
}

function findPlace(element: Element): Omit<Held, 'element'> {
  const row = element.closest('tr');
  return { body: row?.closest('tbody') ?? null, row: row?.sectionRowIndex ?? 0 };
}

function mend(): void {
  if (!held || held.element.isConnected || document.activeElement !== document.body) return;
  const next = findNext(held);
  held = undefined;
  if (next) next.focus();
  else focusHeading();
}

/** Returns the first link or button of the row that has taken the place of the one that is gone, or of the last row. */
function findNext({ body, row }: Held): HTMLElement | null {
  if (!body?.isConnected) return null;
  const taking = body.rows[Math.min(row, body.rows.length - 1)];
  return taking?.querySelector<HTMLElement>('a[href], button:enabled') ?? null;
}
