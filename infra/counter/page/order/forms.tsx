import { ORDER_STATUSES, type OrderStatus, PAYMENT_STATUSES } from '../../../../shared/order/rules/status.ts';
import { INVOICE_ADVICE } from '../../../ops/invoices/advice.ts';
import { Badge, Button, Dialog, Notice } from '../ui/controls.tsx';
import { formatMoney } from '../ui/format.ts';
import { callServer } from '../ui/server.ts';
import { INVOICE, ORDER, PAYMENT } from '../ui/statuses.ts';
import { type Form, type FormPart, fieldError, type Values } from './action-form.tsx';
import { PatientHead } from './parts.tsx';
import {
  findVerifiable,
  isAttachable,
  isRejectable,
  join,
  type Prescription,
  quantitiesText,
  refundDoneText,
  type ShownOrder,
  unpaidWarning,
  verificationText,
} from './texts.ts';

export const STEP_TEXTS = {
  approved: 'Aprobar',
  in_process: 'Surtir',
  ready: 'Marcar lista',
  shipped: 'Enviar',
  delivered: 'Entregar',
} as const;
type Step = keyof typeof STEP_TEXTS;

// The way of an order that nothing stops; whether a step is allowed, the rules say.
const NEXT_STEPS: Readonly<Partial<Record<OrderStatus, Step>>> = {
  quoted: 'approved',
  pending_approval: 'approved',
  approved: 'in_process',
  in_process: 'ready',
  ready: 'shipped',
  shipped: 'delivered',
  delayed: 'ready',
  shortage: 'approved',
};

export function findNextStep({ order_status: status, next_actions: { moves } }: ShownOrder): Step | undefined {
  const step = NEXT_STEPS[status];
  return step !== undefined && moves.includes(step) ? step : undefined;
}

const CANCELLING = 'Una orden cancelada queda así: su factura se cancela, y lo que se pagó queda por reembolsar.';

/**
 * Moves an order by this step, once it is confirmed; without one to any status that the rules allow, of which others than the
 * next step of the order as it was opened, such as a cancellation, have to be chosen.
 */
export function moveForm(opened: ShownOrder, step?: Step): Form {
  const first = step ?? findNextStep(opened);
  return (order, written) => {
    const { moves } = order.next_actions;
    const to = ORDER_STATUSES.find((status) => status === (written.to ?? first));
    const isPossible = to === undefined ? moves.length > 0 : moves.includes(to);
    const warning = to === undefined || !isPossible ? '' : unpaidWarning(order, to);
    return {
      title: step ? STEP_TEXTS[step] : 'Cambiar el estado de la orden',
      kind: to === 'cancelled' ? 'danger' : 'primary',
      isPossible,
      command: 'orders-move',
      parts: [
        step
          ? isPossible && { note: <p>{`${ORDER[order.order_status].text} → ${ORDER[step].text}`}</p> }
          : statusField('to', to, moves),
        warning !== '' && { note: <Notice kind="warning">{warning}</Notice> },
        to === 'shipped' && 'carrier',
        to === 'shipped' && 'tracking',
        to === 'cancelled' && { note: <p>{CANCELLING}</p> },
      ],
      toInput: (values) => ({ ...values, id: order.id, to }),
      tell: ({ order_status: status }) => `La orden ahora está: ${ORDER[status].text}.`,
    };
  };
}

/** The choice among the statuses that the rules allow now; what was chosen stays, also if they allow it no more. */
const statusField = (name: 'to' | 'status', chosen: string | undefined, allowed: readonly string[]): FormPart => ({
  name,
  present: chosen,
  choices: chosen === undefined || allowed.includes(chosen) ? allowed : [chosen, ...allowed],
  blank: chosen === undefined ? 'Elija uno' : undefined,
});

const PAYING_CANCELLED = 'La orden está cancelada: lo que se paga queda por reembolsar.';

