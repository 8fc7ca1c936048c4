import { useState } from 'preact/hooks';
import type { OrderStatus } from '../../../../../../shared/domain/order.ts';
import { ORDER_STATUS_TEXTS } from '../../../../../../shared/messages/status-texts.ts';
import { CallError, runCommand } from '../../call.ts';
import { translate } from '../../text.ts';
import { ActionForm, type ActionProps } from './action-form.tsx';
import type { Step } from './actions.tsx';
import { ChoiceField } from './choice-field.tsx';
import { ACTION_TEXTS, STEP_TEXTS } from './texts.ts';

const statusText = (status: OrderStatus): string => translate(ORDER_STATUS_TEXTS[status]);

async function moveOrder(id: number, to: OrderStatus, version: number) {
  const order = await runCommand('orders-move', { id, to, version });
  return { order, text: translate(ACTION_TEXTS.moved, { status: statusText(to) }) };
}

/** Takes this step of an order, once it is confirmed. */
export function StepForm({ step, ...props }: ActionProps & { readonly step: Step }) {
  const { id, order_status: from, next_actions: next } = props.work.order;
  const isPossible = next.moves.includes(step);
  const act = (version: number) => moveOrder(id, step, version);
  return (
    <ActionForm {...props} title={translate(STEP_TEXTS[step])} isPossible={isPossible} act={act}>
      {() =>
        isPossible && (
          <p>
            {statusText(from)} → {statusText(step)}
          </p>
        )
      }
    </ActionForm>
  );
}

/** Moves an order to any status that the rules allow. A cancellation, which nothing undoes, has to be chosen. */
export function MoveForm(props: ActionProps) {
  const { id, next_actions: next } = props.work.order;
  const [to, setTo] = useState<Choice>(next.moves.find((status) => status !== 'cancelled') ?? '');
  const act = (version: number) => {
    if (to === '') throw new CallError({ code: 'no_status', ...ACTION_TEXTS.noStatus });
    return moveOrder(id, to, version);
  };
  return (
    <ActionForm
      {...props}
      title={translate(ACTION_TEXTS.moveTitle)}
      kind={to === 'cancelled' ? 'danger' : 'primary'}
      isPossible={to === '' ? next.moves.length > 0 : next.moves.includes(to)}
      act={act}
    >
      {(errorOf) => (
        <>
          <ChoiceField
            label={translate(ACTION_TEXTS.to)}
            value={to}
            allowed={next.moves}
            textOf={(choice) => (choice === '' ? translate(ACTION_TEXTS.chooseOne) : statusText(choice))}
            onChange={setTo}
            error={errorOf('to')}
          />
          {to === 'cancelled' && <p>{translate(ACTION_TEXTS.cancelsForGood)}</p>}
        </>
      )}
    </ActionForm>
  );
}

// '' until one is chosen.
type Choice = OrderStatus | '';
