import * as z from 'zod';
import { clientById } from '../../../shared/store/access/clients.ts';
import type { ListFault } from '../../../shared/store/order-lists/order-list-check.ts';
import type { CounterDifference } from '../../../shared/store/order-lists/order-recount.ts';
import { openTable } from '../../../shared/store/table.ts';
import { type Recount, recountOrders } from '../../../shared/usecases/order-lists/recount-orders.ts';
import { type CommandIo, CommandRefusal, command, type ExitCode, positionals, printJson } from '../command.ts';
import { idOption, validOptions } from '../options.ts';
import { withProgress } from '../terminal/progress.ts';
import { textTable } from '../terminal/text-table.ts';

const recountOptions = z.object({ client: idOption, repair: z.boolean().default(false) });

export const ordersRecount = command({
  name: 'orders recount',
  summary: 'Prove that the lists and counters of a client are what its orders say, or repair the counters',
  usage: '--client <id> [--repair]',
  example: '--client 2 --repair',
  options: { client: { type: 'string' }, repair: { type: 'boolean' } },
  async run(input, io) {
    positionals(input);
    const { client, repair } = validOptions(recountOptions, input.values);
    const table = openTable();
    if (!(await clientById(table, client))) throw new CommandRefusal(`There is no client ${client}.`);
    const purpose = repair ? 'repair' : 'proof';
    const recount = await withProgress('Counting', io, (onProgress) =>
      recountOrders({ clientId: client, purpose, onProgress }, table),
    );
    const report = reportOf(client, purpose, recount);
    if (input.isJson || !io.isTerminal) printJson(io, report);
    else io.stdout.write(reportText(report, io));
    return exitCodeOf(report);
  },
});

type Purpose = 'proof' | 'repair';
type Report = ReturnType<typeof reportOf>;

const reportOf = (client: number, purpose: Purpose, { orders, views, faults, differences, unsettled }: Recount) => ({
  client,
  orders,
  views,
  lists: { outcome: faults.length === 0 ? 'exact' : 'different', faults: faults.map(listedFault) },
  counters: {
    outcome: outcomeOf(purpose, { differences, unsettled }),
    differences: differences.map(listedDifference),
    unsettled: unsettled.map(({ viewer, shard }) => ({ view: viewer, shard })),
  },
});

type Counters = Pick<Recount, 'differences' | 'unsettled'>;

function outcomeOf(purpose: Purpose, { differences, unsettled }: Counters): keyof typeof COUNTERS {
  if (unsettled.length > 0) return 'unsettled';
  if (differences.length === 0) return 'exact';
  return purpose === 'repair' ? 'repaired' : 'different';
}

const listedFault = ({ viewer, orderId, part, fault }: ListFault) => ({ view: viewer, order: orderId, part, fault });

const listedDifference = ({ viewer, shard, orderStatus, paymentStatus, orders, counter }: CounterDifference) => ({
  view: viewer,
  shard,
  order_status: orderStatus,
  payment_status: paymentStatus,
  orders,
  counter,
});

const exitCodeOf = ({ lists, counters }: Report): ExitCode =>
  lists.outcome === 'exact' && (counters.outcome === 'exact' || counters.outcome === 'repaired') ? 0 : 1;

const COUNTERS = {
  exact: 'The counters are exact.',
  different: 'These counters differ from the orders; --repair puts them right:',
  repaired: 'These counters differed from the orders and are repaired:',
  unsettled:
    'Some counters were written at every try, so that nothing is known of them: run it again. Of the others differed:',
} as const;

function reportText({ client, orders, views, lists, counters }: Report, io: CommandIo): string {
  const parts = [`Client ${client} has ${orders} orders in ${views} views.\n`];
  if (lists.outcome === 'exact') parts.push('Every row and entry of the lists is what its order says.\n');
  else parts.push('These rows and entries of lists are not what their orders say:\n', tableOf(lists.faults, io));
  parts.push(`${COUNTERS[counters.outcome]}\n`, tableOf(counters.differences, io));
  return parts.join('');
}

function tableOf(records: readonly Readonly<Record<string, string | number>>[], io: CommandIo): string {
  const [first] = records;
  if (!first) return '';
  return textTable(
    Object.keys(first),
    records.map((record) => Object.values(record).map(String)),
    io,
  );
}
