import { linkTo } from '../routes.ts';
import { translate } from '../text.ts';
import { arrivedOrders } from './queue-state.ts';
import { QUEUE_TEXTS } from './texts.ts';

/** Shows what has come since the queue was opened, in a place that is kept for it, so that no row moves below the pointer. */
export function Arrivals() {
  const arrived = arrivedOrders.value;
  const latest = arrived.at(-1);
  const came = arrived.length === 1 ? QUEUE_TEXTS.cameOne : QUEUE_TEXTS.cameMany;
  return (
    <p class="arrivals">
      {latest && (
        <>
          {translate(came, { count: arrived.length })}{' '}
          <a href={linkTo({ view: 'orders', id: latest.id })}>{latest.folio}</a>
        </>
      )}
    </p>
  );
}
