import { payOrderContract } from '../../shared/api/orders/payments.ts';
import {
  catalogFor,
  documents,
  duringInit,
  ids,
  orderReady,
  payments,
  table,
  writerByToken,
} from '../../shared/deps.ts';
import { route } from '../../shared/http/route.ts';
import { representOrder } from '../../shared/order/answers/order.ts';
import { findCollectedMethod } from '../../shared/ordering/payment-methods.ts';
import { retryPayment } from '../../shared/payments/retry-payment.ts';
import { collecting } from '../../shared/runtime/config.ts';

await duringInit(...orderReady);

export const handler = route(payOrderContract, writerByToken, async ({ path, body, caller, now }) => {
  const deps = { table: table(), ids: ids(), collecting: collecting(), payments };
  const catalog = await catalogFor(caller.client);
  const paying = { ...deps, catalog, client: caller.client, role: caller.user.role };
  const method = findCollectedMethod(body?.payment_method, paying);
  const { order, isNew } = await retryPayment({ id: path.id, caller, now, method }, deps);
  // A stage that collects nothing answers no order, and has no right to documents here.
  const shown = await representOrder(order, caller.user, { catalog, documents: documents() });
  return { body: shown, status: isNew ? (201 as const) : (200 as const) };
});
