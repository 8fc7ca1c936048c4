import * as z from 'zod';
import { existingClient } from '../../../shared/access/clients.ts';
import { parsePairName } from '../../../shared/order/lists/counters.ts';
import {
  type CounterProblem,
  compareOrders,
  listMiscounts,
  type RowProblem,
  rebuildOrders,
  type Survey,
} from '../../../shared/ordering/rebuild-orders.ts';
import { keyName, toKey } from '../../../shared/store/keys.ts';
import { command } from '../command.ts';
import { flag, recordId } from '../input.ts';
import { interruptSignal, withProgress } from '../prompt.ts';

export const ordersRebuild = command({
  name: 'orders rebuild',
  summary: 'Make the lists, counters, names, delivery delays and redeemed coupons of a client what its orders say',
  example: '--client 2 --dry-run',
  details: `Without --dry-run nobody can write orders or people of the client while it runs, 15 minutes at most: the API answers 503
rebuilding. It first waits 90 seconds for what is under way.`,
  input: z.object({
    client: recordId,
    dryRun: flag.describe('only compare: nothing is changed or paused, and what is written meanwhile may look wrong'),
  }),
  async run({ client, dryRun }, context) {
    const { table } = context;
    await existingClient(client, table);
    const found = await withProgress(dryRun ? 'Comparing' : 'Rebuilding', context, (onProgress) => {
      const input = { clientId: client, onProgress };
      return dryRun ? compareOrders(input, table) : rebuildOrders({ ...input, signal: interruptSignal() }, { table });
    });
    const parts = representParts(found);
    const document = { client, orders: found.versions.size, dry_run: dryRun, ...parts };
    const isExact = Object.values(parts).every(({ length }) => length === 0);
    const differing = `What is listed ${dryRun ? 'differs from the orders' : 'differed from the orders and is repaired'}.`;
    const remark = isExact ? 'Everything is exact.' : differing;
    return { document, remark, failure: dryRun && !isExact ? '' : undefined };
  },
});

const representParts = ({ rows, names, counters, exceeded }: Survey) => ({
  lists: rows.map(({ owner, item, problem }) => ({ order: owner, list: toKey(item).pk, problem })),
  counters: counters.flatMap(representCounter),
  names: countNames(names),
  delays: exceeded.map(({ bound, recordedMs, ordersMs }) => ({ bound, recorded_ms: recordedMs, orders_ms: ordersMs })),
});

const representCounter = (counter: CounterProblem) =>
  listMiscounts(counter).map(({ field, orders, counted }) => {
    const { orderStatus = field, paymentStatus = '' } = parsePairName(field) ?? {};
    return { counter: keyName(counter.Key), counts: `${orderStatus} ${paymentStatus}`.trim(), orders, counted };
  });

const countNames = (names: readonly RowProblem[]) =>
  [...Map.groupBy(names, ({ owner, problem }) => `${owner} ${problem}`).values()].flatMap((items) =>
    items.slice(0, 1).map(({ owner, problem }) => ({ patient: owner, problem, items: items.length })),
  );
