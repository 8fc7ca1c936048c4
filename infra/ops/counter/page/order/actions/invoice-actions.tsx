import { useState } from 'preact/hooks';
import { runCommand } from '../../call.ts';
import { type Text, translate } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ActionForm, type ActionProps } from './action-form.tsx';
import { CreditForm } from './credit.tsx';
import { ReplaceForm } from './replace.tsx';
import { ACTION_TEXTS } from './texts.ts';

const PLAIN = {
  issue: { text: ACTION_TEXTS.issue, command: 'invoices-issue' },
  cancel: { text: ACTION_TEXTS.cancelInvoice, command: 'invoices-cancel' },
  resend: { text: ACTION_TEXTS.resend, command: 'invoices-resend' },
  handled: { text: ACTION_TEXTS.handled, command: 'invoices-handled' },
} as const;
type Plain = keyof typeof PLAIN;
type Chosen = Plain | 'replace' | 'credit';

/** The choice of what to do with the invoice of an order, and then its form. */
export function InvoiceActions(props: ActionProps) {
  const [chosen, setChosen] = useState<Chosen>();
  if (chosen === 'replace') return <ReplaceForm {...props} />;
  if (chosen === 'credit') return <CreditForm {...props} />;
  if (chosen) return <PlainForm {...props} action={chosen} />;
  return (
    <Dialog title={translate(ACTION_TEXTS.invoiceTitle)} onClose={props.onClose}>
      <form class="choices">
        {listChoices(props).map(([action, text]) => (
          <Button key={action} onClick={() => setChosen(action)}>
            {translate(text)}
          </Button>
        ))}
      </form>
    </Dialog>
  );
}

function listChoices({ work }: ActionProps): [Chosen, Text][] {
  const { invoice, credit } = work.order.next_actions;
  return [
    ...invoice.map((action): [Chosen, Text] => [
      action,
      action === 'replace' ? ACTION_TEXTS.replace : PLAIN[action].text,
    ]),
    ...(credit === null ? [] : [['credit', ACTION_TEXTS.credit] satisfies [Chosen, Text]]),
  ];
}

/** An action on the invoice that needs nothing but to be confirmed. */
function PlainForm({ action, ...props }: ActionProps & { readonly action: Plain }) {
  const { text, command } = PLAIN[action];
  const act = async (version: number) => {
    await runCommand(command, { orderId: props.work.order.id, version });
    return { text: translate(ACTION_TEXTS.done, { action: translate(text) }) };
  };
  return <ActionForm {...props} title={translate(text)} act={act} />;
}
