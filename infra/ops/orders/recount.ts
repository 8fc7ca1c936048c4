import type { Findings, Purpose } from '../../../shared/store/order-recount/differences.ts';
import { openTable } from '../../../shared/store/table.ts';
import { type Recount, recountOrders } from '../../../shared/usecases/order-lists/recount-orders.ts';
import { existingClient } from '../clients/existing-client.ts';
import { type CommandIo, command } from '../command.ts';
import { flag, recordId } from '../input.ts';
import { withProgress } from '../terminal/progress.ts';
import { recordTable } from '../terminal/text-table.ts';

export const ordersRecount = command({
  name: 'orders recount',
  summary:
    'Prove that the lists, counters, names, delivery delays and redeemed coupons of a client agree with its orders, or repair them',
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
    const text = call.stdout.isTTY ? recountText(document, call) : undefined;
    return { document, text, failure: isExact(document) ? undefined : '' };
  },
});

type Document = ReturnType<typeof representRecount>;

const representRecount = (client: number, purpose: Purpose, recount: Recount) => ({
  client,
  orders: recount.orders,
  views: recount.views,
  ...representParts(purpose, recount),
});

const representParts = (purpose: Purpose, { lists, counters, names, delays, redemptions }: Recount) => ({
  lists: {
    outcome: judgePart(purpose, lists),
    differences: lists.differences.map(({ orderId, list, problem }) => ({ order: orderId, list, problem })),
    unsettled: lists.unsettled.map((order) => ({ order })),
  },
  counters: {
    outcome: judgePart(purpose, counters),
    differences: counters.differences.map(({ viewer, shard, orderStatus, paymentStatus, orders, counter }) => ({
      view: viewer,
      shard,
      order_status: orderStatus,
      payment_status: paymentStatus,
      orders,
      counter,
    })),
    unsettled: counters.unsettled.map(({ viewer, shard }) => ({ view: viewer, shard })),
  },
  names: {
    outcome: judgePart(purpose, names),
    differences: names.differences.map(({ patientId, problem, items }) => ({ patient: patientId, problem, items })),
    unsettled: names.unsettled,
  },
  delays: {
    outcome: judgePart(purpose, delays),
    differences: delays.differences.map(({ bound, problem, recordedMs, ordersMs }) => ({
      bound: bound === 'longestMs' ? 'longest' : 'shortest',
      problem,
      recorded_ms: recordedMs,
      orders_ms: ordersMs,
    })),
    unsettled: delays.unsettled,
  },
  redemptions: {
    outcome: judgePart(purpose, redemptions),
    differences: redemptions.differences,
    unsettled: redemptions.unsettled.map((counter) => ({ counter })),
  },
});

type Outcome = 'exact' | 'different' | 'repaired' | 'unsettled';

function judgePart(purpose: Purpose, { differences, unsettled }: Findings<unknown, unknown>): Outcome {
  if (unsettled.length > 0) return 'unsettled';
  if (differences.length === 0) return 'exact';
  return purpose === 'repair' ? 'repaired' : 'different';
}

const PARTS = {
  lists: 'list entries',
  counters: 'counters',
  names: 'indexed names',
  delays: 'delivery delays',
  redemptions: 'redemptions of coupons',
} as const;
const PART_NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[];

const isExact = (document: Document): boolean =>
  PART_NAMES.every((part) => ['exact', 'repaired'].includes(document[part].outcome));

const SENTENCES: Readonly<Record<Outcome, (items: string) => string>> = {
  exact: (items) => `The ${items} are exact.`,
  different: (items) => `These ${items} differ from the orders; --repair repairs them:`,
  repaired: (items) => `These ${items} differed from the orders and are repaired:`,
  unsettled: (items) =>
    `Some ${items} were written at every try, so that nothing is known of them: run it again. Of the others differed:`,
};

function recountText(document: Document, io: CommandIo): string {
  const { client, orders, views } = document;
  const parts = PART_NAMES.map((part) => {
    const { outcome, differences } = document[part];
    return `${SENTENCES[outcome](PARTS[part])}\n${recordTable(differences, io)}`;
  });
  return [`Client ${client} has ${orders} orders in ${views} views.\n`, ...parts].join('');
}
