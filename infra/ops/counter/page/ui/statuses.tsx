import type { OrderStatus, PaymentStatus } from '../../../../../shared/domain/order.ts';
import { ORDER_STATUS_TEXTS, PAYMENT_STATUS_TEXTS } from '../../../../../shared/messages/status-texts.ts';
import { translate } from '../text.ts';

export const OrderStatusBadge = ({ status }: { readonly status: OrderStatus }) => (
  <span class={`badge order-${status}`}>{translate(ORDER_STATUS_TEXTS[status])}</span>
);

export const PaymentStatusBadge = ({ status }: { readonly status: PaymentStatus }) => (
  <span class={`badge payment-${status}`}>{translate(PAYMENT_STATUS_TEXTS[status])}</span>
);
