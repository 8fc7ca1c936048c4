import type { InvoiceListStatus } from '../../../../../shared/domain/invoices/invoice-status.ts';
import { translate } from '../text.ts';
import { Field } from '../ui/field.tsx';
import { INVOICE_STATUS_TEXTS, INVOICE_STATUSES } from './status-texts.tsx';
import { INVOICES_TEXTS } from './texts.ts';

type FilterProps = { readonly status: InvoiceListStatus | ''; onChange(status: InvoiceListStatus | ''): void };

/** Chooses what waits for a person, or one status. */
export const StatusFilter = ({ status, onChange }: FilterProps) => (
  <Field label={translate(INVOICES_TEXTS.show)}>
    {(control) => (
      <select
        {...control}
        value={status}
        onChange={({ currentTarget }) => onChange(currentTarget.value as InvoiceListStatus | '')}
      >
        <option value="">{translate(INVOICES_TEXTS.waiting)}</option>
        <optgroup label={translate(INVOICES_TEXTS.byStatus)}>
          {INVOICE_STATUSES.map((each) => (
            <option key={each} value={each}>
              {translate(INVOICE_STATUS_TEXTS[each])}
            </option>
          ))}
        </optgroup>
      </select>
    )}
  </Field>
);
