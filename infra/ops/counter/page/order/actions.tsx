import type { OrderWait } from '../../../../../shared/domain/order-waits.ts';
import { KeyButton } from '../ui/button.tsx';
import type { ActionProps } from './action-form.tsx';
import { InvoiceActions } from './invoice-forms.tsx';
import { findNextStep, MoveForm, STEP_TEXTS, type Step, StepForm } from './move-forms.tsx';
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
export const Actions = ({ order, prescription, isOpen, onOpen }: ActionsProps) => (
  <fieldset class="row" aria-label="Acciones">
    {listOffers(order, prescription).map(({ shortcut, text, isNext, open }) => (
      <KeyButton
        key={shortcut}
        shortcut={shortcut}
        text={text}
        kind={isNext ? 'primary' : 'plain'}
        isUnavailable={isOpen}
        run={() => {
          if (!isOpen) onOpen(open);
        }}
      />
    ))}
  </fieldset>
);

type Offer = { readonly shortcut: string; readonly text: string; readonly isNext: boolean; readonly open: OpenAction };

function listOffers(order: ShownOrder, prescription: Prescription | undefined): Offer[] {
  const { next_actions: next, waits_for: waits } = order;
  const step = findNextStep(order);
  const verification = prescription && chooseVerification(order, prescription.id);
  // What the order waits for first is the next thing to do.
  const offer = (shortcut: string, text: string, open: OpenAction, wait?: OrderWait): Offer => ({
    shortcut,
    text,
    isNext: open.action === 'step' || (wait !== undefined && wait === waits[0]),
    open,
  });
  const offers = [
    prescription &&
      verification &&
      offer(
        'v',
        VERIFICATION_TEXTS[verification],
        { action: 'verify', act: verification, prescription },
        'verification',
      ),
    prescription &&
      isRejectable(order, prescription.id) &&
      offer('x', 'Rechazar receta', { action: 'reject', prescription }),
    step && offer('a', STEP_TEXTS[step], { action: 'step', step }),
    next.moves.length > 0 && offer('m', 'Cambiar estado…', { action: 'move' }),
    next.payment_moves.length > 0 && offer('p', 'Pago…', { action: 'pay' }, 'payment'),
    next.refund !== null && offer('d', 'Reembolsar', { action: 'refund' }, 'refund'),
    isAttachable(order) && offer('t', 'Agregar receta…', { action: 'attach' }, 'prescription'),
    (next.invoice.length > 0 || next.credit !== null) && offer('f', 'Factura…', { action: 'invoice' }, 'invoice'),
  ];
  return offers.filter((each) => each !== undefined && each !== false);
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
