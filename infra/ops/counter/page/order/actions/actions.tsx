import type { OrderStatus } from '../../../../../../shared/domain/order.ts';
import type { OrderWait } from '../../../../../../shared/domain/order-waits.ts';
import { type Text, translate } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { useShortcut } from '../../ui/shortcuts.ts';
import type { Prescription } from '../parts/prescriptions.tsx';
import type { ShownOrder } from '../use-order.ts';
import type { OpenAction } from './open-form.tsx';
import { isRejectable } from './reject.tsx';
import { ACTION_TEXTS, STEP_TEXTS } from './texts.ts';
import { isVerifiable } from './verify.tsx';

type ActionsProps = {
  readonly order: ShownOrder;
  readonly prescription: Prescription | undefined;
  /** True while the form of one is open, which another one would close. */
  readonly isOpen: boolean;
  onOpen(action: OpenAction): void;
};

/** The actions that are possible now, each with a button and a key that open its form. */
export function Actions({ order, prescription, isOpen, onOpen }: ActionsProps) {
  const { next_actions: next } = order;
  const step = findNextStep(order);
  const offer = (action: OpenAction) => ({
    isUnavailable: isOpen,
    run: () => {
      if (!isOpen) onOpen(action);
    },
  });
  const [nextWait] = order.waits_for;
  const kindFor = (wait: OrderWait) => (wait === nextWait ? 'primary' : 'plain');
  const hasInvoiceAction = next.invoice.length > 0 || next.credit !== null;
  return (
    <fieldset class="row" aria-label={translate(ACTION_TEXTS.actions)}>
      {prescription && isVerifiable(order, prescription) && (
        <Action
          shortcut="v"
          text={ACTION_TEXTS.verify}
          kind={kindFor('verification')}
          {...offer({ action: 'verify', prescription })}
        />
      )}
      {prescription && isRejectable(order, prescription) && (
        <Action shortcut="x" text={ACTION_TEXTS.reject} {...offer({ action: 'reject', prescription })} />
      )}
      {step && <Action shortcut="a" text={STEP_TEXTS[step]} kind="primary" {...offer({ action: 'step', step })} />}
      {next.moves.length > 0 && <Action shortcut="m" text={ACTION_TEXTS.move} {...offer({ action: 'move' })} />}
      {next.payment_moves.length > 0 && (
        <Action shortcut="p" text={ACTION_TEXTS.pay} kind={kindFor('payment')} {...offer({ action: 'pay' })} />
      )}
      {next.refund !== null && (
        <Action shortcut="d" text={ACTION_TEXTS.refund} kind={kindFor('refund')} {...offer({ action: 'refund' })} />
      )}
      {hasInvoiceAction && (
        <Action shortcut="f" text={ACTION_TEXTS.invoice} kind={kindFor('invoice')} {...offer({ action: 'invoice' })} />
      )}
    </fieldset>
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
  readonly isUnavailable: boolean;
  run(): void;
};

function Action({ shortcut, text, kind = 'plain', isUnavailable, run }: ActionButtonProps) {
  useShortcut(shortcut, text, run);
  return (
    <Button kind={kind} isUnavailable={isUnavailable} onClick={run}>
      {translate(text)}
    </Button>
  );
}
