import { translate } from '../../text.ts';
import { formatAge, formatDateTime } from '../../ui/format.ts';
import { OrderStatusBadge, PaymentStatusBadge } from '../../ui/statuses.tsx';
import { ORDER_TEXTS } from '../texts.ts';
import type { ShownOrder } from '../use-order.ts';
import { listWaits } from '../waits.ts';

const MINUTE_MS = 60_000;

/** The states of an order, how old it is, and what it waits for. */
export function Summary({ order }: { readonly order: ShownOrder }) {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(order.created_at)) / MINUTE_MS));
  const waits = listWaits(order);
  return (
    <div class="row">
      <OrderStatusBadge status={order.order_status} />
      <PaymentStatusBadge status={order.payment_status} />
      <time dateTime={order.created_at}>
        {formatDateTime(order.created_at)} ({translate(ORDER_TEXTS.age, { age: formatAge(minutes) })})
      </time>
      {waits.length > 0 && (
        <span>
          <strong>{translate(ORDER_TEXTS.waitsFor)}:</strong> {waits.join(' · ')}
        </span>
      )}
    </div>
  );
}
