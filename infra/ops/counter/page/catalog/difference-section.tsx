import { translate } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { type Pair, toOptions, type Versions } from './choices.ts';
import { Difference } from './difference.tsx';
import { CATALOG_TEXTS } from './texts.ts';

type DifferenceSectionProps = {
  readonly headingId: string;
  readonly versions: Versions;
  readonly pair: Pair;
  onChange(pair: Pair): void;
};

/** The choice of two versions, and what going from the first to the second changes. */
export function DifferenceSection({ headingId, versions, pair, onChange }: DifferenceSectionProps) {
  const { from, to } = pair;
  const options = toOptions(versions);
  return (
    <section class="card" aria-labelledby={headingId}>
      <h2 id={headingId} tabIndex={-1}>
        {translate(CATALOG_TEXTS.difference)}
      </h2>
      <div class="form-row">
        <SelectField
          label={translate(CATALOG_TEXTS.from)}
          options={options}
          value={from}
          onChange={(value) => onChange({ from: value, to })}
        />
        <Button onClick={() => onChange({ from: to, to: from })}>⇄ {translate(CATALOG_TEXTS.swap)}</Button>
        <SelectField
          label={translate(CATALOG_TEXTS.to)}
          options={to === '' ? [{ value: '', label: '' }, ...options] : options}
          value={to}
          onChange={(value) => onChange({ from, to: value })}
        />
      </div>
      {from === to || from === '' || to === '' ? (
        <p class="soft">{translate(CATALOG_TEXTS.chooseTwo)}</p>
      ) : (
        <Difference key={`${from} ${to}`} from={from} to={to} />
      )}
    </section>
  );
}
