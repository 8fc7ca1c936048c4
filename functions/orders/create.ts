import { createOrderContract } from '../../shared/api/orders.ts';
import { route } from '../../shared/http/route.ts';
import { business } from '../../shared/runtime/business.ts';
import { catalog, documents, ids, table, userByToken } from '../../shared/runtime/deps.ts';
import { placeOrder } from '../../shared/usecases/place-order.ts';
import { representOrder } from '../../shared/usecases/represent-order.ts';

export const handler = route(createOrderContract, userByToken, async ({ body, caller, now }) => {
  const published = await catalog();
  const sources = { catalog: published, documents: documents() };
  const order = await placeOrder(
    { body, caller, now },
    { ...sources, table: table(), ids: ids(), business: business() },
  );
  return { body: await representOrder(order, caller.user, sources) };
});
