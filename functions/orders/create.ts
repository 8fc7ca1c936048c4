import { createOrderContract } from '../../shared/api/orders/orders.ts';
import {
  catalogFor,
  documents,
  duringInit,
  findClient,
  ids,
  invoicing,
  mail,
  orderReady,
  payments,
  sealKeys,
  table,
  writerByToken,
} from '../../shared/deps.ts';
import { route } from '../../shared/http/route.ts';
import { representIncluding } from '../../shared/order/answers/included.ts';
import { placeOrder } from '../../shared/ordering/place-order.ts';
import { business, collecting, userLimits } from '../../shared/runtime/config.ts';
import { noteRequest } from '../../shared/runtime/log.ts';

await duringInit(...orderReady);

export const handler = route(createOrderContract, writerByToken, async ({ query, body, headers, caller, now }) => {
  const placing = { body, idempotencyKey: headers['Idempotency-Key'], caller, now };
  const sources = { catalog: catalogFor(caller.client), documents: documents() };
  const settings = { business: business(), collecting: collecting(), limits: userLimits() };
  const deps = { ...sources, ...settings, table: table(), ids: ids(), invoicing, mail, payments, sealKeys, findClient };
  const { order, isReplayed } = await placeOrder(placing, deps);
  noteRequest({ orderId: order.id });
  const answer = await representIncluding(order, caller.user, { ...query, ...sources, catalog: await sources.catalog });
  return { body: answer, headers: isReplayed ? { 'Idempotent-Replayed': 'true' } : {} };
});
