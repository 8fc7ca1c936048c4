import {
  INSURANCE_REFUND_STATUSES,
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_STATUSES,
} from '../../../../shared/order/rules/status.ts';
import { Notice } from '../ui/controls.tsx';
import { ORDER, PAYMENT } from '../ui/statuses.ts';
import type { Form, FormPart } from './action-form.tsx';
import { FillLines, listLots, startFilling } from './fill-lines.tsx';
import { type ShownOrder, unpaidWarning } from './texts.ts';

export const STEP_TEXTS = {
  approved: 'Aprobar',
  in_process: 'Surtir',
  ready: 'Marcar lista',
  shipped: 'Enviar',
  delivered: 'Entregar al paciente',
} as const;
type Step = keyof typeof STEP_TEXTS;

const USUAL_STEPS: Readonly<Partial<Record<OrderStatus, Step>>> = {
  quoted: 'approved',
  pending_approval: 'approved',
  approved: 'in_process',
  in_process: 'ready',
  ready: 'shipped',
  shipped: 'delivered',
  delayed: 'ready',
  shortage: 'approved',
};

export function findNextStep({ order_status: status, store, next_actions: { moves } }: ShownOrder): Step | undefined {
  const step = status === 'ready' && store ? 'delivered' : USUAL_STEPS[status];
  return step !== undefined && moves.includes(step) ? step : undefined;
}

const CANCELLING = 'Una orden cancelada queda así: su factura se cancela, y lo que se pagó queda por reembolsar.';

/** Moves an order by this step, or else to a status of those that the rules allow, of which the usual next one is preselected. */
export function moveForm(opened: ShownOrder, step?: Step): Form {
  const first = step ?? findNextStep(opened);
  const filling = startFilling();
  return (order, written) => {
    const { moves } = order.next_actions;
    const to = ORDER_STATUSES.find((status) => status === (written.to ?? first));
    const isPossible = to === undefined ? moves.length > 0 : moves.includes(to);
    const warning = to && isPossible ? unpaidWarning(order, to) : '';
    return {
      title: step ? STEP_TEXTS[step] : 'Cambiar el estado de la orden',
      kind: to === 'cancelled' ? 'danger' : 'primary',
      isPossible,
      ...(step === 'in_process' && order.prescriptions.length > 0 && { isBeside: true }),
      command: 'orders-move',
      parts: [
        step
          ? isPossible && <p>{`${ORDER[order.order_status].text} → ${ORDER[step].text}`}</p>
          : statusField('to', to, moves),
        warning !== '' && <Notice tone="warning">{warning}</Notice>,
        to === 'in_process' && isPossible && <FillLines order={order} filling={filling} />,
        to === 'shipped' && 'carrier',
        to === 'shipped' && 'tracking',
        to === 'cancelled' && <p>{CANCELLING}</p>,
        to === 'cancelled' && { name: 'reason', hint: 'Lo lee el cliente; puede quedar en blanco' },
      ],
      toInput: (values, data) => ({ ...values, to, ...(to === 'in_process' && listLots(order, filling, data)) }),
      tell: ({ order_status: status }) => `La orden ahora está: ${ORDER[status].text}.`,
    };
  };
}

/** A choice among the statuses that the rules allow now; the chosen one stays even if it is no longer allowed. */
const statusField = (name: 'to' | 'status', chosen: string | undefined, allowed: readonly string[]): FormPart => ({
  name,
  present: chosen,
  choices: chosen === undefined || allowed.includes(chosen) ? allowed : [chosen, ...allowed],
  blank: chosen === undefined ? 'Elija uno' : undefined,
});

const PAYING_CANCELLED = 'La orden está cancelada: lo que se paga queda por reembolsar.';

export function payForm({ payment_status, next_actions: { payment_moves: moves } }: ShownOrder): Form {
  const first = moves.find((each) => each === 'paid') ?? moves[0] ?? payment_status;
  return ({ order_status: orderStatus, next_actions: next }, written) => {
    const { payment_moves: allowed, is_form_required: required } = next;
    const status = PAYMENT_STATUSES.find((each) => each === written.status) ?? first;
    return {
      title: 'Cambiar el estado del pago',
      isPossible: allowed.includes(status),
      command: 'orders-pay',
      parts: [
        statusField('status', status, allowed),
        orderStatus === 'cancelled' && status === 'paid' && <p>{PAYING_CANCELLED}</p>,
        status === 'paid' && { name: 'form', blank: required ? 'Elija una' : 'La del método de pago', required },
        status === 'rejected' && 'reason',
      ],
      tell: () => `Estado del pago: ${PAYMENT[status].text}.`,
    };
  };
}

export const noteForm: Form = () => ({
  title: 'Agregar nota',
  isPossible: true,
  command: 'orders-note',
  parts: [{ name: 'text', hint: 'Solo la ven quienes trabajan aquí' }],
  tell: () => 'La nota está en la orden.',
});

export const updateForm: Form = ({ tags, insurance_refund_status: claim }) => {
  const choices = INSURANCE_REFUND_STATUSES.slice(INSURANCE_REFUND_STATUSES.indexOf(claim));
  return {
    title: 'Etiquetas y reclamación',
    isPossible: true,
    command: 'orders-update',
    parts: [
      { name: 'tags', present: tags, hint: 'Separadas por comas; el cliente las ve' },
      { name: 'claim', present: claim, choices },
    ],
    toInput: ({ tags: written = '', claim: to }) => ({ tags: written, ...(to !== claim && { claim: to }) }),
    tell: () => 'Las etiquetas y la reclamación quedaron como se escribieron.',
  };
};
