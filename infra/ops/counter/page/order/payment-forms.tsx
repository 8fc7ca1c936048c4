import { useState } from 'preact/hooks';
import { FORM_TO_BE_DEFINED } from '../../../../../shared/domain/invoices/content/invoice.ts';
import { PAYMENT_FORMS } from '../../../../../shared/domain/invoices/sat-tables.ts';
import { runCommand } from '../call.ts';
import { paymentStatusText } from '../ui/badges.tsx';
import { ChoiceField, SelectField, TextField } from '../ui/field.tsx';
import { formatMoney } from '../ui/format.ts';
import { ActionForm, type ActionProps, withoutBlanks } from './action-form.tsx';
import { formText } from './parts.tsx';

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
    return { order, text: `Estado del pago: ${paymentStatusText(status)}.` };
  };
  return (
    <ActionForm {...props} title="Cambiar el estado del pago" isPossible={allowed.includes(status)} act={act}>
      {(errorOf) => (
        <>
          <ChoiceField
            label="Nuevo estado"
            value={status}
            allowed={allowed}
            textOf={paymentStatusText}
            onChange={setStatus}
            error={errorOf('status')}
          />
          {status === 'paid' && (
            <PaymentFormField
              blank={next.is_form_required ? 'Elija una' : 'La del método de pago'}
              value={form}
              onChange={setForm}
              error={errorOf('form')}
            />
          )}
          {status === 'rejected' && (
            <TextField label="Motivo" value={reason} onChange={setReason} maxLength={50} error={errorOf('reason')} />
          )}
        </>
      )}
    </ActionForm>
  );
}

/** Records that money has gone back. */
export function RefundForm(props: ActionProps) {
  const { id, payment_form, next_actions: next } = props.work.order;
  const [amount, setAmount] = useState(next.refund ?? '');
  const isProvided = next.is_refund_provided;
  const [form, setForm] = useState(isProvided ? '' : (payment_form ?? ''));
  const act = async (version: number) => {
    const way = isProvided && form === '' ? {} : { form };
    const order = await runCommand('orders-refund', { id, amount, ...way, version });
    return { order, text: `Reembolso de ${formatMoney(amount)} registrado.` };
  };
  return (
    <ActionForm {...props} title="Reembolsar" kind="danger" isPossible={next.refund !== null} act={act}>
      {(errorOf) => (
        <>
          <AmountField most={next.refund} value={amount} onChange={setAmount} error={errorOf('amount')} />
          <PaymentFormField
            blank={isProvided ? 'Por el proveedor de pagos' : 'Elija una'}
            value={form}
            onChange={setForm}
            error={errorOf('form')}
          />
        </>
      )}
    </ActionForm>
  );
}

type AmountFieldProps = Pick<Parameters<typeof TextField>[0], 'value' | 'onChange' | 'error'> & {
  readonly most: string | null;
};

/** The amount that goes back, of which the hint says the most. */
const AmountField = ({ most, ...props }: AmountFieldProps) => (
  <TextField label="Importe" hint={`A lo más ${formatMoney(most ?? 0)}`} inputMode="decimal" {...props} />
);

/** Issues a credit note of the invoice, or of a part of it. */
export function CreditForm(props: ActionProps) {
  const { id, next_actions: next } = props.work.order;
  const [amount, setAmount] = useState(next.credit ?? '');
  const [form, setForm] = useState('');
  const [reason, setReason] = useState('');
  const act = async (version: number) => {
    const input = { orderId: id, amount, version, ...withoutBlanks({ form, reason }) };
    const order = await runCommand('invoices-credit', input);
    return { order, text: 'Nota de crédito: hecho.' };
  };
  return (
    <ActionForm {...props} title="Nota de crédito" isPossible={next.credit !== null} act={act}>
      {(errorOf) => (
        <>
          <AmountField most={next.credit} value={amount} onChange={setAmount} error={errorOf('amount')} />
          <PaymentFormField blank="La del método de pago" value={form} onChange={setForm} error={errorOf('form')} />
          <TextField label="Motivo" value={reason} onChange={setReason} maxLength={200} error={errorOf('reason')} />
        </>
      )}
    </ActionForm>
  );
}

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
const PaymentFormField = ({ blank, ...field }: FormFieldProps) => (
  <SelectField
    {...field}
    label="Forma de pago (SAT)"
    options={[{ value: '', label: blank }, ...FORMS.map((value) => ({ value, label: formText(value) }))]}
  />
);
