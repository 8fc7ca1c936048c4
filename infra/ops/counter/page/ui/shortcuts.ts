import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Text } from '../text.ts';
import { findDocumentKey } from './document-keys.ts';

type Shortcut = { readonly key: string; readonly text: Text; run(): void };

/** The shortcuts of what is drawn, in the order in which it was drawn. */
export const shortcuts = signal<readonly Shortcut[]>([]);

/** Binds a key, as `KeyboardEvent.key` names it, while the component is drawn. The dialog on `?` lists it with its text. */
export function useShortcut(key: string, text: Text, action: () => void): void {
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
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (runShortcut(event.key)) event.preventDefault();
});

/** Does what a key stands for, and returns true if it stands for something now. */
export function runShortcut(pressed: string): boolean {
  if (isFormOpen() && findDocumentKey(pressed) === undefined) return false;
  // The last one drawn comes first, as the view stands above the page.
  const shortcut = shortcuts.peek().findLast(({ key }) => key === pressed);
  shortcut?.run();
  return shortcut !== undefined;
}

// A key that leads elsewhere would lose what is typed.
const isFormOpen = (): boolean => document.querySelector('dialog[open]') !== null;

/** True where a key is a letter that is written, or belongs to a modal dialog. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, select, textarea, [contenteditable], dialog:modal') !== null;
