import { ORDER_STATUSES } from '../../../../../shared/domain/order.ts';
import { ORDER_STATUS_TEXTS } from '../../../../../shared/messages/status-texts.ts';
import { type Text, translate } from '../text.ts';
import { formatCount } from '../ui/format.ts';
import { filterQueue, type QueueFilter, type QueueOrder } from './queue-rows.ts';
import { chosenFilter } from './queue-state.ts';
import { QUEUE_TEXTS } from './texts.ts';

const FILTERS: readonly { readonly filter: QueueFilter; readonly text: Text }[] = [
  { filter: 'due', text: QUEUE_TEXTS.filterDue },
  { filter: 'all', text: QUEUE_TEXTS.filterAll },
  ...ORDER_STATUSES.filter((status) => status !== 'delivered' && status !== 'cancelled').map((status) => ({
    filter: status,
    text: ORDER_STATUS_TEXTS[status],
  })),
  { filter: 'refund', text: QUEUE_TEXTS.filterRefund },
];

type FilterChipsProps = { readonly queue: readonly QueueOrder[]; readonly chosen: QueueFilter };

/** The states by which the queue can be limited, with the number of orders of each; a state that no order has is left out. */
export const FilterChips = ({ queue, chosen }: FilterChipsProps) => (
  <fieldset class="chips">
    <legend class="for-screen-readers">{translate(QUEUE_TEXTS.filters)}</legend>
    {FILTERS.map(({ filter, text }) => {
      const count = filterQueue(queue, filter).length;
      const isKept = filter === 'due' || filter === 'all' || filter === chosen;
      return count === 0 && !isKept ? null : (
        <button
          key={filter}
          type="button"
          class="button"
          aria-pressed={filter === chosen}
          onClick={() => {
            chosenFilter.value = filter;
          }}
        >
          {translate(text)} <span class="count">{formatCount(count)}</span>
        </button>
      );
    })}
  </fieldset>
);
