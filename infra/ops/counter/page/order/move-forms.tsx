import { useState } from 'preact/hooks';
import type { OrderStatus } from '../../../../../shared/domain/order.ts';
import { CallError, runCommand } from '../call.ts';
import { orderStatusText } from '../ui/badges.tsx';
import { ChoiceField, TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { ActionForm, type ActionProps, withoutBlanks } from './action-form.tsx';
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

async function moveOrder(id: number, to: OrderStatus, version: number, shipment: Shipment) {
  const given = to === 'shipped' ? withoutBlanks(shipment) : {};
  const order = await runCommand('orders-move', { id, to, version, ...given });
  return { order, text: `La orden ahora está: ${orderStatusText(to)}.` };
}

// By the keys of the command.
type Shipment = { readonly carrier: string; readonly tracking: string };
const NO_SHIPMENT: Shipment = { carrier: '', tracking: '' };

type ShipmentProps = Shipment & { errorOf(key: string): string | undefined; onChange(shipment: Shipment): void };

/** Asks for the carrier and the tracking number; both are optional. */
const ShipmentFields = ({ carrier, tracking, errorOf, onChange }: ShipmentProps) => (
  <>
    <TextField
      label="Paquetería"
      hint="Puede quedar en blanco"
      value={carrier}
      maxLength={60}
      onChange={(value) => onChange({ carrier: value, tracking })}
      error={errorOf('carrier')}
    />
    <TextField
      label="Número de guía"
      hint="Puede quedar en blanco"
      value={tracking}
      maxLength={60}
      onChange={(value) => onChange({ carrier, tracking: value })}
      error={errorOf('tracking')}
    />
  </>
);

function UnpaidWarning({ order, to }: { readonly order: ShownOrder; readonly to: OrderStatus }) {
  const warning = unpaidWarning(order, to);
  return warning === '' ? null : <Notice kind="warning">{warning}</Notice>;
}

/** Takes this step of an order, once it is confirmed. */
export function StepForm({ step, ...props }: ActionProps & { readonly step: Step }) {
  const { id, order_status: from, next_actions: next } = props.work.order;
  const isPossible = next.moves.includes(step);
  const [shipment, setShipment] = useState(NO_SHIPMENT);
  const act = (version: number) => moveOrder(id, step, version, shipment);
  return (
    <ActionForm {...props} title={STEP_TEXTS[step]} isPossible={isPossible} act={act}>
      {(errorOf) =>
        isPossible && (
          <>
            <p>
              {orderStatusText(from)} → {orderStatusText(step)}
            </p>
            <UnpaidWarning order={props.work.order} to={step} />
            {step === 'shipped' && <ShipmentFields {...shipment} errorOf={errorOf} onChange={setShipment} />}
          </>
        )
      }
    </ActionForm>
  );
}

/** Moves an order to any status that the rules allow. A cancellation, which nothing undoes, has to be chosen. */
export function MoveForm(props: ActionProps) {
  const { id, next_actions: next } = props.work.order;
  const [to, setTo] = useState<Choice>(next.moves.find((status) => status !== 'cancelled') ?? '');
  const [shipment, setShipment] = useState(NO_SHIPMENT);
  const act = (version: number) => {
    if (to === '') throw new CallError({ code: 'no_status', text: 'Elija el nuevo estado.' });
    return moveOrder(id, to, version, shipment);
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
          {to !== '' && <UnpaidWarning order={props.work.order} to={to} />}
          {to === 'shipped' && <ShipmentFields {...shipment} errorOf={errorOf} onChange={setShipment} />}
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
