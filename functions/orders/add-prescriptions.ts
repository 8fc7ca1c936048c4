import { addPrescriptionsContract } from '../../shared/api/orders/orders.ts';
import { duringInit, ids, orderReady, sourcesFor, table, writerByToken } from '../../shared/deps.ts';
import { route } from '../../shared/http/route.ts';
import { representOrder } from '../../shared/order/answers/order.ts';
import { addPrescriptions } from '../../shared/prescriptions/add-prescriptions.ts';
import { business } from '../../shared/runtime/config.ts';

await duringInit(...orderReady);

export const handler = route(addPrescriptionsContract, writerByToken, async ({ path, body, headers, caller, now }) => {
  const sources = await sourcesFor(caller.client);
  const adding = { id: path.id, body, idempotencyKey: headers['Idempotency-Key'], caller, now };
  const deps = { table: table(), ids: ids(), documents: sources.documents, business: business() };
  const { order, isReplayed } = await addPrescriptions(adding, deps);
  const answer = await representOrder(order, caller.user, sources);
  return { body: answer, headers: isReplayed ? { 'Idempotent-Replayed': 'true' } : {} };
});
