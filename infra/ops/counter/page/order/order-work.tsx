import { useEffect, useState } from 'preact/hooks';
import { type Query, runCommand, useCommand } from '../call.ts';
import { KeyButton } from '../ui/button.tsx';
import { announce } from '../ui/notice.tsx';
import { actorText, eventText, listEventsSince, type OrderEvent, type ShownOrder } from './order-texts.ts';

/** An order as the reader has looked at it, and what others have made of it since. */
export type OrderWork = {
  readonly order: ShownOrder;
  /** The order as somebody else has changed it since it was shown. */
  readonly newer: ShownOrder | undefined;
  show(order: ShownOrder): void;
  reload(): Promise<ShownOrder>;
};

// One read of one order, while the tab is visible.
const LOOK_MS = 5_000;

/** Reads an order, and looks every few seconds whether somebody has changed it, which is shown only when the reader asks. */
export function useOrder(id: number): Query<OrderWork> {
  const query = useCommand('orders-show', { id }, { everyMs: LOOK_MS });
  const latest = query.document;
  const [chosen, show] = useState<ShownOrder>();
  if (chosen === undefined && latest) show(latest);
  const order = chosen ?? latest;
  if (!order) return { ...query, document: undefined };
  const newer = latest && latest.version > order.version ? latest : undefined;
  const reload = async () => {
    const fresh = await runCommand('orders-show', { id });
    show(fresh);
    return fresh;
  };
  return { ...query, document: { order, newer, show, reload } };
}

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
