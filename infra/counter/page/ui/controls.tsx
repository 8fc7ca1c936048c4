import { signal } from '@preact/signals';
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { formatCount } from './format.ts';
import { useShortcut } from './keys.ts';
import { CallError } from './server.ts';
import { type Status, type Tone, toStyle } from './statuses.ts';

type ButtonProps = {
  readonly children: ComponentChildren;
  readonly kind?: 'plain' | 'primary' | 'danger';
  readonly type?: 'button' | 'submit';
  readonly label?: string;
  readonly isPressed?: boolean;
  /** True while the work of the button is under way: it keeps the focus, but does nothing. */
  readonly isBusy?: boolean;
  /** True while its work cannot be done: it keeps the focus as well, and does nothing. */
  readonly isUnavailable?: boolean | undefined;
  onClick?(): void;
};

export const Button = ({ children, kind, type = 'button', label, isPressed, onClick, ...state }: ButtonProps) => (
  <button
    type={type}
    class={`button ${kind ?? ''}`}
    aria-label={label}
    title={label}
    aria-pressed={isPressed}
    aria-disabled={state.isBusy || state.isUnavailable}
    aria-busy={state.isBusy}
    onClick={(event) => {
      if (state.isBusy || state.isUnavailable) event.preventDefault();
      else onClick?.();
    }}
  >
    {children}
  </button>
);

type KeyButtonProps = Pick<ButtonProps, 'kind' | 'isBusy' | 'isUnavailable'> & {
  readonly shortcut: string;
  readonly text: string;
  readonly sign?: string;
  run(): void;
};

export function KeyButton({ shortcut, text, sign, run, ...button }: KeyButtonProps) {
  useShortcut(shortcut, text, () => {
    if (!button.isUnavailable) run();
  });
  return (
    <Button {...button} {...(sign && { label: text })} onClick={run}>
      {sign ?? text}
    </Button>
  );
}

type PagesProps = { readonly page: number; readonly pages: number; onTurn(page: string): void };

export function Pages({ page, pages, onTurn }: PagesProps) {
  if (pages <= 1) return null;
  const previous = { sign: '←', shortcut: 'ArrowLeft', text: 'Página anterior', isUnavailable: page === 1 };
  const next = { sign: '→', shortcut: 'ArrowRight', text: 'Página siguiente', isUnavailable: page === pages };
  return (
    <div class="row">
      <KeyButton {...previous} run={() => onTurn(String(page - 1))} />
      <span>{`Página ${formatCount(page)} de ${formatCount(pages)}`}</span>
      <KeyButton {...next} run={() => onTurn(String(page + 1))} />
    </div>
  );
}

/** Values with their labels. */
type Options = Iterable<readonly [value: string, label: string]>;

type TogglesProps = Pick<FieldProps, 'label' | 'value' | 'onChange'> & {
  readonly options: Options;
  readonly counts?: Readonly<Record<string, number>>;
};

export const Toggles = ({ label: legend, options, counts, value: chosen, onChange }: TogglesProps) => (
  <fieldset class="row">
    <legend class="for-screen-readers">{legend}</legend>
    {[...options].map(([value, label]) => (
      <Button key={value} isPressed={value === chosen} onClick={() => onChange(value)}>
        {label} {counts && <span class="soft">{formatCount(counts[value] ?? 0)}</span>}
      </Button>
    ))}
  </fieldset>
);

type SearchInputProps = Pick<InputHTMLAttributes<HTMLInputElement>, 'onInput' | 'onBlur' | 'onKeyDown'> & {
  readonly label: string;
  readonly purpose: string;
  readonly text: string;
};

