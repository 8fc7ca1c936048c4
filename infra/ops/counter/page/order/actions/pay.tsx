import { useState } from 'preact/hooks';
import type { PaymentStatus } from '../../../../../../shared/domain/order.ts';
import { PAYMENT_STATUS_TEXTS } from '../../../../../../shared/messages/status-texts.ts';
import { runCommand } from '../../call.ts';
import { translate } from '../../text.ts';
import { TextField } from '../../ui/field.tsx';
import { ActionForm, type ActionProps } from './action-form.tsx';
import { ChoiceField } from './choice-field.tsx';
import { PaymentFormField } from './payment-form-field.tsx';
import { ACTION_TEXTS } from './texts.ts';
import { withoutBlanks } from './verify.tsx';

const statusText = (status: PaymentStatus): string => translate(PAYMENT_STATUS_TEXTS[status]);

/** Moves the payment of an order; paying it has a form, rejecting it a reason. */
export function PayForm(props: ActionProps) {
  const { id, payment_status, next_actions: next } = props.work.order;
  const { payment_moves: allowed } = next;
  const [status, setStatus] = useState(allowed.find((each) => each === 'paid') ?? allowed[0] ?? payment_status);
  const [form, setForm] = useState('');
  const [reason, setReason] = useState('');
  const act = async (version: number) => {
    const more = { form: status === 'paid' ? form : '', reason: status === 'rejected' ? reason : '' };
    const order = await runCommand('orders-pay', { id, status, version, ...withoutBlanks(more) });
    return { order, text: translate(ACTION_TEXTS.paid, { status: statusText(status) }) };
  };
  return (
    <ActionForm {...props} title={translate(ACTION_TEXTS.payTitle)} isPossible={allowed.includes(status)} act={act}>
      {(errorOf) => (
        <>
          <ChoiceField
            label={translate(ACTION_TEXTS.to)}
            value={status}
            allowed={allowed}
            textOf={statusText}
            onChange={setStatus}
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
