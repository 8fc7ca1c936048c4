import './queue.css';
import { useEffect } from 'preact/hooks';
import { translate } from '../text.ts';
import { prepareFormats } from '../ui/format.ts';
import { ErrorNotice, Notice } from '../ui/notice.tsx';
import { ViewHeading } from '../ui/view-heading.tsx';
import { Arrivals } from './arrivals.tsx';
import { FilterChips } from './filter-chips.tsx';
import { FoundOrders } from './found-orders.tsx';
import { filterQueue, type QueueFilter, type QueueOrder } from './queue-rows.ts';
import { chosenFilter, searchedText } from './queue-state.ts';
import { QueueTable } from './queue-table.tsx';
import { SearchBox } from './search-box.tsx';
import { QUEUE_TEXTS } from './texts.ts';
import { MOST_ORDERS, useQueue } from './use-queue.ts';

/** Shows the orders that wait for somebody, those due now first, or the orders that a search has found. */
export const QueueView = () => (
  <>
    <div class="queue-head">
      <ViewHeading title={translate(QUEUE_TEXTS.title)} />
      <Arrivals />
      <SearchBox />
    </div>
    {searchedText.value === '' ? <Waiting /> : <FoundOrders key={searchedText.value} text={searchedText.value} />}
  </>
);

function Waiting() {
  const { queue, isLoaded, hasMoreOpen, hasMoreRefunds, error } = useQueue();
  useEffect(prepareFormats, []);
  const chosen = isLoaded ? chooseFilter(queue) : 'due';
  return (
    <>
      <FilterChips queue={queue} chosen={chosen} />
      <ErrorNotice error={error} />
      {hasMoreOpen && <Notice kind="info">{translate(QUEUE_TEXTS.isMore, { count: MOST_ORDERS })}</Notice>}
      {hasMoreRefunds && <Notice kind="info">{translate(QUEUE_TEXTS.areMoreRefunds, { count: MOST_ORDERS })}</Notice>}
      {isLoaded && <QueueTable text="" caption={translate(QUEUE_TEXTS.table)} orders={filterQueue(queue, chosen)} />}
    </>
  );
}

/** Opens on what is due now, on a day without that on all that is open; then it is the reader's choice. */
function chooseFilter(queue: readonly QueueOrder[]): QueueFilter {
  chosenFilter.value ??= queue.some(({ is_due }) => is_due) ? 'due' : 'all';
  return chosenFilter.value;
}
