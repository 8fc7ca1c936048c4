import type { ListDifference } from '../../../shared/store/order-lists/order-list-check.ts';
import type { CounterDifference } from '../../../shared/store/order-lists/order-recount.ts';
import { openTable } from '../../../shared/store/table.ts';
import { type Recount, recountOrders } from '../../../shared/usecases/order-lists/recount-orders.ts';
import { existingClient } from '../clients/existing-client.ts';
import { type CommandIo, command } from '../command.ts';
import { flag, recordId } from '../input.ts';
import { withProgress } from '../terminal/progress.ts';
import { recordTable } from '../terminal/text-table.ts';

export const ordersRecount = command({
  name: 'orders recount',
  summary: 'Prove that the lists and counters of a client agree with its orders, or repair the counters',
  example: '--client 2 --repair',
  options: { client: recordId, repair: flag },
  async run({ client, repair }, call) {
    const table = openTable();
    await existingClient(client, table);
    const purpose = repair ? 'repair' : 'proof';
    const recount = await withProgress('Counting', call, (onProgress) =>
      recountOrders({ clientId: client, purpose, onProgress }, table),
    );
    const document = representRecount(client, purpose, recount);
    const text = call.isTerminal ? recountText(document, call) : undefined;
    return { document, text, failure: isExact(document) ? undefined : '' };
  },
});

type Purpose = 'proof' | 'repair';
type Document = ReturnType<typeof representRecount>;

const representRecount = (client: number, purpose: Purpose, recount: Recount) => ({
  client,
  orders: recount.orders,
  views: recount.views,
  lists: { outcome: recount.faults.length === 0 ? 'exact' : 'different', faults: recount.faults.map(toListRow) },
  counters: {
    outcome: judgeCounters(purpose, recount),
    differences: recount.differences.map(toCounterRow),
    unsettled: recount.unsettled.map(({ viewer, shard }) => ({ view: viewer, shard })),
  },
});

function judgeCounters(purpose: Purpose, { differences, unsettled }: Recount): keyof typeof COUNTERS {
  if (unsettled.length > 0) return 'unsettled';
  if (differences.length === 0) return 'exact';
  return purpose === 'repair' ? 'repaired' : 'different';
}

const toListRow = ({ viewer: view, orderId: order, part, fault }: ListDifference) => ({ view, order, part, fault });

const toCounterRow = ({ viewer, shard, orderStatus, paymentStatus, orders, counter }: CounterDifference) => ({
  view: viewer,
  shard,
  order_status: orderStatus,
  payment_status: paymentStatus,
  orders,
  counter,
});

const isExact = ({ lists, counters }: Document): boolean =>
  lists.outcome === 'exact' && (counters.outcome === 'exact' || counters.outcome === 'repaired');

const COUNTERS = {
  exact: 'The counters are exact.',
  different: 'These counters differ from the orders; --repair puts them right:',
  repaired: 'These counters differed from the orders and are repaired:',
  unsettled:
    'Some counters were written at every try, so that nothing is known of them: run it again. Of the others differed:',
} as const;

function recountText({ client, orders, views, lists, counters }: Document, io: CommandIo): string {
  const parts = [`Client ${client} has ${orders} orders in ${views} views.\n`];
  if (lists.outcome === 'exact') parts.push('Every row and entry of the lists is what its order says.\n');
  else parts.push('These rows and entries of lists are not what their orders say:\n', recordTable(lists.faults, io));
  parts.push(`${COUNTERS[counters.outcome]}\n`, recordTable(counters.differences, io));
  return parts.join('');
}
