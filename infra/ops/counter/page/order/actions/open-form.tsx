import type { Prescription } from '../parts/prescriptions.tsx';
import type { ActionProps } from './action-form.tsx';
import type { Step } from './actions.tsx';
import { InvoiceActions } from './invoice-actions.tsx';
import { MoveForm, StepForm } from './move.tsx';
import { PayForm } from './pay.tsx';
import { RefundForm } from './refund.tsx';
import { RejectForm } from './reject.tsx';
import { VerifyForm } from './verify.tsx';

/** The action whose form is open, with what it was opened for: that stays, whatever others make of the order meanwhile. */
export type OpenAction =
  | { readonly action: 'verify' | 'reject'; readonly prescription: Prescription }
  | { readonly action: 'step'; readonly step: Step }
  | { readonly action: 'move' | 'pay' | 'refund' | 'invoice' };

/** The form of an action. */
export function OpenForm({ open, ...props }: ActionProps & { readonly open: OpenAction }) {
  switch (open.action) {
    case 'verify':
      return <VerifyForm {...props} prescription={open.prescription} />;
    case 'reject':
      return <RejectForm {...props} prescription={open.prescription} />;
    case 'step':
      return <StepForm {...props} step={open.step} />;
    case 'move':
      return <MoveForm {...props} />;
    case 'pay':
      return <PayForm {...props} />;
    case 'refund':
      return <RefundForm {...props} />;
    default:
      return <InvoiceActions {...props} />;
  }
}
