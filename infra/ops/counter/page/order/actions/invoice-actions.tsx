import { useState } from 'preact/hooks';
import { INVOICE_ADVICE } from '../../../../invoices/advice.ts';
import { runCommand } from '../../call.ts';
import { InvoiceStatusBadge } from '../../invoices/status-texts.tsx';
import { type Text, translate } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { ShownOrder } from '../use-order.ts';
import { ActionForm, type ActionProps } from './action-form.tsx';
import { CreditForm } from './credit.tsx';
import { ReceiverForm } from './receiver.tsx';
import { ACTION_TEXTS } from './texts.ts';

export type InvoiceAction = ShownOrder['next_actions']['invoice'][number];
type Chosen = InvoiceAction | 'credit';

export const INVOICE_ACTION_TEXTS: Readonly<Record<Chosen, Text>> = {
  issue: ACTION_TEXTS.issue,
  cancel: ACTION_TEXTS.cancelInvoice,
  replace: ACTION_TEXTS.replace,
  resend: ACTION_TEXTS.resend,
  handled: ACTION_TEXTS.handled,
  credit: ACTION_TEXTS.credit,
};
const MEANINGS: Readonly<Record<InvoiceAction, Text>> = {
  issue: ACTION_TEXTS.issueMeaning,
  cancel: ACTION_TEXTS.cancelMeaning,
  replace: ACTION_TEXTS.replaceMeaning,
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
export function InvoiceForm({ action, ...props }: InvoiceFormProps) {
  const texts = { title: translate(INVOICE_ACTION_TEXTS[action]), meaning: translate(MEANINGS[action]) };
  if (action === 'replace') return <ReceiverForm {...props} {...texts} action={action} />;
  if (action === 'issue' && hasFirstInvoiceToIssue(props.work.order)) {
    const meaning = `${texts.meaning} ${translate(ACTION_TEXTS.correctHere)}`;
    return <ReceiverForm {...props} {...texts} meaning={meaning} action={action} />;
  }
  return <PlainForm {...props} {...texts} action={action} />;
}

const hasFirstInvoiceToIssue = ({ tax_documents: documents }: ShownOrder): boolean => {
  const invoices = documents.filter(({ kind }) => kind === 'invoice');
  return invoices.length === 1 && invoices[0]?.uuid === null;
};

type PlainFormProps = InvoiceFormProps & { readonly title: string; readonly meaning: string };

/** An action on the invoice that needs nothing but to be confirmed. */
function PlainForm({ action, title, meaning, ...props }: PlainFormProps) {
  const { id, next_actions: next } = props.work.order;
  const act = async (version: number) => {
    await runCommand(`invoices-${action}`, { orderId: id, version });
    return { text: translate(ACTION_TEXTS.done, { action: title }) };
  };
  return (
    <ActionForm {...props} title={title} isPossible={next.invoice.includes(action)} act={act}>
      {() => (
        <>
          <p class="soft">{meaning}</p>
          {action === 'handled' && <OpenActions actions={next.handled} />}
        </>
      )}
    </ActionForm>
  );
}

/** Tells what is marked as handled, in the words of the list of invoices. */
function OpenActions({ actions }: { readonly actions: ShownOrder['next_actions']['handled'] }) {
  if (actions.length === 0) return null;
  return (
    <>
      <p>{translate(ACTION_TEXTS.handledActions)}</p>
      <ul class="changes">
        {actions.map((action) => (
          <li key={action}>
            <InvoiceStatusBadge status={action} /> {translate(INVOICE_ADVICE[action].meaning)}
          </li>
        ))}
      </ul>
    </>
  );
}
