import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** The attributes that tie a control to its label, hint and error. */
type ControlProps = {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
};

export type FieldProps = {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The error of the value: `error.errorOf('licence')` of a CallError. */
  readonly error?: string | undefined;
  /** Draws the control: `(control) => <textarea {...control} />`. */
  children(control: ControlProps): ComponentChildren;
};

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

export type TextFieldProps = ValueProps & {
  /** A `date` is a day of the calendar: `2026-11-23`. */
  readonly type?: 'text' | 'date';
  readonly inputMode?: 'decimal' | 'numeric';
  readonly maxLength?: number;
};

export const TextField = ({
  type = 'text',
  value,
  isRequired,
  inputMode,
  maxLength,
  onChange,
  ...field
}: TextFieldProps) => (
  <Field {...field}>
    {(control) => (
      <input
        {...control}
        {...toKind(type)}
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

// Preact's types tell the kinds of inputs apart.
const toKind = (type: 'text' | 'date') => (type === 'text' ? { type } : { type });

export type Option<Value extends string = string> = { readonly value: Value; readonly label: string };
type SelectFieldProps<Value extends string> = Omit<ValueProps, 'isRequired' | 'value' | 'onChange'> & {
  readonly value: Value;
  readonly options: readonly Option<NoInfer<Value>>[];
  onChange(value: NoInfer<Value>): void;
};

export const SelectField = <Value extends string>({ options, onChange, ...field }: SelectFieldProps<Value>) => (
  <Field {...field}>
    {(control) => (
      <select
        {...control}
        value={field.value}
        onChange={({ currentTarget: { selectedIndex } }) => onChange(options[selectedIndex]?.value ?? field.value)}
      >
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
);
