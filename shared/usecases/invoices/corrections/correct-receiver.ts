import type { Invoicing } from '../../../api/people/addresses.ts';
import { validateReceiver } from '../../../domain/invoices/tax-id.ts';
import { refuseInvalid } from '../../../domain/refusal.ts';
import { isPatientErased, type Order } from '../../../store/orders/order.ts';
import { refusedToOperator } from '../../operations/operator-refusal.ts';

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
