import { formatMoney } from '../ui/format.ts';
import { type Form, type FormPart, fieldError, type Values } from './action-form.tsx';
import { join, refundDoneText, type ShownOrder } from './texts.ts';

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
        { name: 'form', blank, present: isProvided ? '' : order.payment_form, isRequired: !isProvided },
        { name: 'reason', hint: 'Queda en el historial', isRequired: true, present: isAll ? 'Orden cancelada' : '' },
      ],
      toInput: (values) => ({ id: order.id, ...readParts(values, left), surplus: isSurplus }),
      tell: ({ refunds }) => `Reembolso de ${formatMoney(refunds.at(-1)?.amount ?? 0)} ${refundDoneText({ refunds })}.`,
    };
  };

export const creditForm: Form = (order) => {
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
      order.tax_documents.some(({ kind }) => kind === 'credit' || kind === 'global_credit') && 'again',
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
