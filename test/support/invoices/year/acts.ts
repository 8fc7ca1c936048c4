import { listOpenParts, spreadAmount } from '../../../../shared/domain/sale-parts.ts';
import { listUncreditedParts, refuseIrreplaceable } from '../../../../shared/invoices/correct-invoice.ts';
import { startAttempt } from '../../../../shared/invoices/rules/attempts.ts';
import { chooseInvoicePayment } from '../../../../shared/invoices/rules/build/invoice.ts';
import { invoiceRefusal, issueRefusal } from '../../../../shared/invoices/rules/invoice-status.ts';
import { repeatCancellation } from '../../../../shared/invoices/rules/issued-document.ts';
import {
  cancelSale,
  chooseCreditOfRefund,
  findReplacement,
  findValidInvoice,
  getUncreditedCents,
  listOwed,
  listRelated,
  startCredit,
  startReplacement,
} from '../../../../shared/invoices/rules/owed-documents.ts';
import type { Order } from '../../../../shared/order/order.ts';
import {
  canMoveOrder,
  canMovePayment,
  isCancellable,
  ORDER_STATUSES,
  type PaymentStatus,
  sumRefunds,
} from '../../../../shared/order/rules/status.ts';
import type { Act } from './plans.ts';

type Acting = { readonly now: Date; readonly timeZone: string; readonly newKey: () => string };

/** Returns the order after an act of its client or of an operator, and unchanged where the service refuses the act. */
export function actOn(order: Order, act: Act, acting: Acting): Order {
  switch (act.kind) {
    case 'ask':
      return invoiceRefusal(order, acting.now, acting.timeZone) ? order : ask(order, acting);
    case 'issue':
      return canBeIssued(order) ? ask(order, acting) : order;
    case 'advance':
      return advance(order);
    case 'cancel':
      return cancel(order, acting);
    case 'cancel again':
      return cancelAgain(order, acting);
    case 'replace':
      return replace(order, acting);
    case 'pay':
      return movePayment(order, 'paid', { ...acting, form: act.form });
    case 'move payment':
      return movePayment(order, act.to, acting);
    case 'credit':
      return credit(order, act, acting);
    case 'refund':
      return refund(order, act, acting);
  }
}

function ask(order: Order, { now, newKey }: Acting): Order {
  const terms = { kind: 'invoice', key: newKey(), amountCents: order.totalCents } as const;
  return { ...order, invoice: startAttempt({ ...terms, ...chooseInvoicePayment(order) }, now) };
}

/** An operator issues what was not issued, past the window too. */
const canBeIssued = (order: Order): boolean =>
  issueRefusal(order) === null && (order.invoice?.status === 'not_issued' || order.invoice?.status === 'refused');

function advance(order: Order): Order {
  const next = ORDER_STATUSES.filter((status) => canMoveOrder(order, status) && status !== 'cancelled');
  return { ...order, orderStatus: next.at(-1) ?? order.orderStatus };
}

function cancel(order: Order, acting: Acting): Order {
  if (!isCancellable(order.orderStatus)) return order;
  return { ...order, ...cancelSale(order, acting), orderStatus: 'cancelled' };
}

function cancelAgain(order: Order, { now }: Acting): Order {
  const repeat = (document: NonNullable<Order['invoice']>) =>
    document.status === 'cancellation_rejected' ? repeatCancellation(document, now) : document;
  return { ...order, invoice: order.invoice && repeat(order.invoice), documents: order.documents.map(repeat) };
}

function replace(order: Order, { now, timeZone, newKey }: Acting): Order {
  const invoice = findReplaceable(order);
  if (!invoice) return order;
  const others = order.documents.filter(({ kind, providerId }) => kind !== 'invoice' || providerId !== '');
  const replacement = startReplacement(invoice, order, { key: newKey(), now, timeZone });
  return { ...order, documents: [...others, replacement] };
}

function findReplaceable(order: Order) {
  try {
    return refuseIrreplaceable(order);
  } catch {
    return undefined;
  }
}

type Paying = Acting & { readonly form?: string };

function movePayment(order: Order, to: PaymentStatus, { form, now, newKey }: Paying): Order {
  if (!canMovePayment(order, to) || (to === 'paid' && findReplacement(order))) return order;
  const paid = to === 'paid' ? { paymentDate: now.toISOString(), paymentForm: form ?? null } : {};
  const moved = { ...order, ...paid, paymentStatus: to };
  return { ...moved, documents: [...moved.documents, ...listOwed(moved, { newKey, now })] };
}

type Crediting = { readonly share: number; readonly form: string };

const takeShare = (cents: number, share: number): number => Number((BigInt(cents) * BigInt(share)) / 1_000n);

function credit(order: Order, { share, form }: Crediting, { now, newKey }: Acting): Order {
  const invoice = findValidInvoice(order);
  if (!invoice || findReplacement(order)) return order;
  const amountCents = takeShare(getUncreditedCents(order, invoice), share);
  if (amountCents === 0) return order;
  const parts = spreadAmount(listUncreditedParts(order), amountCents);
  const documents = [...order.documents, startCredit(invoice, { key: newKey(), parts, paymentForm: form }, now)];
  return { ...order, documents };
}

function refund(order: Order, { share, form }: Crediting, { now, newKey }: Acting): Order {
  const cents = takeShare(order.totalCents - sumRefunds(order), share);
  if (order.paymentStatus !== 'paid' || cents === 0 || findReplacement(order)) return order;
  const { refunds: earlier = [] } = order;
  const paidBack = earlier.flatMap(({ parts }) => parts);
  const parts = spreadAmount(listOpenParts(order, paidBack), cents);
  const after = { ...order, refunds: [...earlier, { cents, form, at: now.toISOString(), parts }] };
  const invoice = findValidInvoice(order);
  const credits = invoice ? listRelated(order, 'credit', invoice.stamp.uuid) : [];
  const credited = invoice ? chooseCreditOfRefund(after, { parts }, credits) : [];
  if (!invoice || credited.length === 0) return after;
  const note = startCredit(invoice, { key: newKey(), parts: credited, paymentForm: form }, now);
  return { ...after, documents: [...order.documents, note] };
}
