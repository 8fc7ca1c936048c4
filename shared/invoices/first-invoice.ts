import { refusedToOperator } from '../domain/operator-refusal.ts';
import { refuseInvalid } from '../domain/refusal.ts';
import { type Operation, refuseErased } from '../order/operate-order.ts';
import type { Order } from '../order/order.ts';
import { toInvoicing } from '../people/person.ts';
import type { Ids } from '../store/ids.ts';
import type { Table } from '../store/table.ts';
import { type CorrectedReceiver, getReturnForm, listUncreditedParts } from './correct-invoice.ts';
import { type CreditedPart, findCreditedPart } from './global/global-parts.ts';
import { createAttempt, newAttemptKey } from './invoice-attempt.ts';
import { isGlobalCredit, isSoldGlobally, isWaitingForPart, startGlobalCredit } from './rules/global/global-sale.ts';
import { isVoid } from './rules/tax-document.ts';
import { validateReceiver } from './rules/tax-id.ts';

export type FirstInvoiceDeps = { readonly table: Table; readonly ids: Ids };

/**
 * Returns an order with a first invoice to a receiver that an operator gives, to be issued after the credit note that takes the
 * order out of its global invoice (SAT's guide of the global CFDI, appendix 2, case III). Returns an order with an invoice, or
 * without a receiver, as it is. Throws Refusal `invalid_input` for the receiver, and `move_not_allowed` while the global invoice
 * is in progress.
 */
export async function startFirstInvoice(
  order: Order,
  receiver: CorrectedReceiver,
  { now }: Pick<Operation, 'now'>,
  { table, ids }: FirstInvoiceDeps,
): Promise<Order> {
  const isGiven = Object.values(receiver).some((value) => value !== undefined);
  if (!isGiven || !canStartFirstInvoice(order)) return order;
  refuseErased(order);
  const part = isSoldGlobally(order) ? await findCreditedPart(order, table) : undefined;
  if (isSoldGlobally(order) && !part) throw refusedToOperator('global_in_progress', { order: order.id });
  const invoicing = order.invoicing ?? (await newReceiver(receiver, now, ids));
  return addFirstInvoice({ ...order, invoicing }, now, part);
}

export const canStartFirstInvoice = (order: Order): boolean => order.invoice === null || isSoldGlobally(order);

export function addFirstInvoice(order: Order, now: Date, part?: CreditedPart): Order {
  const invoice = order.invoice ?? { ...createAttempt(order, now), status: 'retrying' };
  if (!isSoldGlobally(order)) return { ...order, invoice };
  // A credit note that was never issued is part of the new one; others may still wait for the part.
  const others = order.documents
    .filter((item) => !(isGlobalCredit(item) && isVoid(item) && item.providerId === ''))
    .map((item) => (isWaitingForPart(item) ? { ...item, ...part } : item));
  const parts = listUncreditedParts(order).filter(({ cents }) => cents > 0);
  const credit = startGlobalCredit({ key: newAttemptKey(order), parts, paymentForm: getReturnForm(order) }, now);
  return { ...order, invoice, documents: [...others, { ...credit, ...part }] };
}

const REQUIRED = ['rfc', 'full_name', 'fiscal_regime', 'cfdi_use', 'zipcode'] as const;
const NO_ADDRESS = { street: '', exterior_number: '', neighborhood: '', city: '', state: '', country: '' };

/** Judges a receiver as the API does; an operator is no user, so that nobody has changed it. */
async function newReceiver(receiver: CorrectedReceiver, now: Date, ids: Ids) {
  refuseInvalid(
    REQUIRED.filter((field) => receiver[field] === undefined).map((field) => ({ path: [field], code: 'required' })),
  );
  const { rfc = '', full_name = '', fiscal_regime = '', cfdi_use = '', zipcode = '', email = '' } = receiver;
  const input = { ...NO_ADDRESS, rfc, full_name, fiscal_regime, cfdi_use, zipcode, email };
  refuseInvalid(validateReceiver(input, []));
  const [id = 0] = await ids.take('record', 1);
  const time = now.toISOString();
  return toInvoicing(input, id, { created_at: time, updated_at: time, updated_by: null });
}
