import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export type Shortcut = { readonly key: string; readonly text: string; run(): void };

export const shortcuts = signal<readonly Shortcut[]>([]);

/** Binds a key, as `KeyboardEvent.key` names it, while the component is drawn. The dialog on `?` lists it with its text. */
export function useShortcut(key: string, text: string, action: () => void): void {
  const latest = useRef(action);
  latest.current = action;
  // A key works as soon as what it does is seen.
  useLayoutEffect(() => {
    const shortcut: Shortcut = { key, text, run: () => latest.current() };
    shortcuts.value = [...shortcuts.peek(), shortcut];
    return () => {
      shortcuts.value = shortcuts.peek().filter((each) => each !== shortcut);
    };
  }, [key, text]);
}

// A held Enter would press the button that takes the place of the one that it has pressed.
addEventListener(
  'keydown',
  (event) => {
    if (event.key === 'Enter' && event.repeat) event.preventDefault();
  },
  { capture: true },
);

addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
  if (isFormOpen() && !DOCUMENT_KEYS.includes(key)) return;
  // The last one drawn comes first, as the view stands above the page.
  const shortcut = shortcuts.peek().findLast((each) => each.key === key);
  if (!shortcut) return;
  event.preventDefault();
  shortcut.run();
});

// While a form stands beside a document, the keys alone work with which that is looked at: others would lose what is typed.
const DOCUMENT_KEYS: readonly string[] = ['ArrowLeft', 'ArrowRight', '+', '-', 'r', 's', '?'];
const isFormOpen = (): boolean => document.querySelector('dialog[open]') !== null;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input:not([type=range]), select, textarea, [contenteditable], dialog:modal') !== null;
