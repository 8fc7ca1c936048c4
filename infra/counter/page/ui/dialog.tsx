import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

/** Puts the focus where the work begins: on the first field, or else the button that does it; not on the one that closes. */
function focusWork(dialog: HTMLElement): void {
  const places = ['form :is(input, select, textarea)', 'form button[type=submit]', 'form button'];
  const first = places.map((place) => dialog.querySelector<HTMLElement>(place)).find((each) => each !== null);
  first?.focus();
}

type DialogProps = {
  readonly title: string;
  readonly children: ComponentChildren;
  /** True for one beside which the page goes on working, by mouse and by keys; another one is modal. */
  readonly isBeside?: boolean | undefined;
  /** True while what it has sent is under way: it stays open, whatever asks it to close. */
  readonly isBusy?: boolean | undefined;
  onClose(): void;
};

/** A dialog, open while it is drawn. Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, children, isBeside = false, isBusy, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const close = () => {
    if (!isBusy) onClose();
  };
  useLayoutEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    if (isBeside) element?.show();
    else element?.showModal();
    if (element) focusWork(element);
    return () => {
      element?.close();
      // The browser itself gives it back only of a modal dialog, or from inside of one.
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  // The event of closing comes a moment later, when the next key may have opened a dialog: Escape tells at once.
  const tellCancelled = (event: Event) => {
    event.preventDefault();
    close();
  };
  // A browser that has seen nothing but Escape closes a modal one without asking.
  const tellClosed = () => {
    if (isBusy) dialog.current?.showModal();
    else if (dialog.current) onClose();
  };
  return (
    <dialog
      ref={dialog}
      class={isBeside ? 'panel' : undefined}
      aria-labelledby={id}
      onCancel={tellCancelled}
      onClose={tellClosed}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <Button onClick={onClose} isUnavailable={isBusy} label="Cerrar">
          ×
        </Button>
      </header>
      {children}
    </dialog>
  );
}

// A browser has Escape close a modal dialog alone.
addEventListener('keydown', (event) => {
  const panel = document.querySelector('dialog.panel');
  if (event.key !== 'Escape' || !panel || document.querySelector('dialog:modal')) return;
  event.preventDefault();
  panel.dispatchEvent(new Event('cancel', { cancelable: true }));
});
