import { useState } from 'preact/hooks';
import type { OrderStatus } from '../../../../../../shared/domain/order.ts';
import type { OrderWait } from '../../../../../../shared/domain/order-waits.ts';
import { type Text, translate } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { useShortcut } from '../../ui/shortcuts.ts';
import type { Prescription } from '../parts/prescriptions.tsx';
import type { OrderWork, ShownOrder } from '../use-order.ts';
import type { Done } from './action-form.tsx';
import { type OpenAction, OpenForm } from './open-form.tsx';
import { isRejectable } from './reject.tsx';
import { ACTION_TEXTS, STEP_TEXTS } from './texts.ts';
import { isVerifiable } from './verify.tsx';

type ActionsProps = {
  readonly work: OrderWork;
  readonly prescription: Prescription | undefined;
  onDone(done: Done | undefined): void;
};

/** The actions that are possible now, each with a button, a key and a dialog. */
export function Actions({ work, prescription, onDone }: ActionsProps) {
  const [open, setOpen] = useState<OpenAction>();
  const { next_actions: next } = work.order;
  const step = findNextStep(work.order);
  const start = (action: OpenAction) => {
    onDone(undefined);
    setOpen(action);
  };
  const [nextWait] = work.order.waits_for;
  const kindFor = (wait: OrderWait) => (wait === nextWait ? 'primary' : 'plain');
  const hasInvoiceAction = next.invoice.length > 0 || next.credit !== null;
  return (
    <>
      <fieldset class="row" aria-label={translate(ACTION_TEXTS.actions)}>
        {prescription && isVerifiable(work.order, prescription) && (
          <Action
            shortcut="v"
            text={ACTION_TEXTS.verify}
            kind={kindFor('verification')}
            run={() => start({ action: 'verify', prescription })}
          />
        )}
        {prescription && isRejectable(work.order, prescription) && (
          <Action shortcut="x" text={ACTION_TEXTS.reject} run={() => start({ action: 'reject', prescription })} />
        )}
        {step && (
          <Action shortcut="a" text={STEP_TEXTS[step]} kind="primary" run={() => start({ action: 'step', step })} />
        )}
        {next.moves.length > 0 && (
          <Action shortcut="m" text={ACTION_TEXTS.move} run={() => start({ action: 'move' })} />
        )}
        {next.payment_moves.length > 0 && (
          <Action shortcut="p" text={ACTION_TEXTS.pay} kind={kindFor('payment')} run={() => start({ action: 'pay' })} />
        )}
        {next.refund !== null && (
          <Action
            shortcut="d"
            text={ACTION_TEXTS.refund}
            kind={kindFor('refund')}
            run={() => start({ action: 'refund' })}
          />
        )}
        {hasInvoiceAction && (
          <Action
            shortcut="f"
            text={ACTION_TEXTS.invoice}
            kind={kindFor('invoice')}
            run={() => start({ action: 'invoice' })}
          />
        )}
      </fieldset>
      {open && <OpenForm open={open} work={work} onDone={onDone} onClose={() => setOpen(undefined)} />}
    </>
  );
}

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

function findNextStep({ order_status: status, next_actions: { moves } }: ShownOrder): Step | undefined {
  const step = NEXT_STEPS[status];
  return step !== undefined && moves.includes(step) ? step : undefined;
}

type ActionButtonProps = {
  readonly shortcut: string;
  readonly text: Text;
  readonly kind?: 'primary' | 'plain';
  run(): void;
};

function Action({ shortcut, text, kind = 'plain', run }: ActionButtonProps) {
  useShortcut(shortcut, text, run);
  return (
    <Button kind={kind} onClick={run}>
      {translate(text)}
    </Button>
  );
}