export function payForm({ payment_status, next_actions: { payment_moves: moves } }: ShownOrder): Form {
  const first = moves.find((each) => each === 'paid') ?? moves[0] ?? payment_status;
  return ({ id, order_status: orderStatus, next_actions: next }, written) => {
    const { payment_moves: allowed, is_form_required: isRequired } = next;
    const status = PAYMENT_STATUSES.find((each) => each === written.status) ?? first;
    return {
      title: 'Cambiar el estado del pago',
      isPossible: allowed.includes(status),
      command: 'orders-pay',
      parts: [
        statusField('status', status, allowed),
        orderStatus === 'cancelled' && status === 'paid' && { note: <p>{PAYING_CANCELLED}</p> },
        status === 'paid' && { name: 'form', blank: isRequired ? 'Elija una' : 'La del método de pago', isRequired },
        status === 'rejected' && 'reason',
      ],
      toInput: (values) => ({ ...values, id, status }),
      tell: () => `Estado del pago: ${PAYMENT[status].text}.`,
    };
  };
}

/** Refunds a part of what was paid, or of what came beside the total. Nothing goes back that the reader has not written. */
export const refundForm =
  (opened: ShownOrder): Form =>
  (order, written) => {
    const { next_actions: next, left: all } = order;
    const isOpenBoth = opened.next_actions.refund !== null && opened.left.surplus !== null;
    const isSurplus = opened.next_actions.refund === null || Boolean(written.surplus);
    const isProvided = isSurplus ? order.collecting?.method === 'card' : next.is_refund_provided;
    const [left, most] = isSurplus ? [[], all.surplus] : [all.refund, next.refund];
    const blank = isProvided ? 'Por el proveedor de pagos' : 'Elija una';
    return {
      title: 'Reembolsar',
      kind: 'danger',
      isPossible: most !== null,
      command: 'orders-refund',
      parts: [
        isOpenBoth && 'surplus',
        ...listPartFields(order, left, most),
        { name: 'form', blank, present: isProvided ? '' : order.payment_form, isRequired: !isProvided },
        { name: 'reason', hint: 'Queda en el historial', isRequired: true },
      ],
      toInput: (values) => ({ id: order.id, ...readParts(values, left), surplus: isSurplus }),
      tell: ({ refunds }) => `Reembolso de ${formatMoney(refunds.at(-1)?.amount ?? 0)} ${refundDoneText({ refunds })}.`,
    };
  };

