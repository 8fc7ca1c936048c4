import { useEffect } from 'preact/hooks';
import { KeyButton } from '../ui/button.tsx';
import { formatDateTime } from '../ui/format.ts';
import { announce } from '../ui/notice.tsx';
import { DataTable } from '../ui/table.tsx';
import { actorText, eventText, listEventsSince, type OrderEvent, type ShownOrder } from './order-texts.ts';
import { Part } from './parts.tsx';
import type { OrderWork } from './use-order.ts';

/** The events of an order, the latest first, and who caused them. */
export const History = ({ order }: { readonly order: ShownOrder }) => (
  <Part title="Historial">
    <DataTable
      caption="Historial"
      columns={[
        { key: 'when', title: 'Cuándo', cell: ({ at }: OrderEvent) => formatDateTime(at) },
        { key: 'what', title: 'Qué', isHeader: true, cell: eventText },
        { key: 'who', title: 'Quién', cell: (event: OrderEvent) => actorText(event, order) },
      ]}
      rows={order.history.toReversed()}
      rowKey={({ version, what }) => `${version} ${what}`}
    />
    {order.history_omitted > 0 && <p class="soft">{`Ya no se guardan ${order.history_omitted} eventos anteriores.`}</p>}
  </Part>
);

/** Says that somebody else has changed the order since it was shown, without taking the focus. */
export const ChangedMeanwhile = ({ work }: { readonly work: OrderWork }) =>
  work.newer ? <Newer key={work.newer.version} work={work} newer={work.newer} /> : null;

function Newer({ work, newer }: { readonly work: OrderWork; readonly newer: ShownOrder }) {
  useEffect(() => announce(changesText(newer, work.order.version)), [newer.version]);
  return (
    <div class="notice info">
      <Changes order={newer} since={work.order.version} />
      <KeyButton shortcut="u" text="Mostrar la orden como está ahora" run={() => work.show(newer)} />
    </div>
  );
}

const changesText = (order: ShownOrder, since: number): string =>
  ['La orden cambió entretanto:', ...listEventsSince(order, since).map((event) => eventWithActor(event, order))].join(
    ' ',
  );

const eventWithActor = (event: OrderEvent, order: ShownOrder): string =>
  `${eventText(event)} (${actorText(event, order)})`;

type ChangesProps = { readonly order: ShownOrder; readonly since: number };

/** Lists the events of an order since the version that the reader has seen, and who caused them. */
export function Changes({ order, since }: ChangesProps) {
  const events = listEventsSince(order, since);
  return (
    <>
      <p>La orden cambió entretanto:</p>
      <ul class="changes">
        {events.map((event) => (
          <li key={`${event.version} ${event.what}`}>{eventWithActor(event, order)}</li>
        ))}
        {events.length === 0 && <li>un trabajo automático la revisó.</li>}
      </ul>
    </>
  );
}
