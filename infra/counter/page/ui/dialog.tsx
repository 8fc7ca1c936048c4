import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './controls.tsx';

// The focus goes to the first field, or else to the button that submits.
const PLACES = ['form :is(input, select)', 'form button[type=submit]', 'form button'];

type DialogProps = {
  readonly title: string;
  readonly children: ComponentChildren;
  /** True if the page beside it stays usable; otherwise it is modal. */
  readonly isBeside?: boolean | undefined;
  /** True while its request is under way: it cannot be closed. */
  readonly isBusy?: boolean | undefined;
  onClose(): void;
};

/** Is open while it is drawn. Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, children, isBeside = false, isBusy, onClose }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = ref.current;
    if (isBeside) dialog?.show();
    else dialog?.showModal();
    PLACES.map((place) => dialog?.querySelector<HTMLElement>(place))
      .find(Boolean)
      ?.focus();
    return () => {
      dialog?.close();
      // Browsers restore the focus only for modal dialogs, or from inside one.
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  // `close` comes a moment later, when the next key may already have opened another dialog; `cancel` comes at once.
  const tellCancelled = (event: Event) => {
    event.preventDefault();
    if (!isBusy) onClose();
  };
  // Without any other interaction before, browsers close a modal dialog on Escape although `cancel` was prevented.
  const tellClosed = () => {
    if (isBusy) ref.current?.showModal();
    else if (ref.current) onClose();
  };
  const kind = isBeside ? 'panel' : undefined;
  return (
    <dialog ref={ref} class={kind} aria-labelledby={id} onCancel={tellCancelled} onClose={tellClosed}>
      <header class="row">
        <h2 id={id}>{title}</h2>
        <Button onClick={onClose} isUnavailable={isBusy} label="Cerrar">
          ×
        </Button>
      </header>
      {children}
    </dialog>
  );
}

// Browsers close only modal dialogs on Escape.
addEventListener('keydown', (event) => {
  const panel = document.querySelector('dialog.panel');
  if (event.key !== 'Escape' || !panel || document.querySelector('dialog:modal')) return;
  event.preventDefault();
  panel.dispatchEvent(new Event('cancel', { cancelable: true }));
});