/** A box that `/` leads to; what is scanned next takes the place of what is written. */
export function SearchInput({ label, purpose, text, ...handlers }: SearchInputProps) {
  const ref = useRef<HTMLInputElement>(null);
  useShortcut('/', purpose, () => {
    ref.current?.focus();
    ref.current?.select();
  });
  useEffect(() => {
    if (ref.current && (text === '' || ref.current !== document.activeElement)) ref.current.value = text;
  }, [text]);
  const names = { name: 'search', 'aria-label': label, placeholder: label } as const;
  const shape = { type: 'search', maxLength: 200, autocomplete: 'off', enterkeyhint: 'search' } as const;
  return <input ref={ref} {...names} {...shape} {...handlers} />;
}

export type FieldProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'name' | 'required' | 'inputMode' | 'maxLength' | 'aria-invalid' | 'onKeyDown'
> & {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** A `date` is a day of the calendar, `2026-11-23`; a `checkbox` is `yes` or ''; a field with options is a choice. */
  readonly type?: 'text' | 'date' | 'checkbox' | 'file';
  readonly options?: Options | undefined;
  readonly value: string;
  onChange(value: string): void;
};

export function Field({ label, hint, error, options, type = 'text', value, onChange, ...input }: FieldProps) {
  const id = useId();
  const about = hint || error ? `${id}-about` : undefined;
  const ties = { id, 'aria-describedby': about, ...(error && { 'aria-invalid': true }) };
  const isFlag = type === 'checkbox';
  const state = type === 'file' ? { accept: '.pdf,.jpg,.jpeg,.png' } : { value };
  const shape: object = { type, autocomplete: 'off', ...(isFlag ? { value: 'yes', checked: value !== '' } : state) };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {options ? (
        <select {...ties} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {[...options].map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...shape}
          {...input}
          {...ties}
          onInput={({ currentTarget: box }) => onChange(isFlag && !box.checked ? '' : box.value)}
        />
      )}
      {about && (
        <div id={about} class="lines">
          {hint && <p class="hint">{hint}</p>}
          {error && <p class="error">{error}</p>}
        </div>
      )}
    </div>
  );
}

export const Notice = ({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) => (
  <div class="notice" style={toStyle(tone)} role={tone === 'danger' ? 'alert' : 'status'}>
    {children}
  </div>
);

export const ErrorNotice = ({ error }: { readonly error: unknown }) =>
  error === undefined ? null : <Notice tone="danger">{explain(error)}</Notice>;

function explain(error: unknown): string {
  // The message of a wrong input is in English, and those of its errors are not.
  if (error instanceof CallError) return error.errors.map(({ text }) => text).join(' ') || error.message;
  return `Algo falló en la página: ${error instanceof Error ? error.message : String(error)}`;
}

export function DoneNotice({ text }: { readonly text: string | undefined }) {
  useLayoutEffect(() => {
    if (text) announce(text);
  }, [text]);
  return text ? <Notice tone="success">{text}</Notice> : null;
}

export const Badge = ({ text, tone }: Pick<Status, 'text' | 'tone'>) => (
  <span class="badge" style={toStyle(tone)}>
    {text}
  </span>
);

const announced = signal('');

/** Tells screen readers what has changed, politely: after what they are reading. */
export function announce(text: string): void {
  // The same text twice is two changes.
  announced.value = announced.value === text ? `${text}\u00a0` : text;
}

export const LiveRegion = () => (
  <div class="for-screen-readers" role="status" aria-live="polite">
    {announced.value}
  </div>
);

type DialogProps = {
  readonly title: string;
  readonly children: ComponentChildren;
  /** True if the page beside it stays usable; otherwise it is modal. */
  readonly isBeside?: boolean | undefined;
  readonly isBusy?: boolean | undefined;
  onClose(): void;
};

/** Is open while it is drawn. Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, children, isBeside = false, isBusy, onClose }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = ref.current;
    if (isBeside) dialog?.show();
    else dialog?.showModal();
    const find = (place: string) => dialog?.querySelector<HTMLElement>(place);
    (find('form :is(input, select)') ?? find('form button'))?.focus();
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
  return (
    <dialog ref={ref} class={isBeside ? 'panel' : ''} aria-label={title} onCancel={tellCancelled} onClose={tellClosed}>
      <header class="row">
        <h2>{title}</h2>
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
