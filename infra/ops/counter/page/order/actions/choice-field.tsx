import { SelectField } from '../../ui/field.tsx';

type ChoiceFieldProps<Value extends string> = {
  readonly label: string;
  readonly value: Value;
  readonly allowed: readonly NoInfer<Value>[];
  readonly error: string | undefined;
  textOf(value: NoInfer<Value>): string;
  onChange(value: NoInfer<Value>): void;
};

/** The choice among what the rules allow now; what was chosen stays, also if they allow it no more. */
export function ChoiceField<Value extends string>({ allowed, textOf, onChange, ...field }: ChoiceFieldProps<Value>) {
  const values = allowed.includes(field.value) ? allowed : [field.value, ...allowed];
  const choose = (written: string) => {
    const chosen = values.find((value) => value === written);
    if (chosen !== undefined) onChange(chosen);
  };
  return (
    <SelectField {...field} options={values.map((value) => ({ value, label: textOf(value) }))} onChange={choose} />
  );
}
