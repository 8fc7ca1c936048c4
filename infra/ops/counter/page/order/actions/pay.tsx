import { useState } from 'preact/hooks';
import { PAYMENT_STATUS_TEXTS } from '../../../../../../shared/messages/status-texts.ts';
import { runCommand } from '../../call.ts';
import { translate } from '../../text.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { ActionForm, type ActionProps } from './action-form.tsx';
import { PaymentFormField } from './payment-form-field.tsx';
import { ACTION_TEXTS } from './texts.ts';
import { withoutBlanks } from './verify.tsx';

/** Moves the payment of an order; paying it has a form, rejecting it a reason. */
export function PayForm(props: ActionProps) {
  const { id, next_actions: next } = props.work.order;
  const [chosen, setChosen] = useState<string>('paid');
  const [form, setForm] = useState('');
  const [reason, setReason] = useState('');
  const status = next.payment_moves.find((each) => each === chosen) ?? next.payment_moves[0] ?? 'paid';
  const act = async (version: number) => {
    const more = { form: status === 'paid' ? form : '', reason: status === 'rejected' ? reason : '' };
    const order = await runCommand('orders-pay', { id, status, version, ...withoutBlanks(more) });
    return { order, text: translate(ACTION_TEXTS.paid, { status: translate(PAYMENT_STATUS_TEXTS[status]) }) };
  };
  return (
    <ActionForm {...props} title={translate(ACTION_TEXTS.payTitle)} act={act}>
      {(errorOf) => (
        <>
          <SelectField
            label={translate(ACTION_TEXTS.to)}
            value={status}
            options={next.payment_moves.map((value) => ({ value, label: translate(PAYMENT_STATUS_TEXTS[value]) }))}
            onChange={setChosen}
            error={errorOf('status')}
          />
          {status === 'paid' && (
            <PaymentFormField
              blank={translate(next.is_form_required ? ACTION_TEXTS.chooseForm : ACTION_TEXTS.formOfMethod)}
              value={form}
              onChange={setForm}
              error={errorOf('form')}
            />
          )}
          {status === 'rejected' && (
            <TextField
              label={translate(ACTION_TEXTS.reason)}
              value={reason}
              onChange={setReason}
              maxLength={50}
              error={errorOf('reason')}
            />
          )}
        </>
      )}
    </ActionForm>
  );
}
