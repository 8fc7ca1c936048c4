import type { DocumentOf } from '../call.ts';
import { translate } from '../text.ts';
import { formatMoney } from '../ui/format.ts';
import { OrderStatusBadge, PaymentStatusBadge } from '../ui/statuses.tsx';
import { INVOICES_TEXTS } from './texts.ts';

/** The facts about an order that a person checks before they act on its invoice. */
export function OrderSummary({ order }: { readonly order: DocumentOf<'orders-show'> }) {
  const { invoicing } = order;
  const { first_name: firstName, last_name: lastName } = order.patient.user;
  return (
    <dl class="order-summary">
      <dt>{translate(INVOICES_TEXTS.order)}</dt>
      <dd>{order.folio}</dd>
      <dt>{translate(INVOICES_TEXTS.patient)}</dt>
      <dd>
        {firstName} {lastName}
      </dd>
      <dt>{translate(INVOICES_TEXTS.receiver)}</dt>
      <dd>
        {invoicing
          ? `${invoicing.full_name} · ${invoicing.rfc} · ${invoicing.zipcode}`
          : translate(INVOICES_TEXTS.noReceiver)}
      </dd>
      <dt>{translate(INVOICES_TEXTS.total)}</dt>
      <dd>{formatMoney(order.total)}</dd>
      <dt>{translate(INVOICES_TEXTS.status)}</dt>
      <dd class="row">
        <OrderStatusBadge status={order.order_status} />
        <PaymentStatusBadge status={order.payment_status} />
      </dd>
    </dl>
  );
}
