import { useState } from 'preact/hooks';
import { runCommand } from '../../call.ts';
import { translate } from '../../text.ts';
import { TextField } from '../../ui/field.tsx';
import { formatMoney } from '../../ui/format.ts';
import { ActionForm, type ActionProps } from './action-form.tsx';
import { PaymentFormField } from './payment-form-field.tsx';
import { ACTION_TEXTS } from './texts.ts';
import { withoutBlanks } from './verify.tsx';

/** Issues a credit note of the invoice, or of a part of it. */
export function CreditForm(props: ActionProps) {
  const { id, next_actions: next } = props.work.order;
  const [amount, setAmount] = useState(next.credit ?? '');
  const [form, setForm] = useState('');
  const [reason, setReason] = useState('');
  const act = async (version: number) => {
    const input = { orderId: id, amount, version, ...withoutBlanks({ form, reason }) };
    const order = await runCommand('invoices-credit', input);
    return { order, text: translate(ACTION_TEXTS.done, { action: translate(ACTION_TEXTS.credit) }) };
  };
  return (
    <ActionForm {...props} title={translate(ACTION_TEXTS.credit)} isPossible={next.credit !== null} act={act}>
      {(errorOf) => (
        <>
          <TextField
            label={translate(ACTION_TEXTS.amount)}
            hint={translate(ACTION_TEXTS.atMost, { amount: formatMoney(next.credit ?? 0) })}
            inputMode="decimal"
            value={amount}
            onChange={setAmount}
            error={errorOf('amount')}
          />
          <PaymentFormField
            blank={translate(ACTION_TEXTS.formOfMethod)}
            value={form}
            onChange={setForm}
            error={errorOf('form')}
          />
          <TextField
            label={translate(ACTION_TEXTS.reason)}
            value={reason}
            onChange={setReason}
            maxLength={200}
            error={errorOf('reason')}
          />
        </>
      )}
    </ActionForm>
  );
}
