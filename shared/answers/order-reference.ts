import type { OrderReference } from '../api/orders/invoices.ts';
import type { Order } from '../store/orders/order.ts';
import { type Reader, representOrder, type Sources } from './order.ts';

/** Returns an order with related records as ids, limited to records that the reader may see. */
export async function representOrderReference(order: Order, reader: Reader, sources: Sources): Promise<OrderReference> {
  const full = await representOrder(order, reader, sources);
  return {
    ...full,
    patient: full.patient.id,
    shipping: full.shipping?.id ?? null,
    store: full.store?.id ?? null,
    payment: full.payment?.id ?? null,
    wallet_agreement: full.wallet_agreement?.id ?? null,
    payment_method: full.payment_method.id,
    coupon: order.coupon?.id ?? null,
    generated_by: full.generated_by?.id ?? null,
    updated_by: full.updated_by?.id ?? null,
    invoicing: full.invoicing?.id ?? null,
    shipping_method: full.shipping_method.id,
  };
}
