import { REGIMES, USES } from '../../../../shared/invoices/rules/sat-tables.ts';
import { INVOICE_ADVICE } from '../../../ops/invoices/advice.ts';
import { InvoiceStatusBadge } from '../ui/badges.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ActionForm, type ActionProps, type Form, type FormField, findChanged } from './action-form.tsx';
import { creditForm } from './move-forms.tsx';
import type { ShownOrder } from './order-texts.ts';

export type InvoiceAction = ShownOrder['next_actions']['invoice'][number];

export const INVOICE_ACTION_TEXTS: Readonly<Record<InvoiceAction, string>> = {
  issue: 'Emitir lo que no se emitió',
  cancel: 'Pedir de nuevo la cancelación',
  replace: 'Sustituir la factura',
  resend: 'Enviar de nuevo el correo',
  handled: 'Marcar como atendida',
};
const MEANINGS: Readonly<Record<InvoiceAction, string>> = {
  issue: 'Se emite ahora lo que no se ha emitido de la orden, con la fecha de hoy, y se manda por correo.',
  cancel: 'Se pide de nuevo la cancelación al SAT. El receptor puede tener que aceptarla.',
  replace:
    'Se emite otra factura con el pago de hoy y con lo que se corrija aquí. La presente vale hasta entonces; después se cancela (motivo 01).',
  resend: 'Se mandan ahora los correos que quizá no llegaron, o de nuevo el de la factura.',
  handled: 'Se registra que alguien ya hizo lo que esperaba. No se emite ni se cancela nada.',
};

type ChoicesProps = { readonly order: ShownOrder; onChoose(form: Form): void; onClose(): void };

/** The choice of what to do with the invoice of an order. */
export const InvoiceChoices = ({ order, onChoose, onClose }: ChoicesProps) => (
  <Dialog title="Qué hacer con la factura" onClose={onClose}>
    <form class="choices">
      {order.next_actions.invoice.map((action) => (
        <Button key={action} onClick={() => onChoose(invoiceForm(action))}>
          {INVOICE_ACTION_TEXTS[action]}
        </Button>
      ))}
      {order.next_actions.credit !== null && <Button onClick={() => onChoose(creditForm)}>Nota de crédito</Button>}
    </form>
  </Dialog>
);

export const InvoiceForm = ({ action, ...props }: ActionProps & { readonly action: InvoiceAction }) => (
  <ActionForm {...props} form={invoiceForm(action)} />
);

/** The form of an action on the invoice of an order: to be confirmed, or with what is corrected of the receiver. */
const invoiceForm =
  (action: InvoiceAction): Form =>
  (order) => {
    const title = INVOICE_ACTION_TEXTS[action];
    const isCorrecting = action === 'replace' || (action === 'issue' && hasFirstInvoiceToIssue(order));
    const receiver = isCorrecting ? listReceiverFields(order) : [];
    return {
      title,
      isPossible: order.next_actions.invoice.includes(action),
      parts: [
        { note: <p class="soft">{MEANINGS[action] + (action === 'issue' && isCorrecting ? CORRECT_HERE : '')}</p> },
        action === 'handled' && { note: <OpenActions actions={order.next_actions.handled} /> },
        ...receiver,
      ],
      async act(run, values) {
        await run(`invoices-${action}`, { orderId: order.id, ...findChanged(receiver, values) });
        return { text: action === 'replace' ? REPLACING : `${title}: hecho.` };
      },
    };
  };

// A job issues what takes the place of an invoice, and SAT may still refuse it.
const REPLACING = 'Sustitución pedida: la nueva factura se emite en unos minutos.';

const CORRECT_HERE = ' Si el motivo fue un dato del receptor, corríjalo aquí.';

const hasFirstInvoiceToIssue = ({ tax_documents: documents }: ShownOrder): boolean => {
  const invoices = documents.filter(({ kind }) => kind === 'invoice');
  return invoices.length === 1 && invoices[0]?.uuid === null;
};

/** The fields of a receiver that can be corrected, by the keys of the command. */
const listReceiverFields = ({ invoicing }: ShownOrder): readonly FormField[] => [
  { name: 'rfc', label: 'RFC', present: invoicing?.rfc },
  { name: 'fullName', label: 'Nombre o razón social', present: invoicing?.full_name },
  { name: 'fiscalRegime', label: 'Régimen fiscal', present: invoicing?.fiscal_regime, options: listOptions(REGIMES) },
  { name: 'cfdiUse', label: 'Uso del CFDI', present: invoicing?.cfdi_use, options: listOptions(USES) },
  { name: 'zipcode', label: 'Código postal', present: invoicing?.zipcode },
  { name: 'email', label: 'Correo', present: invoicing?.email },
];

const listOptions = (codes: Readonly<Record<string, { readonly name: string }>>) =>
  Object.entries(codes).map(([value, { name }]) => ({ value, label: `${value} ${name}` }));

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
