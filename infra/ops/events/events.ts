import { now } from '../../../shared/runtime/clock.ts';
import { forgetUntold, listUntold } from '../../../shared/store/events/stream-records.ts';
import { openTable } from '../../../shared/store/table.ts';
import { republishOrder } from '../../../shared/usecases/events/publish-events.ts';
import { type Command, command } from '../command.ts';
import { orderId } from '../orders/changed-order.ts';
import { textTable } from '../terminal/text-table.ts';

const eventsUntold = command({
  name: 'events untold',
  effect: 'reads',
  summary:
    'List the orders with a version that could not be read from the table’s stream, so that its events are not told',
  async run(_, io) {
    const untold = await listUntold(openTable());
    const rows = untold.map((row) => ({ order: row.orderId, client: row.clientId, written: row.writtenAt, ...row }));
    return {
      document: { orders: untold },
      text: textTable(['order', 'client', 'written', 'code'], rows, io),
      remark: untold.length === 0 ? 'Every event is told.' : 'Tell them with `events republish --order`.',
    };
  },
});

const eventsRepublish = command({
  name: 'events republish',
  summary:
    'Tell the events of an order that its client was not told; what was told is not told again. Webhooks send them within a minute',
  example: '--order 42',
  options: { order: orderId },
  async run({ order }) {
    const table = openTable();
    const told = await republishOrder(order, { table, now: now() });
    await forgetUntold(table, order);
    return { document: { order, told }, text: `Told ${told} ${told === 1 ? 'event' : 'events'} of order ${order}.\n` };
  },
});

export const eventCommands: readonly Command[] = [eventsUntold, eventsRepublish];
