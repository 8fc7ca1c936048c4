import { useState } from 'preact/hooks';
import { REGIMES, USES } from '../../../../../shared/domain/invoices/sat-tables.ts';
import { INVOICE_ADVICE } from '../../../invoices/advice.ts';
import { InvoiceStatusBadge } from '../ui/badges.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import {
  ActionForm,
  type ActionProps,
  type BoundField,
  type RunAct,
  useFields,
  withoutBlanks,
} from './action-form.tsx';
import { AmountField, PaymentFormField } from './move-forms.tsx';
import type { ShownOrder } from './order-texts.ts';

export type InvoiceAction = ShownOrder['next_actions']['invoice'][number];
type Chosen = InvoiceAction | 'credit';

export const INVOICE_ACTION_TEXTS: Readonly<Record<Chosen, string>> = {
  issue: 'Emitir lo que no se emitió',
  cancel: 'Pedir de nuevo la cancelación',
  replace: 'Sustituir la factura',
  resend: 'Enviar de nuevo el correo',
  handled: 'Marcar como atendida',
  credit: 'Nota de crédito',
};
const MEANINGS: Readonly<Record<InvoiceAction, string>> = {
  issue: 'Se emite ahora lo que no se ha emitido de la orden, con la fecha de hoy, y se manda por correo.',
  cancel: 'Se pide de nuevo la cancelación al SAT. El receptor puede tener que aceptarla.',
  replace:
    'Se emite otra factura con el pago de hoy y con lo que se corrija aquí. La presente vale hasta entonces; después se cancela (motivo 01).',
  resend: 'Se mandan ahora los correos que quizá no llegaron, o de nuevo el de la factura.',
  handled: 'Se registra que alguien ya hizo lo que esperaba. No se emite ni se cancela nada.',
};

export function InvoiceActions(props: ActionProps) {
  const [chosen, setChosen] = useState<Chosen>();
  if (chosen === 'credit') return <CreditForm {...props} />;
  if (chosen) return <InvoiceForm {...props} action={chosen} />;
  return (
    <Dialog title="Qué hacer con la factura" onClose={props.onClose}>
      <form class="choices">
        {listChoices(props).map((action) => (
          <Button key={action} onClick={() => setChosen(action)}>
            {INVOICE_ACTION_TEXTS[action]}
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

/** The form of an action on the invoice of an order: to be confirmed, or with what is corrected of the receiver. */
export function InvoiceForm({ action, ...props }: ActionProps & { readonly action: InvoiceAction }) {
  const { order } = props.work;
  const title = INVOICE_ACTION_TEXTS[action];
  const isCorrecting = action === 'replace' || (action === 'issue' && hasFirstInvoiceToIssue(order));
  const present = presentReceiver(order.invoicing);
  const { fields: receiver, bind } = useFields(present);
  const act = async (run: RunAct) => {
    const corrected = isCorrecting ? FIELDS.filter((field) => receiver[field] !== present[field]) : [];
    const corrections = Object.fromEntries(corrected.map((field) => [field, receiver[field]]));
    await run(`invoices-${action}`, { orderId: order.id, ...corrections });
    return { text: `${title}: hecho.` };
  };
  return (
    <ActionForm {...props} title={title} isPossible={order.next_actions.invoice.includes(action)} act={act}>
      {(errorOf) => (
        <>
          <p class="soft">
            {MEANINGS[action]}
            {action === 'issue' && isCorrecting && ' Si el motivo fue un dato del receptor, corríjalo aquí.'}
          </p>
          {action === 'handled' && <OpenActions actions={order.next_actions.handled} />}
          {isCorrecting && FIELDS.map((field) => <ReceiverField key={field} field={field} {...bind(field, errorOf)} />)}
        </>
      )}
    </ActionForm>
  );
}

const hasFirstInvoiceToIssue = ({ tax_documents: documents }: ShownOrder): boolean => {
  const invoices = documents.filter(({ kind }) => kind === 'invoice');
  return invoices.length === 1 && invoices[0]?.uuid === null;
};

/** Tells what is marked as handled, in the words of the list of invoices. */
function OpenActions({ actions }: { readonly actions: ShownOrder['next_actions']['handled'] }) {
  if (actions.length === 0) return null;
  return (
    <>
      <p>Queda como atendido:</p>
      <ul class="changes">
        {actions.map((action) => (
          <li key={action}>
            <InvoiceStatusBadge status={action} /> {INVOICE_ADVICE[action].meaning.es}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The fields of a receiver that can be corrected, by the keys of the command. */
const LABELS = {
  rfc: 'RFC',
  fullName: 'Nombre o razón social',
  fiscalRegime: 'Régimen fiscal',
  cfdiUse: 'Uso del CFDI',
  zipcode: 'Código postal',
  email: 'Correo',
} as const;
type Receiver = Readonly<Record<keyof typeof LABELS, string>>;
const FIELDS = Object.keys(LABELS) as (keyof Receiver)[];

const CHOICES: Readonly<Partial<Record<keyof Receiver, Readonly<Record<string, { readonly name: string }>>>>> = {
  fiscalRegime: REGIMES,
  cfdiUse: USES,
};

const presentReceiver = (invoicing: ShownOrder['invoicing']): Receiver => ({
  rfc: invoicing?.rfc ?? '',
  fullName: invoicing?.full_name ?? '',
  fiscalRegime: invoicing?.fiscal_regime ?? '',
  cfdiUse: invoicing?.cfdi_use ?? '',
  zipcode: invoicing?.zipcode ?? '',
  email: invoicing?.email ?? '',
});

function ReceiverField({ field, ...value }: BoundField & { readonly field: keyof Receiver }) {
  const label = LABELS[field];
  const choices = CHOICES[field];
  if (!choices) return <TextField {...value} label={label} />;
  const options = Object.entries(choices).map(([code, { name }]) => ({ value: code, label: `${code} ${name}` }));
  return <SelectField {...value} label={label} options={options} />;
}

function CreditForm(props: ActionProps) {
  const { id, next_actions: next } = props.work.order;
  const [present] = useState({ amount: next.credit ?? '', form: '', reason: '' });
  const { fields, bind } = useFields(present);
  const act = async (run: RunAct) => {
    const { amount, ...more } = fields;
    const order = await run('invoices-credit', { orderId: id, amount, ...withoutBlanks(more) });
    return { order, text: 'Nota de crédito: hecho.' };
  };
  return (
    <ActionForm {...props} title="Nota de crédito" isPossible={next.credit !== null} act={act}>
      {(errorOf) => (
        <>
          <AmountField most={next.credit} {...bind('amount', errorOf)} />
          <PaymentFormField blank="La del método de pago" {...bind('form', errorOf)} />
          <TextField label="Motivo" maxLength={200} {...bind('reason', errorOf)} />
        </>
      )}
    </ActionForm>
  );
}
