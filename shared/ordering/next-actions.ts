import { formatCents } from '../domain/money.ts';
import { refusedToOperator } from '../domain/operator-refusal.ts';
import { Refusal } from '../domain/refusal.ts';
import type { SalePart } from '../domain/sale-parts.ts';
import { localDate } from '../domain/working-day.ts';
import {
  getCreditableCents,
  listUncreditedParts,
  refuseCredit,
  refuseIrreplaceable,
} from '../invoices/correct-invoice.ts';
import { addFirstInvoice, canStartFirstInvoice, chooseUnissued } from '../invoices/issue-unissued.ts';
import { chooseOpenActions, chooseRejected, chooseResendable } from '../invoices/open-actions.ts';
import { listOpenActions } from '../invoices/rules/invoice-status.ts';
import type { Order } from '../order/order.ts';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../order/rules/status.ts';
import { refusePaymentMove } from '../payments/move-payment.ts';
import { isRefundProvided, listRefundableParts, refuseRefund } from '../payments/refund-order.ts';
import { getRefundableCents, getSurplusCents, isWhollyRefunded } from '../payments/rules/payment-exceptions.ts';
import { refuseDispensed, refuseUnverifiable, type Terms } from '../prescriptions/judge-prescription.ts';
import { findUncovered, findUnnamed } from '../prescriptions/rules/prescription.ts';
import type { Business } from '../runtime/config.ts';
import { refuseMove } from './move-order.ts';

type When = Omit<Terms, 'today'> & { readonly now: Date; readonly business: Business };

/** Returns an operator's options, from the checks of the use cases themselves. `uncovered`: products that block an approval. */
export function listNextActions(order: Order, when: When) {
  const today = localDate(when.now, when.business.timeZone);
  const { maximumAgeDays, copies } = when;
  return {
    moves: ORDER_STATUSES.filter((to) => passes(() => refuseMove(order, to, today))),
    uncovered: findUncovered(order.lines, order.prescriptions, today).map(
      ({ productId: product, quantity, coveredQuantity: verified }) => ({ product, quantity, verified }),
    ),
    /** The prescription whose prescriber has to be recorded before its antibiotic is prepared; null without one. */
    unnamed: findUnnamed(order.lines, order.prescriptions, today)?.id ?? null,
    ...listPayments(order),
    verify: listVerifiable(order, { today, maximumAgeDays, copies }),
    reject: order.prescriptions
      .filter((prescription) => passes(() => refuseDispensed(order, prescription)))
      .map(({ id }) => id),
    ...listInvoiceActions(order, when),
  };
}

function passes(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

// Any value of c_FormaPago shows whether one is missing.
const SOME_FORM = '01';

function listPayments(order: Order) {
  const isPayable = (form?: string) => passes(() => refusePaymentMove(order, { to: 'paid', form }));
  const refundable = getRefundableCents(order);
  return {
    payment_moves: PAYMENT_STATUSES.filter((to) => passes(() => refusePaymentMove(order, { to, form: SOME_FORM }))),
    /** True if the payment method does not determine the form. */
    is_form_required: isPayable(SOME_FORM) && !isPayable(),
    /** True if the payment provider gives refunds without a form. */
    is_refund_provided: isRefundProvided(order),
    refund: refundable > 0 && passes(() => refuseRefund(order, refundable)) ? formatCents(refundable) : null,
  };
}

/** Returns what can still be refunded and credited by line (null: shipping), and the money beyond the total. */
export function listLeft(order: Order) {
  const surplusCents = getSurplusCents(order);
  return {
    refund: representLeft(listRefundableParts(order)),
    credit: representLeft(listUncreditedParts(order)),
    surplus: surplusCents > 0 ? formatCents(surplusCents) : null,
  };
}

const representLeft = (open: readonly SalePart[]) =>
  open
    .filter(({ cents }) => cents > 0)
    .map(({ line, quantity, cents }) => ({ line, quantity, amount: formatCents(cents) }));

const ACCEPTED = { age: 'accepted', copy: 'accepted' } as const;

const listVerifiable = (order: Order, terms: Terms) =>
  order.prescriptions.flatMap((prescription) => {
    const isRefused = (checks: { age?: 'checked'; copy?: 'checked' }) =>
      !passes(() => refuseUnverifiable(order, [prescription], { ...terms, ...ACCEPTED, ...checks }));
    if (isRefused({})) return [];
    const [is_age_to_accept, is_copy_to_accept] = [isRefused({ age: 'checked' }), isRefused({ copy: 'checked' })];
    return [{ prescription: prescription.id, is_age_to_accept, is_copy_to_accept }];
  });

function listInvoiceActions(order: Order, { now, business }: When) {
  const creditable = getCreditableCents(order) ?? 0;
  const checks = {
    issue: () => chooseUnissued(order, now, business),
    issue_to: () => refuseFirstInvoice(order, { now, business }),
    cancel: () => chooseRejected(order),
    replace: () => refuseIrreplaceable(order),
    resend: () => chooseResendable(order),
    handled: () => chooseOpenActions(order),
  } as const;
  const actions = Object.keys(checks) as (keyof typeof checks)[];
  return {
    invoice: actions.filter((action) => passes(checks[action])),
    /** The open actions that `handled` marks. */
    handled: listOpenActions(order),
    credit: creditable > 0 && passes(() => refuseCredit(order, creditable)) ? formatCents(creditable) : null,
  };
}

/** Refuses an invoice to a receiver that is still to be given. */
function refuseFirstInvoice(order: Order, { now, business }: Pick<When, 'now' | 'business'>): void {
  if (!canStartFirstInvoice(order) || isWhollyRefunded(order))
    throw refusedToOperator('nothing_issued_of_invoiced', { order: order.id });
  chooseUnissued(addFirstInvoice(order, now), now, business);
}
