import type { OrderStatus, PaymentStatus } from '../../../../../shared/domain/order.ts';
import { type Text, translate } from '../text.ts';

export const ORDER_STATUS_TEXTS: Readonly<Record<OrderStatus, Text>> = {
  quoted: { es: 'Cotizada', en: 'Quoted' },
  pending_approval: { es: 'Por aprobar', en: 'Pending approval' },
  approved: { es: 'Aprobada', en: 'Approved' },
  in_process: { es: 'En preparación', en: 'In process' },
  ready: { es: 'Lista', en: 'Ready' },
  shipped: { es: 'Enviada', en: 'Shipped' },
  delivered: { es: 'Entregada', en: 'Delivered' },
  cancelled: { es: 'Cancelada', en: 'Cancelled' },
  delayed: { es: 'Retrasada', en: 'Delayed' },
  shortage: { es: 'Con faltantes', en: 'Shortage' },
};

export const PAYMENT_STATUS_TEXTS: Readonly<Record<PaymentStatus, Text>> = {
  unpaid: { es: 'Sin pagar', en: 'Unpaid' },
  credit: { es: 'A crédito', en: 'On credit' },
  paid: { es: 'Pagada', en: 'Paid' },
  in_process: { es: 'Pago en curso', en: 'Payment in process' },
  processing: { es: 'Pago por confirmar', en: 'Payment processing' },
  rejected: { es: 'Pago rechazado', en: 'Payment rejected' },
};

export const OrderStatusBadge = ({ status }: { readonly status: OrderStatus }) => (
  <span class={`badge order-${status}`}>{translate(ORDER_STATUS_TEXTS[status])}</span>
);

export const PaymentStatusBadge = ({ status }: { readonly status: PaymentStatus }) => (
  <span class={`badge payment-${status}`}>{translate(PAYMENT_STATUS_TEXTS[status])}</span>
);
