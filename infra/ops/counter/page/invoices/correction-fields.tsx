import { CallError } from '../call.ts';
import { translate } from '../text.ts';
import { TextField } from '../ui/field.tsx';
import { CORRECTED, type Corrections } from './actions.ts';
import { INVOICES_TEXTS } from './texts.ts';

type CorrectionsProps = {
  readonly corrections: Corrections;
  readonly error: unknown;
  onChange(corrections: Corrections): void;
};

/** The receiver's data that a replacement corrects. */
export const CorrectionFields = ({ corrections, error, onChange }: CorrectionsProps) => (
  <fieldset class="corrections">
    <legend>{translate(INVOICES_TEXTS.corrections)}</legend>
    <p class="soft">{translate(INVOICES_TEXTS.correctionsHint)}</p>
    {CORRECTED.map((key) => (
      <TextField
        key={key}
        label={translate(INVOICES_TEXTS[key])}
        value={corrections[key] ?? ''}
        error={error instanceof CallError ? error.errorOf(key) : undefined}
        onChange={(value) => onChange({ ...corrections, [key]: value })}
      />
    ))}
  </fieldset>
);
