import { FORM_TO_BE_DEFINED } from '../../../../../shared/domain/invoices/content/invoice.ts';
import { PAYMENT_FORMS } from '../../../../../shared/domain/invoices/sat-tables.ts';
import { ORDER_STATUSES, type OrderStatus, PAYMENT_STATUSES } from '../../../../../shared/domain/order.ts';
import { CallError } from '../call.ts';
import { orderStatusText, paymentStatusText } from '../ui/badges.tsx';
import { formatMoney } from '../ui/format.ts';
import { Notice } from '../ui/notice.tsx';
import type { Form, FormField } from './action-form.tsx';
import { formText, refundDoneText, type ShownOrder, unpaidWarning } from './order-texts.ts';

export const STEP_TEXTS = {
  approved: 'Aprobar',
  in_process: 'Surtir',
  ready: 'Marcar lista',
  shipped: 'Enviar',
  delivered: 'Entregar',
} as const;
type Step = keyof typeof STEP_TEXTS;

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

const CANCELLING = 'Una orden cancelada queda así: su factura se cancela, y lo que se pagó queda por reembolsar.';

/**
 * Moves an order by this step, once it is confirmed; without one to any status that the rules allow, of which others than the
 * next step of the order as it was opened, such as a cancellation, have to be chosen.
 */
export function moveForm(opened: ShownOrder, step?: Step): Form {
  const first = step ?? findNextStep(opened);
  return (order, written) => {
    const { moves } = order.next_actions;
    const to = ORDER_STATUSES.find((status) => status === (written.to ?? first));
    const isPossible = to === undefined ? moves.length > 0 : moves.includes(to);
    const warning = to === undefined || !isPossible ? '' : unpaidWarning(order, to);
    const optional = { hint: 'Puede quedar en blanco', maxLength: 60 };
    return {
      title: step ? STEP_TEXTS[step] : 'Cambiar el estado de la orden',
      kind: to === 'cancelled' ? 'danger' : 'primary',
      isPossible,
      parts: [
        step
          ? isPossible && { note: <p>{`${orderStatusText(order.order_status)} → ${orderStatusText(step)}`}</p> }
          : statusField('to', to, moves, orderStatusText),
        warning !== '' && { note: <Notice kind="warning">{warning}</Notice> },
        to === 'shipped' && { name: 'carrier', label: 'Paquetería', ...optional },
        to === 'shipped' && { name: 'tracking', label: 'Número de guía', ...optional },
        to === 'cancelled' && { note: <p>{CANCELLING}</p> },
      ],
      async act(run, { to: _, ...shipment }) {
        if (to === undefined) throw new CallError({ code: 'no_status', text: 'Elija el nuevo estado.' });
        const moved = await run('orders-move', { id: order.id, to, ...shipment });
        return { order: moved, text: `La orden ahora está: ${orderStatusText(to)}.` };
      },
    };
  };
}

/** The choice among the statuses that the rules allow now; what was chosen stays, also if they allow it no more. */
function statusField<Status extends string>(
  name: string,
  chosen: Status | undefined,
  allowed: readonly Status[],
  textOf: (status: Status) => string,
): FormField {
  const options = allowed.map((value) => ({ value: value as string, label: textOf(value) }));
  if (chosen === undefined || !allowed.includes(chosen))
    options.unshift({ value: chosen ?? '', label: chosen ? textOf(chosen) : 'Elija uno' });
  return { name, label: 'Nuevo estado', present: chosen, options };
}

/** Moves the payment of an order; paying it has a form, rejecting it a reason. */
export function payForm({ payment_status, next_actions: { payment_moves: moves } }: ShownOrder): Form {
  const first = moves.find((each) => each === 'paid') ?? moves[0] ?? payment_status;
  return ({ id, next_actions: { payment_moves: allowed, is_form_required: isRequired } }, written) => {
    const status = PAYMENT_STATUSES.find((each) => each === written.status) ?? first;
    return {
      title: 'Cambiar el estado del pago',
      isPossible: allowed.includes(status),
      parts: [
        statusField('status', status, allowed, paymentStatusText),
        status === 'paid' && paymentFormField(isRequired ? 'Elija una' : 'La del método de pago'),
        status === 'rejected' && { name: 'reason', label: 'Motivo', maxLength: 50 },
      ],
      async act(run, values) {
        const order = await run('orders-pay', { ...values, id, status });
        return { order, text: `Estado del pago: ${paymentStatusText(status)}.` };
      },
    };
  };
}

/** Refunds a part of what was paid. Whatever others pay back meanwhile, the amount stays the one that the reader has seen. */
export function refundForm({ payment_form, next_actions: opened }: ShownOrder): Form {
  const present = opened.is_refund_provided ? '' : payment_form;
  return ({ id, next_actions: { refund, is_refund_provided: isProvided } }) => ({
    title: 'Reembolsar',
    kind: 'danger',
    isPossible: refund !== null,
    parts: [
      amountField(opened.refund, refund),
      paymentFormField(isProvided ? 'Por el proveedor de pagos' : 'Elija una', present),
    ],
    async act(run, { amount = '', form }) {
      // Only the provider gives back without a form.
      const order = await run('orders-refund', { id, amount, form: form ?? (isProvided ? undefined : '') });
      return { order, text: `Reembolso de ${formatMoney(amount)} ${refundDoneText(order)}.` };
    },
  });
}

/** Issues a credit note of the invoice, whose amount stays the one that the reader has seen. */
export const creditForm =
  ({ next_actions: opened }: ShownOrder): Form =>
  ({ id, next_actions: { credit } }) => ({
    title: 'Nota de crédito',
    isPossible: credit !== null,
    parts: [
      amountField(opened.credit, credit),
      paymentFormField('La del método de pago'),
      { name: 'reason', label: 'Motivo', maxLength: 200 },
    ],
    async act(run, { amount = '', ...values }) {
      const order = await run('invoices-credit', { ...values, orderId: id, amount });
      return { order, text: 'Nota de crédito pedida: se emite en unos minutos.' };
    },
  });

const amountField = (present: string | null, most: string | null): FormField => ({
  name: 'amount',
  label: 'Importe',
  hint: `A lo más ${formatMoney(most ?? 0)}`,
  inputMode: 'decimal',
  present,
});

// Money that has moved has a form. The codes are in SAT's order, which those that look like numbers would lose.
const FORMS = Object.keys(PAYMENT_FORMS)
  .filter((form) => form !== FORM_TO_BE_DEFINED)
  .sort();

/** The choice of SAT's c_FormaPago; `blank` is the choice of none. */
const paymentFormField = (blank: string, present?: string | null): FormField => ({
  name: 'form',
  label: 'Forma de pago (SAT)',
  present,
  options: [{ value: '', label: blank }, ...FORMS.map((value) => ({ value, label: formText(value) }))],
});
