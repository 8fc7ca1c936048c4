import { useEffect } from 'preact/hooks';
import { translate } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { announce } from '../../ui/live-region.tsx';
import { useShortcut } from '../../ui/shortcuts.ts';
import { actorText, eventText } from '../event-texts.ts';
import { ORDER_TEXTS } from '../texts.ts';
import { listEventsSince, type OrderEvent, type OrderWork, type ShownOrder } from '../use-order.ts';

/** Says that somebody else has changed the order since it was shown, without taking the focus. */
export const ChangedMeanwhile = ({ work }: { readonly work: OrderWork }) =>
  work.newer ? <Newer key={work.newer.version} work={work} newer={work.newer} /> : null;

function Newer({ work, newer }: { readonly work: OrderWork; readonly newer: ShownOrder }) {
  const show = () => work.show(newer);
  useShortcut('u', ORDER_TEXTS.showNewer, show);
  useEffect(() => announce(changesText(newer, work.order.version)), [newer.version]);
  return (
    <div class="notice info">
      <Changes order={newer} since={work.order.version} />
      <Button onClick={show}>{translate(ORDER_TEXTS.showNewer)}</Button>
    </div>
  );
}

const changesText = (order: ShownOrder, since: number): string =>
  [translate(ORDER_TEXTS.changed), ...listEventsSince(order, since).map((event) => eventWithActor(event, order))].join(
    ' ',
  );

const eventWithActor = (event: OrderEvent, order: ShownOrder): string =>
  translate(ORDER_TEXTS.by, { what: eventText(event), who: actorText(event, order) });

export type ChangesProps = { readonly order: ShownOrder; readonly since: number };

/** Lists the events of an order since the version that the reader has seen, and who caused them. */
export function Changes({ order, since }: ChangesProps) {
  const events = listEventsSince(order, since);
  return (
    <>
      <p>{translate(ORDER_TEXTS.changed)}</p>
      <ul class="changes">
        {events.map((event) => (
          <li key={`${event.version} ${event.what}`}>{eventWithActor(event, order)}</li>
        ))}
        {events.length === 0 && <li>{translate(ORDER_TEXTS.changedUnknown)}</li>}
      </ul>
    </>
  );
}
