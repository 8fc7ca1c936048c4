import { useState } from 'preact/hooks';
import { runCommand } from '../../call.ts';
import { type Text, translate } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { ShownOrder } from '../use-order.ts';
import { ActionForm, type ActionProps } from './action-form.tsx';
import { CreditForm } from './credit.tsx';
import { ReplaceForm } from './replace.tsx';
import { ACTION_TEXTS } from './texts.ts';

export type InvoiceAction = ShownOrder['next_actions']['invoice'][number];
type Chosen = InvoiceAction | 'credit';
type Plain = Exclude<InvoiceAction, 'replace'>;

export const INVOICE_ACTION_TEXTS: Readonly<Record<Chosen, Text>> = {
  issue: ACTION_TEXTS.issue,
  cancel: ACTION_TEXTS.cancelInvoice,
  replace: ACTION_TEXTS.replace,
  resend: ACTION_TEXTS.resend,
  handled: ACTION_TEXTS.handled,
  credit: ACTION_TEXTS.credit,
};
const MEANINGS: Readonly<Record<Plain, Text>> = {
  issue: ACTION_TEXTS.issueMeaning,
  cancel: ACTION_TEXTS.cancelMeaning,
  resend: ACTION_TEXTS.resendMeaning,
  handled: ACTION_TEXTS.handledMeaning,
};

/** The choice of what to do with the invoice of an order, and then its form. */
export function InvoiceActions(props: ActionProps) {
  const [chosen, setChosen] = useState<Chosen>();
  if (chosen === 'credit') return <CreditForm {...props} />;
  if (chosen) return <InvoiceForm {...props} action={chosen} />;
  return (
    <Dialog title={translate(ACTION_TEXTS.invoiceTitle)} onClose={props.onClose}>
      <form class="choices">
        {listChoices(props).map((action) => (
          <Button key={action} onClick={() => setChosen(action)}>
            {translate(INVOICE_ACTION_TEXTS[action])}
          </Button>
        ))}
      </form>
    </Dialog>
  );
}

function listChoices({ work }: ActionProps): Chosen[] {
  const { invoice, credit } = work.order.next_actions;
  return credit === null ? invoice : [...invoice, 'credit'];
}

type InvoiceFormProps = ActionProps & { readonly action: InvoiceAction };

/** The form of an action on the invoice of an order. */
export const InvoiceForm = ({ action, ...props }: InvoiceFormProps) =>
  action === 'replace' ? <ReplaceForm {...props} /> : <PlainForm {...props} action={action} />;

/** An action on the invoice that needs nothing but to be confirmed. */
function PlainForm({ action, ...props }: ActionProps & { readonly action: Plain }) {
  const title = translate(INVOICE_ACTION_TEXTS[action]);
  const act = async (version: number) => {
    await runCommand(`invoices-${action}`, { orderId: props.work.order.id, version });
    return { text: translate(ACTION_TEXTS.done, { action: title }) };
  };
  return (
    <ActionForm {...props} title={title} act={act}>
      {() => <p class="soft">{translate(MEANINGS[action])}</p>}
    </ActionForm>
  );
}
