import { isDeepStrictEqual } from 'node:util';
import type { Invoicing } from '../api/people/addresses.ts';
import { type Cents, formatCents } from '../domain/money.ts';
import { joinTexts, refusedToOperator } from '../domain/operator-refusal.ts';
import { refuseInvalid } from '../domain/refusal.ts';
import {
  describeParts,
  listOpenParts,
  type SalePart,
  spreadAmount,
  sumParts,
  takeQuantity,
} from '../domain/sale-parts.ts';
import type { Text } from '../messages/say.ts';
import { commitOperation, type Operation, type Seen, seenOrder } from '../order/operate-order.ts';
import { isPatientErased, type Order } from '../order/order.ts';
import type { Business } from '../runtime/config.ts';
import type { Table } from '../store/table.ts';
import { newAttemptKey } from './invoice-attempt.ts';
import { getUncreditedSaleCents, listGlobalCredits, startGlobalCredit } from './rules/global/global-sale.ts';
import {
  findReplaced,
  findReplacement,
  findValidInvoice,
  getUncreditedCents,
  listOmittedParts,
  listRelated,
  type NewCredit,
  type StampedInvoice,
  startCredit,
  startReplacement,
} from './rules/owed-documents.ts';
import { getIssueTimeZone } from './rules/place-of-issue.ts';
import { listCreditedParts, REMITTED, type TaxDocument } from './rules/tax-document.ts';
import { validateReceiver } from './rules/tax-id.ts';

type Replacing = Operation & Seen & { readonly receiver: CorrectedReceiver };
type Deps = { readonly table: Table; readonly business: Business };

/**
 * Requests an invoice that replaces the current one, for a corrected receiver or with today's payment, also past the window.
 * The job issues it; the current one stays valid until then and is cancelled in the same change.
 */
export async function replaceInvoice(replacing: Replacing, { table, business }: Deps): Promise<Order> {
  const { now } = replacing;
  const before = await seenOrder(table, replacing);
  const invoice = refuseIrreplaceable(before);
  const key = newAttemptKey(before);
  const timeZone = getIssueTimeZone(before, invoice, business.timeZone);
  const replacement = startReplacement(invoice, before, { key, now, timeZone });
  // An earlier replacement that was never issued is dropped.
  const others = before.documents.filter(({ kind, providerId }) => kind !== 'invoice' || providerId !== '');
  const replacementInvoicing = correctReceiver(before, replacing.receiver, now);
  const after = { ...before, documents: [...others, replacement], replacementInvoicing };
  return commitOperation(table, before, after, replacing, { what: 'invoice_requested' });
}

/** Returns the invoice that can be replaced. Throws `move_not_allowed` if there is none. */
export function refuseIrreplaceable(order: Order): StampedInvoice {
  const { id, orderStatus, paymentStatus } = order;
  if (orderStatus === 'cancelled') throw refusedToOperator('replaced_of_cancelled', { order: id });
  const invoice = findValidInvoice(order);
  if (!invoice) throw refusedToOperator('no_valid_invoice', { order: id });
  if (paymentStatus === 'rejected') throw refusedToOperator('replaced_of_rejected', { order: id });
  refuseReplacementUnderWay(order);
  if (findReplaced(order)) throw refusedToOperator('replaced_not_cancelled', { order: id });
  refuseRelated(order, invoice);
  return invoice;
}

/** Returns an invoice's complements and credit notes that are valid or in progress. */
export const listDependents = (order: Order, uuid: string) => [
  ...listRelated(order, 'payment', uuid),
  ...listRelated(order, 'credit', uuid),
];

const A_COMPLEMENT: Text = { es: 'un complemento de pago', en: 'a payment complement' };
const A_CREDIT_NOTE: Text = { es: 'una nota de crédito', en: 'a credit note' };
const AND: Text = { es: 'y', en: 'and' };

/** Throws if valid complements or credit notes relate to an invoice: SAT does not cancel it then. */
export function refuseRelated(order: Order, { stamp }: StampedInvoice): void {
  const related = listDependents(order, stamp.uuid);
  if (related.length === 0) return;
  const [first, second] = new Set(related.map(({ kind }) => (kind === 'payment' ? A_COMPLEMENT : A_CREDIT_NOTE)));
  const names = [first, ...(second ? [AND, second] : [])].flatMap((name) => name ?? []);
  throw refusedToOperator('invoice_has_related', { order: order.id, related: joinTexts(names, ' ') });
}

export type CorrectedReceiver = {
  readonly [Field in 'full_name' | 'rfc' | 'fiscal_regime' | 'cfdi_use' | 'zipcode' | 'email']?: string | undefined;
};

/** Applies an operator's corrections under the rules of the API; null if there are none. */
export function correctReceiver(order: Order, receiver: CorrectedReceiver, now: Date): Invoicing | null {
  const corrections = Object.entries(receiver).filter(([, value]) => value !== undefined);
  if (corrections.length === 0) return null;
  const { id, invoicing } = order;
  if (!invoicing || isPatientErased(order)) throw refusedToOperator('order_erased', { order: id });
  const corrected = { ...invoicing, ...Object.fromEntries(corrections), updated_at: now.toISOString() };
  refuseInvalid(validateReceiver(corrected, []));
  return corrected;
}

type Crediting = Operation &
  Seen &
  PartsRequest & {
    /** SAT's c_FormaPago of the refund; that of the payment by default. */
    readonly form?: string | undefined;
    /** The description shown to the receiver. */
    readonly purpose?: string | undefined;
    /** Allows a credit note equal to an existing one. */
    readonly isAgain?: boolean;
  };

