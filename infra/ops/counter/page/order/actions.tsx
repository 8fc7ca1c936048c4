import type { OrderStatus } from '../../../../../shared/domain/order.ts';
import type { OrderWait } from '../../../../../shared/domain/order-waits.ts';
import { Button } from '../ui/button.tsx';
import { useShortcut } from '../ui/shortcuts.ts';
import type { ActionProps } from './action-form.tsx';
import { InvoiceActions } from './invoice-forms.tsx';
import { MoveForm, STEP_TEXTS, type Step, StepForm } from './move-forms.tsx';
import {
  chooseVerification,
  isAttachable,
  isRejectable,
  type Prescription,
  type ShownOrder,
  VERIFICATION_TEXTS,
} from './order-texts.ts';
import { PayForm, RefundForm } from './payment-forms.tsx';
import { AttachForm, RejectForm, VerifyForm } from './prescription-forms.tsx';

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
  const verification = prescription && chooseVerification(order, prescription.id);
  const [nextWait] = order.waits_for;
  const kindFor = (wait: OrderWait) => (wait === nextWait ? 'primary' : 'plain');
  const hasInvoiceAction = next.invoice.length > 0 || next.credit !== null;
  return (
    <fieldset class="row" aria-label="Acciones">
      {prescription && verification && (
        <Action
          shortcut="v"
          text={VERIFICATION_TEXTS[verification]}
          kind={kindFor('verification')}
          {...offer({ action: 'verify', act: verification, prescription })}
        />
      )}
      {prescription && isRejectable(order, prescription.id) && (
        <Action shortcut="x" text="Rechazar receta" {...offer({ action: 'reject', prescription })} />
      )}
      {step && <Action shortcut="a" text={STEP_TEXTS[step]} kind="primary" {...offer({ action: 'step', step })} />}
      {next.moves.length > 0 && <Action shortcut="m" text="Cambiar estado…" {...offer({ action: 'move' })} />}
      {next.payment_moves.length > 0 && (
        <Action shortcut="p" text="Pago…" kind={kindFor('payment')} {...offer({ action: 'pay' })} />
      )}
      {next.refund !== null && (
        <Action shortcut="d" text="Reembolsar" kind={kindFor('refund')} {...offer({ action: 'refund' })} />
      )}
      {isAttachable(order) && (
        <Action shortcut="t" text="Agregar receta…" kind={kindFor('prescription')} {...offer({ action: 'attach' })} />
      )}
      {hasInvoiceAction && (
        <Action shortcut="f" text="Factura…" kind={kindFor('invoice')} {...offer({ action: 'invoice' })} />
      )}
    </fieldset>
  );
}

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
  readonly text: string;
  readonly kind?: 'primary' | 'plain';
  readonly isUnavailable: boolean;
  run(): void;
};

function Action({ shortcut, text, kind = 'plain', isUnavailable, run }: ActionButtonProps) {
  useShortcut(shortcut, text, run);
  return (
    <Button kind={kind} isUnavailable={isUnavailable} onClick={run}>
      {text}
    </Button>
  );
}

/** The action whose form is open, with what it was opened for: that stays, whatever others make of the order meanwhile. */
export type OpenAction =
  | { readonly action: 'verify'; readonly act: keyof typeof VERIFICATION_TEXTS; readonly prescription: Prescription }
  | { readonly action: 'reject'; readonly prescription: Prescription }
  | { readonly action: 'step'; readonly step: Step }
  | { readonly action: 'move' | 'pay' | 'refund' | 'attach' | 'invoice' };

/** The form of an action. */
export function OpenForm({ open, ...props }: ActionProps & { readonly open: OpenAction }) {
  switch (open.action) {
    case 'verify':
      return <VerifyForm {...props} act={open.act} prescription={open.prescription} />;
    case 'reject':
      return <RejectForm {...props} prescription={open.prescription} />;
    case 'step':
      return <StepForm {...props} step={open.step} />;
    case 'move':
      return <MoveForm {...props} />;
    case 'pay':
      return <PayForm {...props} />;
    case 'attach':
      return <AttachForm {...props} />;
    case 'refund':
      return <RefundForm {...props} />;
    default:
      return <InvoiceActions {...props} />;
  }
}
