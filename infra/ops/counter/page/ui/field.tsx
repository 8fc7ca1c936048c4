import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** The attributes that tie a control to its label, hint and error. */
type ControlProps = {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
};

type FieldProps = {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The error of the value: `error.errorOf('licence')` of a CallError. */
  readonly error?: string | undefined;
  /** Draws the control: `(control) => <textarea {...control} />`. */
  children(control: ControlProps): ComponentChildren;
};

/** A control of a form with its label, hint and error. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': describedBy, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} class="error">
          {error}
        </p>
      )}
    </div>
  );
}

type ValueProps = Omit<FieldProps, 'children'> & {
  readonly value: string;
  readonly isRequired?: boolean;
  onChange(value: string): void;
};

type TextFieldProps = ValueProps & {
  readonly inputMode?: 'decimal' | 'numeric';
  readonly maxLength?: number;
};

export const TextField = ({ value, isRequired, inputMode, maxLength, onChange, ...field }: TextFieldProps) => (
  <Field {...field}>
    {(control) => (
      <input
        {...control}
        type="text"
        value={value}
        required={isRequired}
        inputMode={inputMode}
        maxLength={maxLength}
        autocomplete="off"
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )}
  </Field>
);

type DateFieldProps = ValueProps & { readonly type?: 'date' | 'month' };

/** A day `2026-11-23` or a month `2026-11` of the calendar. */
export const DateField = ({ type = 'date', value, isRequired, onChange, ...field }: DateFieldProps) => (
  <Field {...field}>
    {(control) => (
      <input
        {...control}
        type={type}
        value={value}
        required={isRequired}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )}
  </Field>
);

type SelectFieldProps = ValueProps & {
  readonly options: readonly { readonly value: string; readonly label: string }[];
};

export const SelectField = ({ options, value, isRequired, onChange, ...field }: SelectFieldProps) => (
  <Field {...field}>
    {(control) => (
      <select
        {...control}
        value={value}
        required={isRequired}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Field>
);
