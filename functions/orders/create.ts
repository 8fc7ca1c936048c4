import { createOrderContract } from '../../shared/api/orders.ts';
import { route } from '../../shared/http/route.ts';
import { business } from '../../shared/runtime/business.ts';
import { catalog, documents, ids, invoicing, mail, table, userByToken } from '../../shared/runtime/deps.ts';
import { placeOrder } from '../../shared/usecases/place-order.ts';
import { representOrder } from '../../shared/usecases/represent-order.ts';

export const handler = route(createOrderContract, userByToken, async ({ body, headers, caller, now }) => {
  const sources = { catalog: await catalog(), documents: documents() };
  const placing = { body, idempotencyKey: headers['Idempotency-Key'], caller, now };
  const deps = { ...sources, table: table(), ids: ids(), business: business(), invoicing, mail };
  const { order, isReplayed } = await placeOrder(placing, deps);
  const answer = await representOrder(order, caller.user, sources);
  return { body: answer, headers: isReplayed ? { 'Idempotent-Replayed': 'true' } : {} };
});
