import { useState } from 'preact/hooks';
import type { OrderStatus } from '../../../../../../shared/domain/order.ts';
import { ORDER_STATUS_TEXTS } from '../../../../../../shared/messages/status-texts.ts';
import { runCommand } from '../../call.ts';
import { translate } from '../../text.ts';
import { SelectField } from '../../ui/field.tsx';
import { ActionForm, type ActionProps } from './action-form.tsx';
import type { Step } from './actions.tsx';
import { ACTION_TEXTS, STEP_TEXTS } from './texts.ts';

const statusText = (status: OrderStatus): string => translate(ORDER_STATUS_TEXTS[status]);

async function moveOrder(id: number, to: OrderStatus, version: number) {
  const order = await runCommand('orders-move', { id, to, version });
  return { order, text: translate(ACTION_TEXTS.moved, { status: statusText(to) }) };
}

/** Takes the next step of an order, once it is confirmed. */
export const StepForm = ({ step, ...props }: ActionProps & { readonly step: Step }) => (
  <ActionForm
    {...props}
    title={translate(STEP_TEXTS[step])}
    act={(version) => moveOrder(props.work.order.id, step, version)}
  >
    {() => (
      <p>
        {statusText(props.work.order.order_status)} → {statusText(step)}
      </p>
    )}
  </ActionForm>
);

/** Moves an order to any status that the rules allow. */
export function MoveForm(props: ActionProps) {
  const { id, next_actions: next } = props.work.order;
  const [chosen, setChosen] = useState<string>();
  const to = next.moves.find((status) => status === chosen) ?? next.moves[0];
  const act = async (version: number) => moveOrder(id, to ?? 'quoted', version);
  return (
    <ActionForm {...props} title={translate(ACTION_TEXTS.moveTitle)} act={act}>
      {(errorOf) => (
        <SelectField
          label={translate(ACTION_TEXTS.to)}
          value={to ?? ''}
          options={next.moves.map((value) => ({ value, label: statusText(value) }))}
          onChange={setChosen}
          error={errorOf('to')}
        />
      )}
    </ActionForm>
  );
}
