import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './controls.tsx';

// The focus goes where the work begins: to the first field, or else to the button that does it.
const PLACES = ['form :is(input, select)', 'form button[type=submit]', 'form button'];

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
      // The browser itself gives it back only of a modal dialog, or from inside of one.
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  // The event of closing comes a moment later, when the next key may have opened a dialog: Escape tells at once.
  const tellCancelled = (event: Event) => {
    event.preventDefault();
    if (!isBusy) onClose();
  };
  // A browser that has seen nothing but Escape closes a modal one without asking.
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

// A browser has Escape close a modal dialog alone.
addEventListener('keydown', (event) => {
  const panel = document.querySelector('dialog.panel');
  if (event.key !== 'Escape' || !panel || document.querySelector('dialog:modal')) return;
  event.preventDefault();
  panel.dispatchEvent(new Event('cancel', { cancelable: true }));
});
