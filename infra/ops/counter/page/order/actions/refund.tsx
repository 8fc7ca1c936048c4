import { useState } from 'preact/hooks';
import { runCommand } from '../../call.ts';
import { translate } from '../../text.ts';
import { TextField } from '../../ui/field.tsx';
import { formatMoney } from '../../ui/format.ts';
import { ActionForm, type ActionProps } from './action-form.tsx';
import { PaymentFormField } from './payment-form-field.tsx';
import { ACTION_TEXTS } from './texts.ts';

/** Records that money has gone back. */
export function RefundForm(props: ActionProps) {
  const { id, payment_form, next_actions: next } = props.work.order;
  const [amount, setAmount] = useState(next.refund ?? '');
  const [form, setForm] = useState(payment_form ?? '');
  const act = async (version: number) => {
    const order = await runCommand('orders-refund', { id, amount, form, version });
    return { order, text: translate(ACTION_TEXTS.refunded, { amount: formatMoney(amount) }) };
  };
  return (
    <ActionForm
      {...props}
      title={translate(ACTION_TEXTS.refund)}
      kind="danger"
      isPossible={next.refund !== null}
      act={act}
    >
      {(errorOf) => (
        <>
          <TextField
            label={translate(ACTION_TEXTS.amount)}
            hint={translate(ACTION_TEXTS.atMost, { amount: formatMoney(next.refund ?? 0) })}
            inputMode="decimal"
            value={amount}
            onChange={setAmount}
            error={errorOf('amount')}
          />
          <PaymentFormField
            blank={translate(ACTION_TEXTS.chooseForm)}
            value={form}
            onChange={setForm}
            error={errorOf('form')}
          />
        </>
      )}
    </ActionForm>
  );
}
