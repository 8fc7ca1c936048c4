import { FORM_TO_BE_DEFINED } from '../../../../../../shared/domain/invoices/content/invoice.ts';
import { PAYMENT_FORMS } from '../../../../../../shared/domain/invoices/sat-tables.ts';
import { translate } from '../../text.ts';
import { SelectField } from '../../ui/field.tsx';
import { formText } from '../parts/money.tsx';
import { ACTION_TEXTS } from './texts.ts';

// Money that has moved has a form. The codes are in SAT's order, which those that look like numbers would lose.
const FORMS = Object.keys(PAYMENT_FORMS)
  .filter((form) => form !== FORM_TO_BE_DEFINED)
  .sort();

type FormFieldProps = {
  /** The choice of nothing: that of the payment method, or none yet. */
  readonly blank: string;
  readonly value: string;
  readonly error: string | undefined;
  onChange(form: string): void;
};

/** The choice of SAT's c_FormaPago. */
export const PaymentFormField = ({ blank, ...field }: FormFieldProps) => (
  <SelectField
    {...field}
    label={translate(ACTION_TEXTS.form)}
    options={[{ value: '', label: blank }, ...FORMS.map((value) => ({ value, label: formText(value) }))]}
  />
);
