import * as z from 'zod';
import { forgetUntold, listUntold } from '../../../shared/store/events/stream-records.ts';
import { republishOrder } from '../../../shared/usecases/events/publish-events.ts';
import { type Command, command } from '../command.ts';
import { recordId } from '../input.ts';
import { countText, textTable } from '../output.ts';

const eventsUntold = command({
  name: 'events untold',
  summary:
    'List the orders with a version that could not be read from the table’s stream, so that its events are not told',
  async run(_, context) {
    const untold = await listUntold(context.table);
    const rows = untold.map((row) => ({ order: row.orderId, client: row.clientId, written: row.writtenAt, ...row }));
    return {
      document: { orders: untold },
      text: textTable(['order', 'client', 'written', 'code'], rows, context),
      remark: untold.length === 0 ? 'Every event is told.' : 'Tell them with `events republish --order`.',
    };
  },
});

const eventsRepublish = command({
  name: 'events republish',
  summary:
    'Tell the events of an order that its client was not told; what was told is not told again. Webhooks send them within a minute',
  example: '--order 42',
  input: z.object({ order: recordId }),
  async run({ order }, { table, now }) {
    const told = await republishOrder(order, { table, now });
    await forgetUntold(table, order);
    return { document: { order, told }, text: `Told ${countText(told, 'event')} of order ${order}.\n` };
  },
});

export const eventCommands: readonly Command[] = [eventsUntold, eventsRepublish];
