import type { OrderStatus } from '../../../../../shared/domain/order.ts';
import { defineTexts, type Text, translate } from '../text.ts';
import { formatMoney } from '../ui/format.ts';
import { quantityText } from './parts/prescriptions.tsx';
import type { ShownOrder } from './use-order.ts';

const WAIT_TEXTS = defineTexts({
  prescription: { es: 'receta verificada para {products}', en: 'a verified prescription for {products}' },
  approval: { es: 'aprobación', en: 'approval' },
  preparation: { es: 'preparación', en: 'preparation' },
  readiness: { es: 'quedar lista', en: 'being ready' },
  shipping: { es: 'envío o entrega', en: 'shipping or delivery' },
  delivery: { es: 'entrega', en: 'delivery' },
  stock: { es: 'existencias', en: 'stock' },
  payment: { es: 'pago', en: 'payment' },
  refund: { es: 'devolución de {amount}', en: 'a refund of {amount}' },
  invoice: { es: 'atención a su factura', en: 'somebody to see to its invoice' },
});

const NEXT_WAITS: Readonly<Partial<Record<OrderStatus, Text>>> = {
  quoted: WAIT_TEXTS.approval,
  pending_approval: WAIT_TEXTS.approval,
  approved: WAIT_TEXTS.preparation,
  in_process: WAIT_TEXTS.readiness,
  ready: WAIT_TEXTS.shipping,
  shipped: WAIT_TEXTS.delivery,
  delayed: WAIT_TEXTS.shipping,
  shortage: WAIT_TEXTS.stock,
};

/** Returns what an order waits for, in the chosen language. */
export function listWaits(order: ShownOrder): string[] {
  const { uncovered, refund, invoice, payment_moves: payments } = order.next_actions;
  const waits: string[] = [];
  const next = NEXT_WAITS[order.order_status];
  const isBlocked = uncovered.length > 0 && !order.dispensed_at && next !== undefined;
  if (isBlocked)
    waits.push(
      translate(WAIT_TEXTS.prescription, { products: uncovered.map((each) => quantityText(each, order)).join(', ') }),
    );
  else if (next) waits.push(translate(next));
  if (payments.includes('paid')) waits.push(translate(WAIT_TEXTS.payment));
  if (order.order_status === 'cancelled' && refund)
    waits.push(translate(WAIT_TEXTS.refund, { amount: formatMoney(refund) }));
  if (invoice.includes('handled')) waits.push(translate(WAIT_TEXTS.invoice));
  return waits;
}