/**
 * Requests a credit note of a valid invoice or of an order's sale in a global invoice; the job issues it. Credit notes never
 * exceed what they credit, and an equal one is refused unless `isAgain` is set.
 */
export async function creditInvoice(crediting: Crediting, table: Table): Promise<Order> {
  const { form, purpose, now } = crediting;
  const before = await seenOrder(table, crediting);
  const parts = chooseCredit(before, crediting);
  if (!crediting.isAgain) refuseRepeatedCredit(before, parts);
  const paymentForm = form ?? getReturnForm(before);
  const after = { ...before, documents: addCredit(before, { parts, paymentForm, purpose }, now) };
  return commitOperation(table, before, after, crediting, { what: 'credit_note_requested' });
}

function chooseCredit(order: Order, request: PartsRequest): SalePart[] {
  refuseCredit(order, request.amountCents ?? 0);
  return chooseParts(order, listUncreditedParts(order), request);
}

function refuseRepeatedCredit(order: Order, credit: readonly SalePart[]): void {
  const figures = describeParts(credit);
  const equal = listCredits(order).find(({ parts = [] }) => isDeepStrictEqual(describeParts(parts), figures));
  if (!equal) return;
  const left = formatCents(getCreditableCents(order) ?? 0);
  throw refusedToOperator('credit_repeated', { order: order.id, amount: formatCents(equal.amountCents), left });
}

/** Returns the uncredited parts of an order's invoice or global sale, by line. */
export const listUncreditedParts = (order: Order): SalePart[] =>
  listOpenParts(order, [...listOmittedParts(order), ...listCreditedParts(listCredits(order))]);

/** Returns the credit notes, valid or in progress, of an order's invoice or else of its global sale. */
export function listCredits(order: Order): TaxDocument[] {
  const invoice = findValidInvoice(order);
  return invoice ? listRelated(order, 'credit', invoice.stamp.uuid) : listGlobalCredits(order);
}

export function refuseCredit(order: Order, amountCents: Cents): void {
  const openCents = getCreditableCents(order);
  if (openCents === undefined) throw refusedToOperator('no_valid_invoice', { order: order.id });
  refuseReplacementUnderWay(order);
  if (amountCents > openCents) {
    throw refusedToOperator('credit_too_large', { order: order.id, left: formatCents(openCents) });
  }
}

export const getReturnForm = ({ paymentStatus, paymentForm, paymentMethod }: Order): string =>
  paymentStatus === 'paid' ? (paymentForm ?? paymentMethod.sat_payment_form) : REMITTED;

/** Returns the uncredited cents of an order's invoice or global sale; undefined if it has neither. */
export function getCreditableCents(order: Order): Cents | undefined {
  const invoice = findValidInvoice(order);
  if (invoice) return getUncreditedCents(order, invoice);
  return order.global ? getUncreditedSaleCents(order) : undefined;
}

export function addCredit(order: Order, credit: Omit<NewCredit, 'key'>, now: Date): TaxDocument[] {
  const invoice = findValidInvoice(order);
  const note = { ...credit, key: newAttemptKey(order) };
  return [...order.documents, invoice ? startCredit(invoice, note, now) : startGlobalCredit(note, now)];
}

export function refuseReplacementUnderWay(order: Order): void {
  if (!findReplacement(order)) return;
  throw refusedToOperator('replacement_under_way', { order: order.id });
}

/** The part of an order to refund or credit: an amount spread over what remains, all of it, or lines and the shipment. */
export type PartsRequest = {
  readonly amountCents?: Cents | undefined;
  readonly isAll?: boolean;
  /** Lines by their ids, the whole remainder without a quantity. A line may appear more than once. */
  readonly lines?: readonly { readonly line: number; readonly quantity?: number | undefined }[];
  readonly isShipping?: boolean;
};

/** Returns the requested parts of an order. Throws `move_not_allowed` if a line is unknown or less of it remains. */
export function chooseParts(order: Order, open: readonly SalePart[], request: PartsRequest): SalePart[] {
  if (request.amountCents !== undefined) return spreadAmount(open, request.amountCents);
  if (request.isAll) return takeAll(order, open);
  const remaining = new Map(open.map((part) => [part.line, part]));
  const requests = [...(request.lines ?? []), ...(request.isShipping ? [{ line: null, quantity: undefined }] : [])];
  return requests.map(({ line, quantity }) => {
    const part = remaining.get(line);
    if (!part) {
      const left = formatCents(sumParts(open));
      throw refusedToOperator('order_line_unknown', { order: order.id, line: Number(line), left });
    }
    const taken = takePart(order, part, quantity);
    remaining.set(line, { line, quantity: part.quantity - taken.quantity, cents: part.cents - taken.cents });
    return taken;
  });
}

function takeAll({ id: order }: Order, open: readonly SalePart[]): SalePart[] {
  const parts = open.filter(({ cents }) => cents > 0);
  if (parts.length === 0) throw refusedToOperator('nothing_left', { order });
  return parts;
}

function takePart({ id: order }: Order, open: SalePart, quantity = open.quantity): SalePart {
  if (open.line !== null && (quantity > open.quantity || quantity === 0)) {
    throw refusedToOperator('order_line_too_large', { order, line: open.line, left: open.quantity });
  }
  const taken = open.line === null ? open : takeQuantity(open, quantity);
  if (taken.cents > 0) return taken;
  if (open.line === null) throw refusedToOperator('order_shipping_free', { order });
  throw refusedToOperator('order_line_free', { order, line: open.line });
}
