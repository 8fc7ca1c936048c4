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
  const events = listEventsSince(newer, work.order.version);
  const show = () => work.show(newer);
  useShortcut('u', ORDER_TEXTS.showNewer, show);
  useEffect(() => announce(changesText(events)), [newer.version]);
  return (
    <div class="notice info">
      <Changes events={events} />
      <Button onClick={show}>{translate(ORDER_TEXTS.showNewer)}</Button>
    </div>
  );
}

const changesText = (events: readonly OrderEvent[]): string =>
  [translate(ORDER_TEXTS.changed), ...events.map(eventWithActor)].join(' ');

const eventWithActor = (event: OrderEvent): string =>
  translate(ORDER_TEXTS.by, { what: eventText(event), who: actorText(event) });

/** Lists the events of an order that the reader has not seen, and who caused them. */
export const Changes = ({ events }: { readonly events: readonly OrderEvent[] }) => (
  <>
    <p>{translate(ORDER_TEXTS.changed)}</p>
    <ul class="changes">
      {events.map((event) => (
        <li key={`${event.version} ${event.what}`}>{eventWithActor(event)}</li>
      ))}
      {events.length === 0 && <li>{translate(ORDER_TEXTS.changedUnknown)}</li>}
    </ul>
  </>
);
