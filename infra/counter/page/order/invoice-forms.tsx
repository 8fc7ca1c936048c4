import { INVOICE_ADVICE } from '../../../../shared/invoices/rules/invoice-advice.ts';
import { Badge, Button } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { INVOICE } from '../ui/statuses.ts';
import { type Form, type FormPart, findChanged } from './action-form.tsx';
import { creditForm } from './refund-forms.tsx';
import type { ShownOrder } from './texts.ts';

export type InvoiceAction = ShownOrder['next_actions']['invoice'][number];

export const INVOICE_ACTION_TEXTS: Readonly<Record<InvoiceAction, string>> = {
  issue: 'Emitir lo que no se emitió',
  issue_to: 'Facturar',
  cancel: 'Pedir de nuevo la cancelación',
  replace: 'Sustituir la factura',
  resend: 'Enviar de nuevo el correo',
  handled: 'Marcar como atendida',
};
const MEANINGS: Readonly<Record<InvoiceAction, string>> = {
  issue: 'Se emite ahora lo que no se ha emitido de la orden, con la fecha de hoy, y se manda por correo.',
  issue_to: 'Se emite ahora la factura a nombre de quien la pide, con la fecha de hoy, y se manda por correo.',
  cancel: 'Se pide de nuevo la cancelación al SAT. El receptor puede tener que aceptarla.',
  replace:
    'Se emite otra factura con el pago de hoy y con lo que se corrija aquí. La presente vale hasta entonces; después se cancela (motivo 01).',
  resend: 'Se mandan ahora los correos que quizá no llegaron, o de nuevo el de la factura.',
  handled: 'Se registra que alguien ya hizo lo que esperaba. No se emite ni se cancela nada.',
};

type ChoicesProps = { readonly order: ShownOrder; onChoose(form: Form): void; onClose(): void };

export const InvoiceChoices = ({ order, onChoose, onClose }: ChoicesProps) => (
  <Dialog title="Qué hacer con la factura" onClose={onClose}>
    <form class="stack">
      {order.next_actions.invoice.map((action) => (
        <Button key={action} onClick={() => onChoose(invoiceForm(action))}>
          {INVOICE_ACTION_TEXTS[action]}
        </Button>
      ))}
      {order.next_actions.credit !== null && <Button onClick={() => onChoose(creditForm)}>Nota de crédito</Button>}
    </form>
  </Dialog>
);

export const invoiceForm =
  (action: InvoiceAction): Form =>
  (order) => {
    const title = INVOICE_ACTION_TEXTS[action];
    const isCorrecting = action === 'replace' || (action === 'issue' && hasFirstInvoiceToIssue(order));
    const isFirst = action === 'issue_to';
    const receiver = isCorrecting || isFirst ? listReceiverFields(order) : [];
    const outOf = isFirst && order.global_invoice ? ' Antes se emite la nota de crédito que la saca de la global.' : '';
    const correct = action === 'issue' && isCorrecting ? ' Si el motivo fue un dato del receptor, corríjalo aquí.' : '';
    return {
      title,
      isPossible: order.next_actions.invoice.includes(action),
      command: isFirst ? 'invoices-issue' : `invoices-${action}`,
      parts: [
        <p class="soft">{MEANINGS[action] + correct + outOf}</p>,
        action === 'handled' && <OpenActions actions={order.next_actions.handled} />,
        ...(isFirst ? receiver.map(toRequired) : receiver),
      ],
      toInput: (values) => ({
        orderId: order.id,
        ...(action === 'handled' && { what: 'invoice' }),
        ...(isFirst ? values : findChanged(receiver, values)),
      }),
      // A job issues the replacement later, and SAT may still refuse it.
      tell: () =>
        action === 'replace' ? 'Sustitución pedida: la nueva factura se emite en unos minutos.' : `${title}: hecho.`,
    };
  };

const hasFirstInvoiceToIssue = ({ tax_documents: documents }: ShownOrder): boolean => {
  const invoices = documents.filter(({ kind }) => kind === 'invoice');
  return invoices.length === 1 && invoices[0]?.uuid === null;
};

// What is bought at a pharmacy is no personal deduction (RLISR art. 264).
const USUAL_USE = 'S01';

const toRequired = ({ name, present }: FormPart): FormPart => ({
  ...{ name, blank: 'Elija uno', isRequired: name !== 'email' },
  present: present ?? (name === 'cfdiUse' ? USUAL_USE : ''),
});

const listReceiverFields = ({ invoicing }: ShownOrder): readonly FormPart[] => [
  { name: 'rfc', present: invoicing?.rfc },
  { name: 'fullName', present: invoicing?.full_name },
  { name: 'fiscalRegime', present: invoicing?.fiscal_regime },
  { name: 'cfdiUse', present: invoicing?.cfdi_use },
  { name: 'zipcode', present: invoicing?.zipcode },
  { name: 'email', present: invoicing?.email },
];

const OpenActions = ({ actions }: { readonly actions: ShownOrder['next_actions']['handled'] }) =>
  actions.length === 0 ? null : (
    <>
      <p>Queda como atendido:</p>
      <ul>
        {actions.map((action) => (
          <li key={action}>
            <Badge {...INVOICE[action]} /> {INVOICE_ADVICE[action].meaning.es}
          </li>
        ))}
      </ul>
    </>
  );
