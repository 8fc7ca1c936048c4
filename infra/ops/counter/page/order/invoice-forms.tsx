import { useState } from 'preact/hooks';
import { REGIMES, USES } from '../../../../../shared/domain/invoices/sat-tables.ts';
import { INVOICE_ADVICE } from '../../../invoices/advice.ts';
import { runCommand } from '../call.ts';
import { InvoiceStatusBadge } from '../ui/badges.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { ActionForm, type ActionProps, useWritten } from './action-form.tsx';
import type { ShownOrder } from './order-texts.ts';
import { CreditForm } from './payment-forms.tsx';

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

/** The choice of what to do with the invoice of an order, and then its form. */
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

type InvoiceFormProps = ActionProps & { readonly action: InvoiceAction };

/** The form of an action on the invoice of an order. */
export function InvoiceForm({ action, ...props }: InvoiceFormProps) {
  const texts = { title: INVOICE_ACTION_TEXTS[action], meaning: MEANINGS[action] };
  if (action === 'replace') return <ReceiverForm {...props} {...texts} action={action} />;
  if (action === 'issue' && hasFirstInvoiceToIssue(props.work.order)) {
    const meaning = `${texts.meaning} Si el motivo fue un dato del receptor, corríjalo aquí.`;
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
    return { text: `${title}: hecho.` };
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

type ReceiverFormProps = ActionProps & {
  readonly action: 'issue' | 'replace';
  readonly title: string;
  readonly meaning: string;
};

/** Issues or replaces the invoice, with what is corrected of its receiver. */
function ReceiverForm({ action, title, meaning, ...props }: ReceiverFormProps) {
  const { id, invoicing, next_actions: next } = props.work.order;
  const present = presentReceiver(invoicing);
  const { fields: receiver, write } = useWritten(present);
  const act = async (version: number) => {
    const corrected = Object.fromEntries(
      FIELDS.filter((field) => receiver[field] !== present[field]).map((field) => [field, receiver[field]]),
    );
    await runCommand(`invoices-${action}`, { orderId: id, version, ...corrected });
    return { text: `${title}: hecho.` };
  };
  return (
    <ActionForm {...props} title={title} isPossible={next.invoice.includes(action)} act={act}>
      {(errorOf) => (
        <>
          <p class="soft">{meaning}</p>
          {FIELDS.map((field) => (
            <ReceiverField
              key={field}
              field={field}
              value={receiver[field]}
              error={errorOf(field)}
              onChange={(value) => write(field, value)}
            />
          ))}
        </>
      )}
    </ActionForm>
  );
}

const presentReceiver = (invoicing: ShownOrder['invoicing']): Receiver => ({
  rfc: invoicing?.rfc ?? '',
  fullName: invoicing?.full_name ?? '',
  fiscalRegime: invoicing?.fiscal_regime ?? '',
  cfdiUse: invoicing?.cfdi_use ?? '',
  zipcode: invoicing?.zipcode ?? '',
  email: invoicing?.email ?? '',
});

type ReceiverFieldProps = {
  readonly field: keyof Receiver;
  readonly value: string;
  readonly error: string | undefined;
  onChange(value: string): void;
};

function ReceiverField({ field, ...value }: ReceiverFieldProps) {
  const label = LABELS[field];
  const choices = CHOICES[field];
  if (!choices) return <TextField {...value} label={label} />;
  const options = Object.entries(choices).map(([code, { name }]) => ({ value: code, label: `${code} ${name}` }));
  return <SelectField {...value} label={label} options={options} />;
}
