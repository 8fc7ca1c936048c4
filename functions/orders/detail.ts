import { orderContract } from '../../shared/api/orders/orders.ts';
import { duringInit, orderReady, sourcesFor, table, userByToken } from '../../shared/deps.ts';
import { Refusal } from '../../shared/domain/refusal.ts';
import { route } from '../../shared/http/route.ts';
import { representIncluding } from '../../shared/order/answers/included.ts';
import { toViewer } from '../../shared/order/order.ts';
import { findOrder } from '../../shared/order/orders.ts';

await duringInit(...orderReady);

export const handler = route(orderContract, userByToken, async ({ path, query, caller }) => {
  const request = { clientId: caller.client.id, id: path.id, viewer: toViewer(caller.user) };
  const [order, sources] = await Promise.all([findOrder(table(), request), sourcesFor(caller.client)]);
  if (!order) throw new Refusal('not_found');
  return { body: await representIncluding(order, caller.user, { ...query, ...sources }) };
});
