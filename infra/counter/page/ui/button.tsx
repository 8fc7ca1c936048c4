import type { ComponentChildren } from 'preact';
import { useShortcut } from './shortcuts.ts';

type ButtonProps = {
  readonly children: ComponentChildren;
  readonly kind?: 'plain' | 'primary' | 'danger';
  readonly type?: 'button' | 'submit';
  /** The name for a screen reader, where the content does not tell it. */
  readonly label?: string;
  /** True for the chosen one of several. */
  readonly isPressed?: boolean;
  /** True while the work of the button is under way: it keeps the focus, but does nothing. */
  readonly isBusy?: boolean;
  /** True while its work cannot be done: it keeps the focus as well, and does nothing. */
  readonly isUnavailable?: boolean | undefined;
  onClick?(): void;
};

export const Button = ({
  children,
  kind = 'plain',
  type = 'button',
  label,
  isPressed,
  isBusy,
  isUnavailable,
  onClick,
}: ButtonProps) => (
  <button
    type={type}
    class={`button ${kind}`}
    aria-label={label}
    title={label}
    aria-pressed={isPressed}
    aria-disabled={isBusy || isUnavailable}
    aria-busy={isBusy}
    onClick={(event) => {
      if (isBusy || isUnavailable) event.preventDefault();
      else onClick?.();
    }}
  >
    {children}
  </button>
);

type KeyButtonProps = Pick<ButtonProps, 'kind' | 'isBusy' | 'isUnavailable'> & {
  /** The key that does the same, as `KeyboardEvent.key` names it. */
  readonly shortcut: string;
  /** The action of the button, for the list of keys too. */
  readonly text: string;
  /** The sign that stands on it in place of its text. */
  readonly sign?: string;
  run(): void;
};

export function KeyButton({ shortcut, text, sign, run, ...button }: KeyButtonProps) {
  useShortcut(shortcut, text, run);
  return (
    <Button {...button} {...(sign && { label: text })} onClick={run}>
      {sign ?? text}
    </Button>
  );
}
