import { payOrderContract } from '../../shared/api/orders/orders.ts';
import { catalog, documents, ids, orderReady, payments, table, writerByToken } from '../../shared/deps.ts';
import { route } from '../../shared/http/route.ts';
import { representOrder } from '../../shared/order/answers/order.ts';
import { retryPayment } from '../../shared/payments/retry-payment.ts';
import { collecting } from '../../shared/runtime/config.ts';
import { duringInit } from '../../shared/runtime/init.ts';

await duringInit(...orderReady);

export const handler = route(payOrderContract, writerByToken, async ({ path, caller, now }) => {
  const deps = { table: table(), ids: ids(), collecting: collecting(), payments };
  const { order, isNew } = await retryPayment({ id: path.id, caller, now }, deps);
  const sources = { catalog: await catalog(), documents: documents() };
  return { body: await representOrder(order, caller.user, sources), status: isNew ? (201 as const) : (200 as const) };
});
