import { useState } from 'preact/hooks';
import { translate } from '../text.ts';
import { DateField, SelectField } from '../ui/field.tsx';
import { areValidDays, canShowHours, type Days, RANGE_NAMES, type RangeName, toDays } from './range.ts';
import { PICTURES_TEXTS } from './texts.ts';

/** The range of days, the width of the bars and the client that the reader has chosen. */
export type Choice = {
  readonly range: RangeName;
  readonly days: Days;
  readonly by: 'hour' | 'day';
  readonly client: string;
};

type ChoiceFormProps = {
  readonly choice: Choice;
  readonly clients: readonly { readonly id: number; readonly name: string }[];
  readonly timeZone: string;
  onChange(choice: Choice): void;
};

/** Returns the choice of a named range: hours of one day, days of more. */
export function chooseRange(choice: Omit<Choice, 'range' | 'days' | 'by'>, range: RangeName, days: Days): Choice {
  return { ...choice, range, days, by: days.from === days.to ? 'hour' : 'day' };
}

/** Returns the choice with the days that its range has now; days of one's own stay. */
export const renewDays = (choice: Choice, now: Date, timeZone: string): Choice =>
  choice.range === 'own' ? choice : { ...choice, days: toDays(choice.range, now, timeZone) };

/** The choice of the time, the client, and what a bar stands for. */
export function ChoiceForm({ choice, clients, timeZone, onChange }: ChoiceFormProps) {
  const choose = (range: RangeName) =>
    onChange(chooseRange(choice, range, range === 'own' ? choice.days : toDays(range, new Date(), timeZone)));
  const hours = { value: 'hour', label: translate(PICTURES_TEXTS.byHour) };
  const days = { value: 'day', label: translate(PICTURES_TEXTS.byDay) };
  const all = { value: '', label: translate(PICTURES_TEXTS.allClients) };
  return (
    <div class="picture-choice">
      <fieldset class="row">
        <legend class="for-screen-readers">{translate(PICTURES_TEXTS.range)}</legend>
        {RANGE_NAMES.map((name) => (
          <button
            key={name}
            type="button"
            class="button"
            aria-pressed={choice.range === name}
            onClick={() => choose(name)}
          >
            {translate(PICTURES_TEXTS[name])}
          </button>
        ))}
      </fieldset>
      {choice.range === 'own' && (
        <OwnDays days={choice.days} onChange={(own) => onChange(chooseRange(choice, 'own', own))} />
      )}
      <SelectField
        label={translate(PICTURES_TEXTS.by)}
        options={canShowHours(choice.days) ? [hours, days] : [days]}
        value={choice.by}
        onChange={(by) => onChange({ ...choice, by: by === 'hour' ? 'hour' : 'day' })}
      />
      <SelectField
        label={translate(PICTURES_TEXTS.client)}
        options={[all, ...clients.map(({ id, name }) => ({ value: String(id), label: name }))]}
        value={choice.client}
        onChange={(client) => onChange({ ...choice, client })}
      />
    </div>
  );
}

type OwnDaysProps = { readonly days: Days; onChange(days: Days): void };

/** Two days, which count once they are right. */
function OwnDays({ days, onChange }: OwnDaysProps) {
  const [written, setWritten] = useState(days);
  const write = (changed: Partial<Days>) => {
    const next = { ...written, ...changed };
    setWritten(next);
    if (areValidDays(next)) onChange(next);
  };
  const error = areValidDays(written) ? undefined : translate(PICTURES_TEXTS.badDays);
  return (
    <>
      <DateField
        label={translate(PICTURES_TEXTS.from)}
        value={written.from}
        isRequired
        onChange={(from) => write({ from })}
      />
      <DateField
        label={translate(PICTURES_TEXTS.to)}
        error={error}
        value={written.to}
        isRequired
        onChange={(to) => write({ to })}
      />
    </>
  );
}
