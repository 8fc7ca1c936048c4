import { Button } from './button.tsx';
import { formatCount } from './format.ts';

type TogglesProps<Value> = {
  /** The name of the group, for a screen reader. */
  readonly legend: string;
  readonly options: readonly { readonly value: Value; readonly name: string; readonly count?: number }[];
  readonly value: Value;
  onChange(value: Value): void;
};

/** Buttons of which the one that is chosen is pressed. */
export const Toggles = <Value,>({ legend, options, value: chosen, onChange }: TogglesProps<Value>) => (
  <fieldset class="row">
    <legend class="for-screen-readers">{legend}</legend>
    {options.map(({ value, name, count }) => (
      <Button key={name} isPressed={value === chosen} onClick={() => onChange(value)}>
        {name} {count !== undefined && <span class="count">{formatCount(count)}</span>}
      </Button>
    ))}
  </fieldset>
);
