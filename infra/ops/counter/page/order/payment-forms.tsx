import { useState } from 'preact/hooks';
import { FORM_TO_BE_DEFINED } from '../../../../../shared/domain/invoices/content/invoice.ts';
import { PAYMENT_FORMS } from '../../../../../shared/domain/invoices/sat-tables.ts';
import { paymentStatusText } from '../ui/badges.tsx';
import { ChoiceField, SelectField, TextField } from '../ui/field.tsx';
import { formatMoney } from '../ui/format.ts';
import {
  ActionForm,
  type ActionProps,
  type BoundField,
  type RunAct,
  useFields,
  withoutBlanks,
} from './action-form.tsx';
import { formText } from './parts.tsx';

/** Moves the payment of an order; paying it has a form, rejecting it a reason. */
export function PayForm(props: ActionProps) {
  const { id, payment_status, next_actions: next } = props.work.order;
  const { payment_moves: allowed } = next;
  const [status, setStatus] = useState(allowed.find((each) => each === 'paid') ?? allowed[0] ?? payment_status);
  const { fields, bind } = useFields({ form: '', reason: '' });
  const act = async (run: RunAct) => {
    const { form, reason } = fields;
    const more = { form: status === 'paid' ? form : '', reason: status === 'rejected' ? reason : '' };
    const order = await run('orders-pay', { id, status, ...withoutBlanks(more) });
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
              {...bind('form', errorOf)}
            />
          )}
          {status === 'rejected' && <TextField label="Motivo" maxLength={50} {...bind('reason', errorOf)} />}
        </>
      )}
    </ActionForm>
  );
}

/** Records that money has gone back. */
export function RefundForm(props: ActionProps) {
  const { id, payment_form, next_actions: next } = props.work.order;
  const isProvided = next.is_refund_provided;
  // Whatever others pay back meanwhile, the amount stays the one that the reader has seen.
  const [present] = useState({ amount: next.refund ?? '', form: isProvided ? '' : (payment_form ?? '') });
  const { fields, bind } = useFields(present);
  const act = async (run: RunAct) => {
    const { amount, form } = fields;
    const order = await run('orders-refund', { id, amount, ...(isProvided && form === '' ? {} : { form }) });
    return { order, text: `Reembolso de ${formatMoney(amount)} registrado.` };
  };
  return (
    <ActionForm {...props} title="Reembolsar" kind="danger" isPossible={next.refund !== null} act={act}>
      {(errorOf) => (
        <>
          <AmountField most={next.refund} {...bind('amount', errorOf)} />
          <PaymentFormField blank={isProvided ? 'Por el proveedor de pagos' : 'Elija una'} {...bind('form', errorOf)} />
        </>
      )}
    </ActionForm>
  );
}

/** The amount that goes back, of which the hint says the most. */
const AmountField = ({ most, ...field }: BoundField & { readonly most: string | null }) => (
  <TextField label="Importe" hint={`A lo más ${formatMoney(most ?? 0)}`} inputMode="decimal" {...field} />
);

/** Issues a credit note of the invoice, or of a part of it. */
export function CreditForm(props: ActionProps) {
  const { id, next_actions: next } = props.work.order;
  const [present] = useState({ amount: next.credit ?? '', form: '', reason: '' });
  const { fields, bind } = useFields(present);
  const act = async (run: RunAct) => {
    const { amount, ...more } = fields;
    const order = await run('invoices-credit', { orderId: id, amount, ...withoutBlanks(more) });
    return { order, text: 'Nota de crédito: hecho.' };
  };
  return (
    <ActionForm {...props} title="Nota de crédito" isPossible={next.credit !== null} act={act}>
      {(errorOf) => (
        <>
          <AmountField most={next.credit} {...bind('amount', errorOf)} />
          <PaymentFormField blank="La del método de pago" {...bind('form', errorOf)} />
          <TextField label="Motivo" maxLength={200} {...bind('reason', errorOf)} />
        </>
      )}
    </ActionForm>
  );
}

// Money that has moved has a form. The codes are in SAT's order, which those that look like numbers would lose.
const FORMS = Object.keys(PAYMENT_FORMS)
  .filter((form) => form !== FORM_TO_BE_DEFINED)
  .sort();

/** The choice of SAT's c_FormaPago; `blank` is the choice of none. */
const PaymentFormField = ({ blank, ...field }: BoundField & { readonly blank: string }) => (
  <SelectField
    {...field}
    label="Forma de pago (SAT)"
    options={[{ value: '', label: blank }, ...FORMS.map((value) => ({ value, label: formText(value) }))]}
  />
);
