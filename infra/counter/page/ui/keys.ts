import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export type Shortcut = { readonly key: string; readonly text: string; run(): void };

export const shortcuts = signal<readonly Shortcut[]>([]);

/** Binds a key, as `KeyboardEvent.key` names it, while the component is drawn. The dialog on `?` lists it with its text. */
export function useShortcut(key: string, text: string, action: () => void): void {
  const latest = useRef(action);
  latest.current = action;
  // A layout effect, so that a key works as soon as its button is visible.
  useLayoutEffect(() => {
    const shortcut: Shortcut = { key, text, run: () => latest.current() };
    shortcuts.value = [...shortcuts.peek(), shortcut];
    return () => {
      shortcuts.value = shortcuts.peek().filter((each) => each !== shortcut);
    };
  }, [key, text]);
}

// A held Enter would also press the button that replaces the pressed one.
addEventListener(
  'keydown',
  (event) => {
    if (event.key === 'Enter' && event.repeat) event.preventDefault();
  },
  { capture: true },
);

// A scanner types the digits of a barcode faster than anybody; none of them chooses a view, nor does its Enter press a button.
const SCAN_MS = 50;
const DIGIT = /^\d$/;
let digitAt = 0;
let choice: number | undefined;

addEventListener('keydown', (event) => {
  const { key, target, timeStamp } = event;
  window.clearTimeout(choice);
  if (key === 'Enter' && timeStamp - digitAt < SCAN_MS && !isTyping(target)) event.preventDefault();
  if (DIGIT.test(key)) digitAt = timeStamp;
  else if (key !== 'Enter') digitAt = 0;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
  if (isFormOpen() && !DOCUMENT_KEYS.includes(key)) return;
  // The last binding wins: that of a view over that of the page.
  const shortcut = shortcuts.peek().findLast((each) => each.key === key);
  if (!shortcut) return;
  event.preventDefault();
  if (DIGIT.test(key)) choice = window.setTimeout(() => shortcut.run(), SCAN_MS);
  else shortcut.run();
});

// While a form is open beside a document, only the keys of the document work: others would lose the typed text.
const DOCUMENT_KEYS: readonly string[] = ['ArrowLeft', 'ArrowRight', '+', '-', 'r', 's', '?'];
const isFormOpen = (): boolean => document.querySelector('dialog[open]') !== null;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input:not([type=range]), select, textarea, [contenteditable], dialog:modal') !== null;
