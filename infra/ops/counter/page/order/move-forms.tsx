import { useState } from 'preact/hooks';
import { FORM_TO_BE_DEFINED } from '../../../../../shared/domain/invoices/content/invoice.ts';
import { PAYMENT_FORMS } from '../../../../../shared/domain/invoices/sat-tables.ts';
import type { OrderStatus } from '../../../../../shared/domain/order.ts';
import { CallError } from '../call.ts';
import { orderStatusText, paymentStatusText } from '../ui/badges.tsx';
import { ChoiceField, SelectField, TextField } from '../ui/field.tsx';
import { formatMoney } from '../ui/format.ts';
import { Notice } from '../ui/notice.tsx';
import {
  ActionForm,
  type ActionProps,
  type BoundField,
  type RunAct,
  useFields,
  withoutBlanks,
} from './action-form.tsx';
import { type ShownOrder, unpaidWarning } from './order-texts.ts';
import { formText } from './parts.tsx';

export const STEP_TEXTS = {
  approved: 'Aprobar',
  in_process: 'Surtir',
  ready: 'Marcar lista',
  shipped: 'Enviar',
  delivered: 'Entregar',
} as const;
export type Step = keyof typeof STEP_TEXTS;

// The way of an order that nothing stops; whether a step is allowed, the rules say.
const NEXT_STEPS: Readonly<Partial<Record<OrderStatus, Step>>> = {
  quoted: 'approved',
  pending_approval: 'approved',
  approved: 'in_process',
  in_process: 'ready',
  ready: 'shipped',
  shipped: 'delivered',
  delayed: 'ready',
  shortage: 'approved',
};

/** Returns the step forward that the rules allow now. */
export function findNextStep({ order_status: status, next_actions: { moves } }: ShownOrder): Step | undefined {
  const step = NEXT_STEPS[status];
  return step !== undefined && moves.includes(step) ? step : undefined;
}

// '' until one is chosen.
type Choice = OrderStatus | '';

/**
 * Moves an order by this step, once it is confirmed; without one to any status that the rules allow, of which others than the
 * next step, such as a cancellation, have to be chosen.
 */
export function MoveForm({ step, ...props }: ActionProps & { readonly step?: Step | undefined }) {
  const { order } = props.work;
  const { moves } = order.next_actions;
  const [to, setTo] = useState<Choice>(step ?? findNextStep(order) ?? '');
  const { fields, bind } = useFields({ carrier: '', tracking: '' });
  const isPossible = to === '' ? moves.length > 0 : moves.includes(to);
  const act = async (run: RunAct) => {
    if (to === '') throw new CallError({ code: 'no_status', text: 'Elija el nuevo estado.' });
    const moved = await run('orders-move', { id: order.id, to, ...(to === 'shipped' && withoutBlanks(fields)) });
    return { order: moved, text: `La orden ahora está: ${orderStatusText(to)}.` };
  };
  const shipment = { hint: 'Puede quedar en blanco', maxLength: 60 };
  return (
    <ActionForm
      {...props}
      title={step ? STEP_TEXTS[step] : 'Cambiar el estado de la orden'}
      kind={to === 'cancelled' ? 'danger' : 'primary'}
      isPossible={isPossible}
      act={act}
    >
      {(errorOf) =>
        (isPossible || !step) && (
          <>
            {step ? (
              <p>
                {orderStatusText(order.order_status)} → {orderStatusText(step)}
              </p>
            ) : (
              <ChoiceField
                label="Nuevo estado"
                value={to}
                allowed={moves}
                textOf={(choice) => (choice === '' ? 'Elija uno' : orderStatusText(choice))}
                onChange={setTo}
                error={errorOf('to')}
              />
            )}
            {to !== '' && <UnpaidWarning order={order} to={to} />}
            {to === 'shipped' && (
              <>
                <TextField label="Paquetería" {...shipment} {...bind('carrier', errorOf)} />
                <TextField label="Número de guía" {...shipment} {...bind('tracking', errorOf)} />
              </>
            )}
            {to === 'cancelled' && (
              <p>Una orden cancelada queda así: su factura se cancela, y lo que se pagó queda por reembolsar.</p>
            )}
          </>
        )
      }
    </ActionForm>
  );
}

function UnpaidWarning({ order, to }: { readonly order: ShownOrder; readonly to: OrderStatus }) {
  const warning = unpaidWarning(order, to);
  return warning === '' ? null : <Notice kind="warning">{warning}</Notice>;
}

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

export const AmountField = ({ most, ...field }: BoundField & { readonly most: string | null }) => (
  <TextField label="Importe" hint={`A lo más ${formatMoney(most ?? 0)}`} inputMode="decimal" {...field} />
);

// Money that has moved has a form. The codes are in SAT's order, which those that look like numbers would lose.
const FORMS = Object.keys(PAYMENT_FORMS)
  .filter((form) => form !== FORM_TO_BE_DEFINED)
  .sort();

/** The choice of SAT's c_FormaPago; `blank` is the choice of none. */
export const PaymentFormField = ({ blank, ...field }: BoundField & { readonly blank: string }) => (
  <SelectField
    {...field}
    label="Forma de pago (SAT)"
    options={[{ value: '', label: blank }, ...FORMS.map((value) => ({ value, label: formText(value) }))]}
  />
);