const creditForm: Form = (order) => {
  const { credit } = order.next_actions;
  const { credit: left } = order.left;
  return {
    title: 'Nota de crédito',
    isPossible: credit !== null,
    command: 'invoices-credit',
    parts: [
      ...listPartFields(order, left, credit),
      { name: 'form', blank: 'La del método de pago' },
      'reason',
      order.tax_documents.some(({ kind }) => kind === 'credit') && 'again',
    ],
    toInput: ({ again, ...values }) => ({ orderId: order.id, ...readParts(values, left), again: again !== undefined }),
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

/** Returns what is to go back, by the keys of the command. Throws a CallError unless it is one thing, and left. */
function readParts({ amount, shipping, form, reason, ...values }: Values, left: LeftParts) {
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

export const verifyForm =
  (title: string, id: number): Form =>
  (order) => {
    const prescribed = order.details.filter((line) => line.requires_prescription && line.quantity > 0);
    const { prescriber } = order.prescriptions.find((each) => each.id === id) ?? {};
    const fields = listPrescriberFields(prescriber);
    const { is_age_to_accept: isOld = false, is_copy_to_accept: isCopy = false } = findVerifiable(order, id) ?? {};
    return {
      title: nameAct(order, id, title),
      isBeside: true,
      isPossible: verificationText(order, id) !== '',
      command: 'orders-verify-prescription',
      parts: [
        { note: <PatientHead order={order} /> },
        { note: <p>{`Se verifica para: ${quantitiesText(prescribed, order)}`}</p> },
        ...fields,
        isOld && { name: 'acceptAge', isRequired: true },
        isCopy && { name: 'acceptCopy', isRequired: true },
      ],
      toInput: ({ acceptAge, acceptCopy, ...written }) => ({
        ...{ id: order.id, prescription: id },
        ...{ acceptAge: acceptAge !== undefined, acceptCopy: acceptCopy !== undefined },
        ...readPrescriber(fields, written),
      }),
      tell: () => `Receta ${id} verificada.`,
    };
  };

const listPrescriberFields = (prescriber: Prescription['prescriber'] | undefined): readonly FormPart[] => [
  { name: 'prescriber', present: prescriber?.name },
  { name: 'licence', present: prescriber?.licence },
  { name: 'prescriberAddress', present: prescriber?.address },
];

/** Returns the prescriber if it is another one than is recorded. Throws a CallError if nothing of them is left. */
function readPrescriber(fields: readonly FormPart[], values: Values): Values {
  if (Object.keys(findChanged(fields, values)).length === 0) return {};
  if (Object.keys(values).length > 0) return values;
  throw fieldError('prescriber', 'Quien prescribe ya está anotado: escriba a quién anotar en su lugar.');
}

/** Returns the values of the fields that say something else than the order; '' for one that is erased. */
const findChanged = (fields: readonly FormPart[], values: Values): Values =>
  Object.fromEntries(
    fields
      .filter(({ name, present }) => (values[name] ?? '') !== (present ?? ''))
      .map(({ name }) => [name, values[name] ?? '']),
  );

const nameAct = ({ prescriptions }: ShownOrder, id: number, act: string): string =>
  prescriptions.length > 1 ? `${act} ${id}` : act;

export const rejectForm =
  (id: number): Form =>
  (order) => ({
    title: nameAct(order, id, 'Rechazar receta'),
    kind: 'danger',
    isBeside: true,
    isPossible: isRejectable(order, id),
    command: 'orders-reject-prescription',
    parts: ['reason'],
    toInput: (values) => ({ ...values, id: order.id, prescription: id }),
    tell: () => `Receta ${id} rechazada.`,
  });

export const attachForm: Form = (order) => ({
  title: 'Agregar receta',
  isPossible: isAttachable(order),
  parts: [
    { note: <PatientHead order={order} /> },
    { name: 'file', kind: 'file', label: 'Archivo', hint: 'PDF, JPEG o PNG, de 3 MB a lo más', isRequired: true },
    { name: 'issueDate', kind: 'date', label: 'Expedida el', isRequired: true },
    { name: 'expiringDate', kind: 'date', label: 'Vence el', hint: 'Si la receta lo dice' },
  ],
  toInput: ({ file: name = '', ...dates }) => ({ ...dates, name }),
  async send({ file: name = '', ...dates }, data) {
    const query = new URLSearchParams({ ...dates, name });
    const file = data.get('file');
    const path = `/documents/${order.id}?${query}`;
    type Answer = { readonly document: ShownOrder };
    return (await callServer<Answer>('POST', path, file instanceof File ? file : new Blob())).document;
  },
  tell: () => 'La receta se agregó: falta verificarla.',
});

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
    const receiver = isCorrecting ? listReceiverFields(order) : [];
    const correct = action === 'issue' && isCorrecting ? ' Si el motivo fue un dato del receptor, corríjalo aquí.' : '';
    return {
      title,
      isPossible: order.next_actions.invoice.includes(action),
      command: `invoices-${action}`,
      parts: [
        { note: <p class="soft">{MEANINGS[action] + correct}</p> },
        action === 'handled' && { note: <OpenActions actions={order.next_actions.handled} /> },
        ...receiver,
      ],
      toInput: (values) => ({ orderId: order.id, ...findChanged(receiver, values) }),
      // A job issues what takes the place of an invoice, and SAT may still refuse it.
      tell: () =>
        action === 'replace' ? 'Sustitución pedida: la nueva factura se emite en unos minutos.' : `${title}: hecho.`,
    };
  };

const hasFirstInvoiceToIssue = ({ tax_documents: documents }: ShownOrder): boolean => {
  const invoices = documents.filter(({ kind }) => kind === 'invoice');
  return invoices.length === 1 && invoices[0]?.uuid === null;
};

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
