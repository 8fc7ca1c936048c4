import { translate } from '../../text.ts';
import { formatDateTime } from '../../ui/format.ts';
import { DataTable } from '../../ui/table.tsx';
import { actorText, eventText } from '../event-texts.ts';
import { ORDER_TEXTS } from '../texts.ts';
import type { OrderEvent, ShownOrder } from '../use-order.ts';
import { Part } from './part.tsx';

/** The events of an order, the latest first, and who caused them. */
export const History = ({ order }: { readonly order: ShownOrder }) => (
  <Part title={ORDER_TEXTS.history}>
    <DataTable
      caption={translate(ORDER_TEXTS.history)}
      columns={[
        { key: 'when', title: translate(ORDER_TEXTS.when), cell: ({ at }: OrderEvent) => formatDateTime(at) },
        { key: 'what', title: translate(ORDER_TEXTS.what), isHeader: true, cell: eventText },
        { key: 'who', title: translate(ORDER_TEXTS.who), cell: (event: OrderEvent) => actorText(event, order) },
      ]}
      rows={order.history.toReversed()}
      rowKey={({ version, what }) => `${version} ${what}`}
    />
    {order.history_omitted > 0 && (
      <p class="soft">{translate(ORDER_TEXTS.omitted, { count: order.history_omitted })}</p>
    )}
  </Part>
);
