import './queue.css';
import { useEffect, useState } from 'preact/hooks';
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
import { MOST_OPEN, MOST_REFUNDS, useQueue } from './use-queue.ts';

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
  const chosen = useFilter(isLoaded ? queue : undefined);
  return (
    <>
      <FilterChips queue={queue} chosen={chosen} />
      <ErrorNotice error={error} />
      {hasMoreOpen && <Notice kind="info">{translate(QUEUE_TEXTS.isMore, { count: MOST_OPEN })}</Notice>}
      {hasMoreRefunds && <Notice kind="info">{translate(QUEUE_TEXTS.areMoreRefunds, { count: MOST_REFUNDS })}</Notice>}
      {isLoaded && <QueueTable text="" caption={translate(QUEUE_TEXTS.table)} orders={filterQueue(queue, chosen)} />}
    </>
  );
}

/**
 * Returns the filter that the reader has chosen. Until then the queue opens each time on what is due now, or on all that is
 * open while nothing is, and stays so while it is looked at.
 */
function useFilter(queue: readonly QueueOrder[] | undefined): QueueFilter {
  const [opened, setOpened] = useState<QueueFilter>();
  if (opened === undefined && queue) setOpened(queue.some(({ is_due }) => is_due) ? 'due' : 'all');
  return chosenFilter.value ?? opened ?? 'due';
}
