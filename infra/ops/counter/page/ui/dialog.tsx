import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';
import { useShortcut } from './shortcuts.ts';

/** Puts the focus where the work begins: on the first field, or else the button that does it; not on the one that closes. */
function focusWork(dialog: HTMLElement): void {
  const places = ['form :is(input, select, textarea)', 'form button[type=submit]', 'form button'];
  const first = places.map((place) => dialog.querySelector<HTMLElement>(place)).find((each) => each !== null);
  first?.focus();
}

export type DialogProps = {
  readonly title: string;
  readonly children: ComponentChildren;
  /** True while what it has sent is under way: it stays open, whatever asks it to close. */
  readonly isBusy?: boolean | undefined;
  onClose(): void;
};

/** A modal dialog, open while it is drawn. Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, children, isBusy, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    if (element) focusWork(element);
    // The browser gives the focus back only while the dialog stands in the page.
    return () => element?.close();
  }, []);
  // The event of closing comes a moment later, when the next key may have opened a dialog: Escape tells at once.
  const tellCancelled = (event: Event) => {
    event.preventDefault();
    if (!isBusy) onClose();
  };
  // A browser that has seen nothing but Escape closes without asking.
  const tellClosed = () => {
    if (isBusy) dialog.current?.showModal();
    else if (dialog.current) onClose();
  };
  return (
    <dialog ref={dialog} aria-labelledby={headingId} onCancel={tellCancelled} onClose={tellClosed}>
      <DialogHeader id={headingId} title={title} isBusy={isBusy} onClose={onClose} />
      {children}
    </dialog>
  );
}

/** A dialog beside which the page goes on working, by mouse and by keys; otherwise as a modal one. */
export function Panel({ title, children, isBusy, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  const close = () => {
    if (!isBusy) onClose();
  };
  useShortcut('Escape', 'Cerrar', close);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    element?.show();
    if (element) focusWork(element);
    // The browser gives it back only from inside the dialog.
    return () => before instanceof HTMLElement && before.focus({ preventScroll: true });
  }, []);
  // A letter in a field is no shortcut, but Escape is.
  const tellEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  };
  return (
    <dialog ref={dialog} class="panel" aria-labelledby={headingId} onKeyDown={tellEscape}>
      <DialogHeader id={headingId} title={title} isBusy={isBusy} onClose={onClose} />
      {children}
    </dialog>
  );
}

type HeaderProps = Pick<DialogProps, 'title' | 'isBusy' | 'onClose'> & { readonly id: string };

const DialogHeader = ({ id, title, isBusy, onClose }: HeaderProps) => (
  <header>
    <h2 id={id}>{title}</h2>
    <Button onClick={onClose} isUnavailable={isBusy} label="Cerrar">
      ×
    </Button>
  </header>
);
