import { useEffect } from 'preact/hooks';
import type { DocumentOf } from '../call.ts';
import { translate } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { announce } from '../ui/live-region.tsx';
import { ErrorNotice } from '../ui/notice.tsx';
import { useCommand } from '../ui/use-command.ts';
import { searchedText } from './queue-state.ts';
import { QueueTable } from './queue-table.tsx';
import { QUEUE_TEXTS } from './texts.ts';

const MOST_FOUND = 100;

/** The latest orders of what was searched for, in place of the queue. */
export function FoundOrders({ text }: { readonly text: string }) {
  const { document: found, error, isLoading } = useCommand('orders-search', { text, limit: MOST_FOUND });
  const told = isLoading || !found ? translate(QUEUE_TEXTS.searching) : describe(found, text);
  useEffect(() => {
    if (!isLoading) announce(told);
  }, [told, isLoading]);
  const clear = () => {
    searchedText.value = '';
  };
  return (
    <>
      <div class="row">
        <p>{told}</p>
        <Button onClick={clear}>{translate(QUEUE_TEXTS.clearSearch)}</Button>
      </div>
      <ErrorNotice error={error} />
      {!isLoading && found && found.orders.length > 0 && (
        <QueueTable text={text} caption={told} orders={found.orders} />
      )}
    </>
  );
}

function describe({ orders, has_more, is_too_common }: DocumentOf<'orders-search'>, text: string): string {
  if (is_too_common) return translate(QUEUE_TEXTS.isTooCommon);
  if (has_more) return translate(QUEUE_TEXTS.foundMore, { count: orders.length, text });
  if (orders.length === 0) return translate(QUEUE_TEXTS.foundNone, { text });
  return translate(orders.length === 1 ? QUEUE_TEXTS.foundOne : QUEUE_TEXTS.found, { count: orders.length, text });
}
