import { updateOrderContract } from '../../shared/api/orders/orders.ts';
import { duringInit, ids, orderReady, payments, sourcesFor, table, writerByToken } from '../../shared/deps.ts';
import { route } from '../../shared/http/route.ts';
import { representIncluding } from '../../shared/order/answers/included.ts';
import { changeOrder } from '../../shared/ordering/change-order.ts';
import { business, collecting } from '../../shared/runtime/config.ts';

await duringInit(...orderReady);

export const handler = route(updateOrderContract, writerByToken, async ({ path, query, body, caller, now }) => {
  const sources = await sourcesFor(caller.client);
  const settings = { business: business(), collecting: collecting() };
  const deps = { table: table(), ids: ids(), ...settings, payments, ...sources };
  const order = await changeOrder({ id: path.id, change: body, caller, now }, deps);
  return { body: await representIncluding(order, caller.user, { ...query, ...sources }) };
});
