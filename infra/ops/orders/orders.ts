import { now } from '../../../shared/runtime/clock.ts';
import { business } from '../../../shared/runtime/config.ts';
import { openTable } from '../../../shared/store/table.ts';
import { moveOrder } from '../../../shared/usecases/operations/move-order.ts';
import { existingOrder } from '../../../shared/usecases/operations/operate-order.ts';
import { type Command, command } from '../command.ts';
import { changed, orderId, version } from './changed-order.ts';
import { ordersExport } from './export.ts';
import { ordersFigures } from './figures.ts';
import { orderListCommands, orderStatus } from './order-list.ts';
import { orderText } from './order-text.ts';
import { paymentCommands } from './payments.ts';
import { prescriptionCommands } from './prescriptions.ts';
import { ordersRebuild } from './rebuild.ts';
import { showOrder } from './shown-order.ts';

export const ordersShow = command({
  name: 'orders show',
  effect: 'reads',
  summary: 'Show everything of an order; links to its documents are good for 5 minutes',
  example: '42',
  arguments: { id: orderId },
  async run({ id }, call) {
    const document = await showOrder(await existingOrder(openTable(), id));
    return { document, text: orderText(document, call) };
  },
});

export const ordersMove = command({
  name: 'orders move',
  summary: 'Move an order to another order_status',
  example: '42 --to approved',
  arguments: { id: orderId },
  options: { to: orderStatus, version },
  async run({ id, to, version }, call) {
    const operation = { operator: await call.operator(), now: now() };
    const order = await moveOrder({ id, version, to, ...operation }, { table: openTable(), business: business() });
    return changed(order, `Order ${id} is ${to} now.`, call);
  },
});

export const orderCommands: readonly Command[] = [
  ...orderListCommands,
  ordersShow,
  ordersMove,
  ...paymentCommands,
  ...prescriptionCommands,
  ordersFigures,
  ordersExport,
  ordersRebuild,
];
