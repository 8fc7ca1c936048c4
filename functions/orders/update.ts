import { representIncluding } from '../../shared/answers/included.ts';
import { updateOrderContract } from '../../shared/api/orders/orders.ts';
import { catalog, documents, ids, orderReady, payments, table, writerByToken } from '../../shared/deps.ts';
import { route } from '../../shared/http/route.ts';
import { business, collecting } from '../../shared/runtime/config.ts';
import { duringInit } from '../../shared/runtime/init.ts';
import { changeOrder } from '../../shared/usecases/orders/change-order.ts';

await duringInit(...orderReady);

export const handler = route(updateOrderContract, writerByToken, async ({ path, query, body, caller, now }) => {
  const sources = { catalog: await catalog(), documents: documents() };
  const settings = { business: business(), collecting: collecting() };
  const deps = { table: table(), ids: ids(), ...settings, payments, ...sources };
  const order = await changeOrder({ id: path.id, change: body, caller, now }, deps);
  return { body: await representIncluding(order, caller.user, { ...query, ...sources }) };
});
