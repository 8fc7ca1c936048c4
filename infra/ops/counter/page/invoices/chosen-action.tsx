import { INVOICE_ACTION_TEXTS, type InvoiceAction, InvoiceForm } from '../order/actions/invoice-actions.tsx';
import { useOrder } from '../order/use-order.ts';
import { translate } from '../text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/notice.tsx';
import { OrderSummary } from './order-summary.tsx';
import { INVOICES_TEXTS } from './texts.ts';

/** An action that a person has chosen, and the order whose invoice it is for. */
export type Chosen = { readonly action: InvoiceAction; readonly order: number };

type ChosenActionProps = { readonly chosen: Chosen; onClose(): void; onDone(sentence: string): void };

/** The form of an action on an invoice, below the facts of its order as it is now. */
export function ChosenAction({ chosen: { action, order: id }, onClose, onDone }: ChosenActionProps) {
  const { work, error } = useOrder(id);
  if (work) {
    const { order } = work;
    const tellDone = ({ text }: { text: string }) =>
      onDone(translate(INVOICES_TEXTS.done, { text, folio: order.folio }));
    return (
      <InvoiceForm
        action={action}
        work={work}
        about={<OrderSummary order={order} />}
        onDone={tellDone}
        onClose={onClose}
      />
    );
  }
  // The focus goes to the form, which stands there once the order is known.
  if (error === undefined) return null;
  return (
    <Dialog title={translate(INVOICE_ACTION_TEXTS[action])} onClose={onClose}>
      <ErrorNotice error={error} />
    </Dialog>
  );
}
