import { REGIMES, USES } from '../../../../../../shared/domain/invoices/sat-tables.ts';
import { runCommand } from '../../call.ts';
import { translate } from '../../text.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import type { ShownOrder } from '../use-order.ts';
import { ActionForm, type ActionProps } from './action-form.tsx';
import { ACTION_TEXTS } from './texts.ts';
import { useWritten } from './use-written.ts';

const FIELDS = ['rfc', 'fullName', 'fiscalRegime', 'cfdiUse', 'zipcode', 'email'] as const;
type Receiver = Readonly<Record<(typeof FIELDS)[number], string>>;

const CHOICES: Readonly<Partial<Record<keyof Receiver, Readonly<Record<string, { readonly name: string }>>>>> = {
  fiscalRegime: REGIMES,
  cfdiUse: USES,
};

type ReceiverFormProps = ActionProps & {
  readonly action: 'issue' | 'replace';
  readonly title: string;
  readonly meaning: string;
};

/** Issues or replaces the invoice, with what is corrected of its receiver. */
export function ReceiverForm({ action, title, meaning, ...props }: ReceiverFormProps) {
  const { id, invoicing, next_actions: next } = props.work.order;
  const present = presentReceiver(invoicing);
  const { fields: receiver, write } = useWritten(present);
  const act = async (version: number) => {
    const corrected = Object.fromEntries(
      FIELDS.filter((field) => receiver[field] !== present[field]).map((field) => [field, receiver[field]]),
    );
    await runCommand(`invoices-${action}`, { orderId: id, version, ...corrected });
    return { text: translate(ACTION_TEXTS.done, { action: title }) };
  };
  return (
    <ActionForm {...props} title={title} isPossible={next.invoice.includes(action)} act={act}>
      {(errorOf) => (
        <>
          <p class="soft">{meaning}</p>
          {FIELDS.map((field) => (
            <ReceiverField
              key={field}
              field={field}
              value={receiver[field]}
              error={errorOf(field)}
              onChange={(value) => write(field, value)}
            />
          ))}
        </>
      )}
    </ActionForm>
  );
}

const presentReceiver = (invoicing: ShownOrder['invoicing']): Receiver => ({
  rfc: invoicing?.rfc ?? '',
  fullName: invoicing?.full_name ?? '',
  fiscalRegime: invoicing?.fiscal_regime ?? '',
  cfdiUse: invoicing?.cfdi_use ?? '',
  zipcode: invoicing?.zipcode ?? '',
  email: invoicing?.email ?? '',
});

type ReceiverFieldProps = {
  readonly field: keyof Receiver;
  readonly value: string;
  readonly error: string | undefined;
  onChange(value: string): void;
};

function ReceiverField({ field, ...value }: ReceiverFieldProps) {
  const label = translate(ACTION_TEXTS[field]);
  const choices = CHOICES[field];
  if (!choices) return <TextField {...value} label={label} />;
  const options = Object.entries(choices).map(([code, { name }]) => ({ value: code, label: `${code} ${name}` }));
  return <SelectField {...value} label={label} options={options} />;
}
