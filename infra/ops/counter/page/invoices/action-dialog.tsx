import { useState } from 'preact/hooks';
import { formatFolio } from '../../../../../shared/domain/order.ts';
import { CallError, type DocumentOf } from '../call.ts';
import { translate } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice, explain, Notice } from '../ui/notice.tsx';
import { useCommand } from '../ui/use-command.ts';
import { type ChosenAction, type Corrections, MEANINGS, runAction } from './actions.ts';
import { CorrectionFields } from './correction-fields.tsx';
import { OrderSummary } from './order-summary.tsx';
import { INVOICES_TEXTS } from './texts.ts';

type DialogProps = {
  readonly chosen: ChosenAction;
  onClose(): void;
  /** Called when the action has failed, which may have changed the invoice. */
  onFailed(): Promise<void>;
  onDone(sentence: string): void;
};

/** Shows the order of an invoice as it is now, and does what was chosen once that is confirmed. */
export function ActionDialog(props: DialogProps) {
  const { chosen, onClose } = props;
  const { document: order, error, reload } = useCommand('orders-show', { id: chosen.order });
  const title = translate(INVOICES_TEXTS.actionOn, nameAction(chosen));
  // The focus goes to the form, which stands there once the order is known.
  if (!order && error === undefined) return null;
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="invoice-action">
        <p>{translate(MEANINGS[chosen.action])}</p>
        <ErrorNotice error={error} />
        {order && <OrderSummary order={order} />}
        {order && <ActionForm {...props} order={order} reloadOrder={reload} />}
      </div>
    </Dialog>
  );
}

const nameAction = ({ action, order }: ChosenAction) => ({
  action: translate(INVOICES_TEXTS[action]),
  folio: formatFolio(order),
});

type FormProps = DialogProps & { readonly order: DocumentOf<'orders-show'>; reloadOrder(): Promise<void> };

function ActionForm({ chosen, order, onClose, onFailed, onDone, reloadOrder }: FormProps) {
  const [corrections, setCorrections] = useState<Corrections>({});
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { action } = chosen;
  const isAllowed = order.next_actions.invoice.includes(action);
  const send = async () => {
    setBusy(true);
    try {
      await runAction({ ...chosen, version: order.version, corrections });
      onDone(translate(INVOICES_TEXTS.done, nameAction(chosen)));
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
      await Promise.all([reloadOrder(), onFailed()]);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void send();
      }}
    >
      {action === 'replace' && isAllowed && (
        <CorrectionFields corrections={corrections} error={error} onChange={setCorrections} />
      )}
      {!isAllowed && error === undefined && <Notice kind="info">{translate(INVOICES_TEXTS.notAllowed)}</Notice>}
      {error !== undefined && <Notice kind="error">{explainFailure(error, chosen)}</Notice>}
      <div class="row">
        {isAllowed && (
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {translate(INVOICES_TEXTS[action])}
          </Button>
        )}
        <Button onClick={onClose}>{translate(INVOICES_TEXTS.back)}</Button>
      </div>
    </form>
  );
}

/** The sentence of a command that has done a part, or that was called wrongly, is in English alone. */
function explainFailure(error: unknown, { action }: ChosenAction): string {
  if (error instanceof CallError && error.code === 'invalid_input') return translate(INVOICES_TEXTS.correctMarked);
  const isPart = error instanceof CallError && error.code === 'command_failed';
  if (isPart && action === 'issue') return translate(INVOICES_TEXTS.issueFailed);
  if (isPart && action === 'cancel') return translate(INVOICES_TEXTS.cancelFailed);
  return explain(error);
}
