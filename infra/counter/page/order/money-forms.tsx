import { INVOICE_ADVICE } from '../../../../shared/invoices/rules/invoice-advice.ts';
import { Badge, Button, Dialog } from '../ui/controls.tsx';
import { formatMoney } from '../ui/format.ts';
import { INVOICE } from '../ui/statuses.ts';
import { type Form, type FormPart, fieldError, findChanged, type Values } from './action-form.tsx';
import { join, type ShownOrder } from './texts.ts';

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
  handled: 'Se registra que alguien ya hizo lo que esperaba; no se emite ni se cancela nada. Queda como atendido:',
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
  ...{ name, blank: 'Elija uno', required: name !== 'email' },
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

const OpenActions = ({ actions }: { readonly actions: ShownOrder['next_actions']['handled'] }) => (
  <ul>
    {actions.map((action) => (
      <li key={action}>
        <Badge {...INVOICE[action]} /> {INVOICE_ADVICE[action].meaning.es}
      </li>
    ))}
  </ul>
);

/** Refunds a part of the payment, or of money beside the total. Only that of a cancelled order is filled in: all of it. */
export const refundForm =
  (opened: ShownOrder): Form =>
  (order, written) => {
    const { next_actions: next, left: all } = order;
    const isOpenBoth = opened.next_actions.refund !== null && opened.left.surplus !== null;
    const isSurplus = opened.next_actions.refund === null || Boolean(written.surplus);
    const isProvided = isSurplus ? order.collecting?.method === 'card' : next.is_refund_provided;
    const [left, most] = isSurplus ? [[], all.surplus] : [all.refund, next.refund];
    const isOfCancelled = !isSurplus && order.order_status === 'cancelled';
    const isAll = isOfCancelled && written.all !== '';
    const blank = isProvided ? 'Por el proveedor de pagos' : 'Elija una';
    return {
      title: 'Reembolsar',
      kind: 'danger',
      isPossible: most !== null,
      command: 'orders-refund',
      parts: [
        isOpenBoth && 'surplus',
        isOfCancelled && { name: 'all', label: `Todo lo que queda: ${formatMoney(most ?? 0)}`, present: 'yes' },
        ...(isAll ? [] : listPartFields(order, left, most)),
        { name: 'form', blank, present: isProvided ? '' : order.payment_form, required: !isProvided },
        { name: 'reason', hint: 'Queda en el historial', required: true, present: isAll ? 'Orden cancelada' : '' },
      ],
      toInput: (values) => ({ ...readParts(values, left), surplus: isSurplus }),
      tell: ({ refunds }) => {
        const { amount = 0, status } = refunds.at(-1) ?? {};
        const end = status === 'pending' ? 'pedido al proveedor, que aún no lo confirma' : 'registrado';
        return `Reembolso de ${formatMoney(amount)} ${end}.`;
      },
    };
  };

const creditForm: Form = (order) => {
  const [{ credit }, { credit: left }] = [order.next_actions, order.left];
  return {
    title: 'Nota de crédito',
    isPossible: credit !== null,
    command: 'invoices-credit',
    parts: [
      ...listPartFields(order, left, credit),
      { name: 'form', blank: 'La del método de pago' },
      'reason',
      order.tax_documents.some(({ kind }) => kind === 'credit' || kind === 'global_credit') && 'again',
    ],
    toInput: ({ again, ...values }) => ({ ...readParts(values, left), again: again !== undefined }),
    tell: () => 'Nota de crédito pedida: se emite en unos minutos.',
  };
};

type LeftParts = ShownOrder['left']['refund'];

const listPartFields = ({ details }: ShownOrder, left: LeftParts, most: string | null): FormPart[] => [
  ...left.map(({ line, quantity, amount }): FormPart => {
    if (line === null) return { name: 'shipping', label: `Envío: ${formatMoney(amount)}` };
    const product = details.find(({ id }) => id === line);
    const label = `Piezas de ${join([product?.name, product?.presentation])}`;
    return { name: pieces(line), label, hint: `Quedan ${quantity}: ${formatMoney(amount)}`, inputMode: 'decimal' };
  }),
  { name: 'amount', hint: `A lo más ${formatMoney(most ?? 0)}` },
];

const pieces = (line: number): string => `line ${line}`;

/** Returns the parts to refund, by the keys of the command. Throws a CallError if they are none, contradictory or too many. */
function readParts({ amount, all, shipping, form, reason, ...values }: Values, left: LeftParts) {
  if (all !== undefined) return { form, reason, all: true };
  const line = left.flatMap(({ line: id, quantity }) => {
    const written = id === null ? undefined : values[pieces(id)];
    if (id === null || written === undefined) return [];
    if (/^[1-9]\d*$/.test(written) && Number(written) <= quantity) return [`${id}:${written}`];
    throw fieldError(pieces(id), `Escriba cuántas piezas, de 1 a ${quantity}.`);
  });
  const isByLine = line.length > 0 || shipping !== undefined;
  if (isByLine && amount !== undefined)
    throw fieldError('amount', 'Deje en blanco el importe, o las piezas y el envío.');
  if (!isByLine && amount === undefined) throw fieldError('amount', 'Escriba qué se devuelve.');
  return { form, reason, ...(isByLine ? { line, shipping: shipping !== undefined } : { amount }) };
}
