import { FORM_TO_BE_DEFINED } from '../../../../shared/invoices/rules/build/invoice.ts';
import { PAYMENT_FORMS } from '../../../../shared/invoices/rules/sat-tables.ts';
import { ORDER_STATUSES, type OrderStatus, PAYMENT_STATUSES } from '../../../../shared/order/rules/status.ts';
import { CallError } from '../call.ts';
import { orderStatusText, paymentStatusText } from '../ui/badges.tsx';
import { formatMoney } from '../ui/format.ts';
import { Notice } from '../ui/notice.tsx';
import { type Form, type FormField, requireField, type Values } from './action-form.tsx';
import { formText, join, refundDoneText, type ShownOrder, unpaidWarning } from './order-texts.ts';

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

const PAYING_CANCELLED = 'La orden está cancelada: lo que se paga queda por reembolsar.';

/** Moves the payment of an order; paying it has a form, rejecting it a reason. */
export function payForm({ payment_status, next_actions: { payment_moves: moves } }: ShownOrder): Form {
  const first = moves.find((each) => each === 'paid') ?? moves[0] ?? payment_status;
  return ({ id, order_status: orderStatus, next_actions: next }, written) => {
    const { payment_moves: allowed, is_form_required: isRequired } = next;
    const status = PAYMENT_STATUSES.find((each) => each === written.status) ?? first;
    return {
      title: 'Cambiar el estado del pago',
      isPossible: allowed.includes(status),
      parts: [
        statusField('status', status, allowed, paymentStatusText),
        orderStatus === 'cancelled' && status === 'paid' && { note: <p>{PAYING_CANCELLED}</p> },
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

/** Refunds a part of what was paid, or of what came beside the total. Nothing goes back that the reader has not written. */
export const refundForm =
  (opened: ShownOrder): Form =>
  (order, written) => {
    const { next_actions: next, left: all } = order;
    const isSurplus = (written.surplus ?? (opened.next_actions.refund === null ? 'yes' : '')) !== '';
    const isProvided = isSurplus ? order.collecting?.method === 'card' : next.is_refund_provided;
    const [left, most] = isSurplus ? [[], all.surplus] : [all.refund, next.refund];
    return {
      title: 'Reembolsar',
      kind: 'danger',
      isPossible: most !== null,
      parts: [
        opened.next_actions.refund !== null &&
          opened.left.surplus !== null && { name: 'surplus', label: 'Qué se devuelve', options: REFUND_KINDS },
        ...listPartFields(order, left, most),
        paymentFormField(isProvided ? 'Por el proveedor de pagos' : 'Elija una', isProvided ? '' : order.payment_form),
        { name: 'reason', label: 'Motivo', hint: 'Queda en el historial', maxLength: 200 },
      ],
      async act(run, { form, reason, surplus: _, ...values }) {
        const chosen = readParts(values, left);
        if (reason === undefined) throw requireField('reason', 'Escriba por qué se devuelve.');
        // Only the provider gives back without a form.
        const way = { form: form ?? (isProvided ? undefined : ''), reason, surplus: isSurplus };
        const after = await run('orders-refund', { id: order.id, ...chosen, ...way });
        const amount = formatMoney(after?.refunds.at(-1)?.amount ?? 0);
        return { order: after, text: `Reembolso de ${amount} ${refundDoneText(after)}.` };
      },
    };
  };

const REFUND_KINDS = [
  { value: '', label: 'De lo vendido' },
  { value: 'yes', label: 'Dinero aparte del total' },
] as const;

/** Issues a credit note of the invoice. */
export const creditForm: Form = (order) => {
  const { credit } = order.next_actions;
  const { credit: left } = order.left;
  return {
    title: 'Nota de crédito',
    isPossible: credit !== null,
    parts: [
      ...listPartFields(order, left, credit),
      paymentFormField('La del método de pago'),
      { name: 'reason', label: 'Motivo', maxLength: 200 },
      order.tax_documents.some(({ kind }) => kind === 'credit') && {
        note: (
          <label class="check">
            <input type="checkbox" name="again" />
            Emitirla aunque haya una igual
          </label>
        ),
      },
    ],
    async act(run, { form, reason, ...values }, sent) {
      const input = { orderId: order.id, ...readParts(values, left), form, reason, again: sent.has('again') };
      const credited = await run('invoices-credit', input);
      return { order: credited, text: 'Nota de crédito pedida: se emite en unos minutos.' };
    },
  };
};

type LeftParts = ShownOrder['left']['refund'];

/** The fields for what goes back of what is left: pieces, the shipping, or an amount. */
const listPartFields = ({ details }: ShownOrder, left: LeftParts, most: string | null): FormField[] => [
  ...left.map(({ line, quantity, amount }): FormField => {
    if (line === null) return { name: 'shipping', label: 'Envío', options: listChoices(formatMoney(amount)) };
    const product = details.find(({ id }) => id === line);
    const label = `Piezas de ${join([product?.name, product?.presentation])}`;
    return { name: pieces(line), label, hint: `Quedan ${quantity}: ${formatMoney(amount)}`, inputMode: 'numeric' };
  }),
  { name: 'amount', label: 'Importe', hint: `A lo más ${formatMoney(most ?? 0)}`, inputMode: 'decimal' },
];

const pieces = (line: number): string => `line ${line}`;
const listChoices = (amount: string) => [
  { value: '', label: 'No' },
  { value: 'yes', label: `Sí: ${amount}` },
];

/** Returns what is to go back, by the keys of the command. Throws a CallError unless it is one thing, and left. */
function readParts({ amount, shipping, ...values }: Values, left: LeftParts) {
  const line = left.flatMap(({ line: id, quantity }) => {
    const written = id === null ? undefined : values[pieces(id)]?.trim();
    if (id === null || written === undefined) return [];
    if (/^[1-9]\d*$/.test(written) && Number(written) <= quantity) return [`${id}:${written}`];
    throw requireField(pieces(id), `Escriba cuántas piezas, de 1 a ${quantity}.`);
  });
  const isByLine = line.length > 0 || shipping !== undefined;
  if (isByLine && amount === undefined) return { line, shipping: shipping !== undefined };
  if (isByLine) throw requireField('amount', 'Deje en blanco el importe, o las piezas y el envío.');
  if (amount === undefined) throw requireField('amount', 'Escriba qué se devuelve.');
  return { amount };
}

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
