import { useState } from 'preact/hooks';
import type { OrderStatus } from '../../../../../shared/domain/order.ts';
import { CallError } from '../call.ts';
import { orderStatusText } from '../ui/badges.tsx';
import { ChoiceField, TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { ActionForm, type ActionProps, type RunAct, useFields, withoutBlanks } from './action-form.tsx';
import { type ShownOrder, unpaidWarning } from './order-texts.ts';

/** The names of the next steps, by the status that they lead to. */
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

/** Moves an order, with the carrier and the tracking number if it is shipped; both are optional. */
function useMove({ id }: ShownOrder) {
  const { fields, bind } = useFields({ carrier: '', tracking: '' });
  const move = async (to: OrderStatus, run: RunAct) => {
    const order = await run('orders-move', { id, to, ...(to === 'shipped' && withoutBlanks(fields)) });
    return { order, text: `La orden ahora está: ${orderStatusText(to)}.` };
  };
  const shipment = { hint: 'Puede quedar en blanco', maxLength: 60 };
  const drawFields = (to: OrderStatus, errorOf: Parameters<typeof bind>[1]) =>
    to === 'shipped' && (
      <>
        <TextField label="Paquetería" {...shipment} {...bind('carrier', errorOf)} />
        <TextField label="Número de guía" {...shipment} {...bind('tracking', errorOf)} />
      </>
    );
  return { move, drawFields };
}

function UnpaidWarning({ order, to }: { readonly order: ShownOrder; readonly to: OrderStatus }) {
  const warning = unpaidWarning(order, to);
  return warning === '' ? null : <Notice kind="warning">{warning}</Notice>;
}

/** Takes this step of an order, once it is confirmed. */
export function StepForm({ step, ...props }: ActionProps & { readonly step: Step }) {
  const { order } = props.work;
  const isPossible = order.next_actions.moves.includes(step);
  const { move, drawFields } = useMove(order);
  return (
    <ActionForm {...props} title={STEP_TEXTS[step]} isPossible={isPossible} act={(run) => move(step, run)}>
      {(errorOf) =>
        isPossible && (
          <>
            <p>
              {orderStatusText(order.order_status)} → {orderStatusText(step)}
            </p>
            <UnpaidWarning order={order} to={step} />
            {drawFields(step, errorOf)}
          </>
        )
      }
    </ActionForm>
  );
}

/** Moves an order to any status that the rules allow. Other than the next step, such as a cancellation, it has to be chosen. */
export function MoveForm(props: ActionProps) {
  const { order } = props.work;
  const { next_actions: next } = order;
  const [to, setTo] = useState<Choice>(findNextStep(order) ?? '');
  const { move, drawFields } = useMove(order);
  const act = (run: RunAct) => {
    if (to === '') throw new CallError({ code: 'no_status', text: 'Elija el nuevo estado.' });
    return move(to, run);
  };
  return (
    <ActionForm
      {...props}
      title="Cambiar el estado de la orden"
      kind={to === 'cancelled' ? 'danger' : 'primary'}
      isPossible={to === '' ? next.moves.length > 0 : next.moves.includes(to)}
      act={act}
    >
      {(errorOf) => (
        <>
          <ChoiceField
            label="Nuevo estado"
            value={to}
            allowed={next.moves}
            textOf={(choice) => (choice === '' ? 'Elija uno' : orderStatusText(choice))}
            onChange={setTo}
            error={errorOf('to')}
          />
          {to !== '' && <UnpaidWarning order={order} to={to} />}
          {to !== '' && drawFields(to, errorOf)}
          {to === 'cancelled' && (
            <p>Una orden cancelada queda así: su factura se cancela, y lo que se pagó queda por reembolsar.</p>
          )}
        </>
      )}
    </ActionForm>
  );
}

// '' until one is chosen.
type Choice = OrderStatus | '';
