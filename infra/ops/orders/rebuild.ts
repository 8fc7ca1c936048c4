import * as z from 'zod';
import { keyName } from '../../../shared/store/keys.ts';
import { parsePairName } from '../../../shared/store/order-lists/counters.ts';
import type { CommandIo } from '../call.ts';
import { existingClient } from '../clients/existing-client.ts';
import { command } from '../command.ts';
import { flag, recordId } from '../input.ts';
import { recordTable } from '../output.ts';
import { untilInterrupted, withProgress } from '../prompt.ts';
import { compareOrders, type Rebuild, rebuildOrders } from './rebuild-orders.ts';
import { type CounterProblem, listMiscounts, type RowProblem } from './survey.ts';

export const ordersRebuild = command({
  name: 'orders rebuild',
  summary: 'Make the lists, counters, names, delivery delays and redeemed coupons of a client what its orders say',
  example: '--client 2 --dry-run',
  details: `Without --dry-run nobody can write orders or people of the client while it runs, 15 minutes at most: the API answers 503
rebuilding. It first waits 90 seconds for what is under way.

`,
  input: z.object({
    client: recordId,
    dryRun: flag.describe('only compare: nothing is changed or paused, and what is written meanwhile may look wrong'),
  }),
  async run({ client, dryRun }, context) {
    const { table } = context;
    await existingClient(client, table);
    const found = await withProgress(dryRun ? 'Comparing' : 'Rebuilding', context, (onProgress) => {
      const asked = { clientId: client, onProgress };
      if (dryRun) return compareOrders(asked, table);
      return untilInterrupted((signal) => rebuildOrders({ ...asked, signal }, { table }));
    });
    const document = { client, orders: found.orders, dry_run: dryRun, ...representParts(found) };
    const text = context.stdout.isTTY ? rebuildText(document, context) : undefined;
    return { document, text, failure: dryRun && !isExact(document) ? '' : undefined };
  },
});

const representParts = ({ rows, names, counters, exceeded }: Rebuild) => ({
  lists: rows.map(({ owner, key, problem }) => ({ order: owner, list: key.pk, problem })),
  counters: counters.flatMap(representCounter),
  names: countNames(names),
  delays: exceeded.map(({ bound, recordedMs, ordersMs }) => ({ bound, recorded_ms: recordedMs, orders_ms: ordersMs })),
});

const representCounter = (counter: CounterProblem) =>
  listMiscounts(counter).map(({ field, orders, counted }) => {
    const { orderStatus, paymentStatus } = parsePairName(field) ?? {};
    return {
      counter: keyName(counter.Key),
      counts: [orderStatus ?? field, paymentStatus ?? ''].join(' ').trim(),
      orders,
      counted,
    };
  });

const countNames = (names: readonly RowProblem[]) =>
  [...Map.groupBy(names, ({ owner, problem }) => `${owner} ${problem}`).values()].flatMap((items) =>
    items.slice(0, 1).map(({ owner, problem }) => ({ patient: owner, problem, items: items.length })),
  );

type Document = { readonly client: number; readonly orders: number; readonly dry_run: boolean } & ReturnType<
  typeof representParts
>;

const PARTS = {
  lists: 'rows of lists and invoices',
  counters: 'counters of orders and coupons',
  names: 'indexed names',
  delays: 'delivery delays',
} as const;
const PART_NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[];

const isExact = (document: Document): boolean => PART_NAMES.every((part) => document[part].length === 0);

function rebuildText(document: Document, io: CommandIo): string {
  const { client, orders, dry_run } = document;
  const parts = PART_NAMES.map((part) => {
    if (document[part].length === 0) return `The ${PARTS[part]} are exact.\n`;
    const heading = dry_run ? 'differ from the orders' : 'differed from the orders and are repaired';
    return `These ${PARTS[part]} ${heading}:\n${recordTable(document[part], io)}`;
  });
  return [`Client ${client} has ${orders} orders.\n`, ...parts].join('');
}
