import { isDeepStrictEqual } from 'node:util';
import type { Invoicing } from '../api/people/addresses.ts';
import { type Cents, formatCents } from '../domain/money.ts';
import { joinTexts, refusedToOperator } from '../domain/operator-refusal.ts';
import { refuseInvalid } from '../domain/refusal.ts';
import { describeParts, listOpenParts, type SalePart } from '../domain/sale-parts.ts';
import type { Text } from '../messages/say.ts';
import { listDocumentEvents } from '../order/document-events.ts';
import { commitOperation, type Operation, type Seen, seenOrder } from '../order/operate-order.ts';
import { isPatientErased, type Order } from '../order/order.ts';
import type { Business } from '../runtime/config.ts';
import type { Table } from '../store/table.ts';
import { type AskedParts, chooseParts } from './choose-parts.ts';
import { newAttemptKey } from './invoice-attempt.ts';
import { getUncreditedSaleCents, listGlobalCredits, startGlobalCredit } from './rules/global/global-sale.ts';
import {
  findReplaced,
  findReplacement,
  findValidInvoice,
  getUncreditedCents,
  listNettedParts,
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
 * Asks for an invoice that replaces the present one of an order, for a corrected receiver or with today's payment, past the
 * window too. The job issues it; the present one is valid until then, and cancelled in the same change.
 */
export async function replaceInvoice(replacing: Replacing, { table, business }: Deps): Promise<Order> {
  const { now } = replacing;
  const before = await seenOrder(table, replacing);
  const replaced = refuseIrreplaceable(before);
  const key = newAttemptKey(before);
  const timeZone = getIssueTimeZone(before, replaced, business.timeZone);
  const replacement = startReplacement(replaced, before, { key, now, timeZone });
  // An earlier replacement of which nothing was issued is forgotten.
  const others = before.documents.filter(({ kind, providerId }) => kind !== 'invoice' || providerId !== '');
  const replacementInvoicing = correctReceiver(before, replacing.receiver, now);
  const after = { ...before, documents: [...others, replacement], replacementInvoicing };
  return commitOperation(table, before, after, replacing, ...listDocumentEvents(before, after));
}

/** Returns the invoice of an order that can be replaced now. Throws `move_not_allowed` if there is none. */
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

/** Returns the complements and credit notes of an invoice that are valid or on their way. */
export const listDependents = (order: Order, uuid: string) => [
  ...listRelated(order, 'payment', uuid),
  ...listRelated(order, 'credit', uuid),
];

const A_COMPLEMENT: Text = { es: 'un complemento de pago', en: 'a payment complement' };
const A_CREDIT_NOTE: Text = { es: 'una nota de crédito', en: 'a credit note' };
const AND: Text = { es: 'y', en: 'and' };

/** Throws if an invoice cannot be replaced, as SAT cancels none that a valid complement or credit note relates to. */
export function refuseRelated(order: Order, { stamp }: StampedInvoice): void {
  const related = listDependents(order, stamp.uuid);
  if (related.length === 0) return;
  const [first, second] = new Set(related.map(({ kind }) => (kind === 'payment' ? A_COMPLEMENT : A_CREDIT_NOTE)));
  const names = [first, ...(second ? [AND, second] : [])].flatMap((name) => name ?? []);
  throw refusedToOperator('invoice_has_related', { order: order.id, related: joinTexts(names, ' ') });
}

/** The fields of a receiver that an operator may correct. */
export type CorrectedReceiver = {
  readonly [Field in 'full_name' | 'rfc' | 'fiscal_regime' | 'cfdi_use' | 'zipcode' | 'email']?: string | undefined;
};

/** Returns the corrected receiver by the rules of the API; null if nothing is corrected. */
export function correctReceiver(order: Order, receiver: CorrectedReceiver, now: Date): Invoicing | null {
  const sent = Object.entries(receiver).filter(([, value]) => value !== undefined);
  if (sent.length === 0) return null;
  const { id, invoicing } = order;
  if (!invoicing || isPatientErased(order)) throw refusedToOperator('order_erased', { order: id });
  const corrected = { ...invoicing, ...Object.fromEntries(sent), updated_at: now.toISOString() };
  refuseInvalid(validateReceiver(corrected, []));
  return corrected;
}

type Crediting = Operation &
  Seen &
  AskedParts & {
    /** SAT's c_FormaPago in which the money goes back; without it, that of the payment. */
    readonly form?: string | undefined;
    /** The description that the receiver reads. */
    readonly purpose?: string | undefined;
    /** True for a credit note that is equal to another one. */
    readonly isAgain?: boolean;
  };

/**
 * Asks for a credit note of a valid invoice, or of an order's sale in a global invoice; the job issues it. Credit
 * notes never exceed what they credit, and an equal one is refused unless it is requested as such.
 */
export async function creditInvoice(crediting: Crediting, table: Table): Promise<Order> {
  const { form, purpose, now } = crediting;
  const before = await seenOrder(table, crediting);
  const parts = chooseCredit(before, crediting);
  if (!crediting.isAgain) refuseRepeatedCredit(before, parts);
  const paymentForm = form ?? getReturnForm(before);
  const after = { ...before, documents: addCredit(before, { parts, paymentForm, purpose }, now) };
  return commitOperation(table, before, after, crediting, ...listDocumentEvents(before, after));
}

function chooseCredit(order: Order, request: AskedParts): SalePart[] {
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

/** Returns what credit notes have left of an order's invoice, or of its sale in a global one, by lines. */
export const listUncreditedParts = (order: Order): SalePart[] =>
  listOpenParts(order, [...listNettedParts(order), ...listCreditedParts(listCredits(order))]);

/** Returns the credit notes of an order's valid invoice, or else of its sale in a global one, valid or on their way. */
export function listCredits(order: Order): TaxDocument[] {
  const invoice = findValidInvoice(order);
  return invoice ? listRelated(order, 'credit', invoice.stamp.uuid) : listGlobalCredits(order);
}

/** Throws `move_not_allowed` if no credit note of this amount can be issued for an order now. */
export function refuseCredit(order: Order, amountCents: Cents): void {
  const openCents = getCreditableCents(order);
  if (openCents === undefined) throw refusedToOperator('no_valid_invoice', { order: order.id });
  refuseReplacementUnderWay(order);
  if (amountCents > openCents) {
    throw refusedToOperator('credit_too_large', { order: order.id, left: formatCents(openCents) });
  }
}

const getReturnForm = ({ paymentStatus, paymentForm, paymentMethod }: Order): string =>
  paymentStatus === 'paid' ? (paymentForm ?? paymentMethod.sat_payment_form) : REMITTED;

/** Returns what credit notes have left of an order's invoice, or of its sale in a global one; undefined if it is in neither. */
export function getCreditableCents(order: Order): Cents | undefined {
  const invoice = findValidInvoice(order);
  if (invoice) return getUncreditedCents(order, invoice);
  return order.global ? getUncreditedSaleCents(order) : undefined;
}

/** Returns the documents of an order that can be credited with a new credit note. */
export function addCredit(order: Order, credit: Omit<NewCredit, 'key'>, now: Date): TaxDocument[] {
  const invoice = findValidInvoice(order);
  const note = { ...credit, key: newAttemptKey(order) };
  return [...order.documents, invoice ? startCredit(invoice, note, now) : startGlobalCredit(note, now)];
}

/** Throws while it is not certain which invoice will be the valid one. */
export function refuseReplacementUnderWay(order: Order): void {
  if (!findReplacement(order)) return;
  throw refusedToOperator('replacement_under_way', { order: order.id });
}
