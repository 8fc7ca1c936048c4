import type { APIGatewayProxyEvent } from 'aws-lambda';
import { representIncluding } from '../../shared/answers/included.ts';
import { representOrder } from '../../shared/answers/order.ts';
import { updateOrderContract } from '../../shared/api/orders/orders.ts';
import { PROVIDER_CALL_PATH, payOrderContract, providerCallContract } from '../../shared/api/orders/payments.ts';
import { catalog, documents, ids, orderReady, payments, table, writerByToken } from '../../shared/deps.ts';
import { type ProxyHandler, route } from '../../shared/http/route.ts';
import { business, collecting } from '../../shared/runtime/config.ts';
import { duringInit } from '../../shared/runtime/init.ts';
import { changeOrder } from '../../shared/usecases/orders/change-order.ts';
import { receiveCall } from '../../shared/usecases/payments/receive-call.ts';
import { retryPayment } from '../../shared/usecases/payments/retry-payment.ts';

await duringInit(...orderReady);

const deps = () => ({ table: table(), ids: ids(), business: business(), collecting: collecting(), payments });

const change = route(updateOrderContract, writerByToken, async ({ path, query, body, caller, now }) => {
  const sources = { catalog: await catalog(), documents: documents() };
  const order = await changeOrder({ id: path.id, change: body, caller, now }, { ...deps(), ...sources });
  return { body: await representIncluding(order, caller.user, { ...query, ...sources }) };
});

const pay = route(payOrderContract, writerByToken, async ({ path, caller, now }) => {
  const sources = { catalog: await catalog(), documents: documents() };
  const { order, isNew } = await retryPayment({ id: path.id, caller, now }, deps());
  return { body: await representOrder(order, caller.user, sources), status: isNew ? (201 as const) : (200 as const) };
});

const nobody = async () => ({});

const takeCall = route(providerCallContract, nobody, async ({ bytes, headers, now }) => {
  const call = { body: bytes(), signature: headers['Stripe-Signature'] };
  await receiveCall(call, { by: 'system', now }, deps());
  return { body: { received: true } };
});

const chooseHandler = ({ resource, httpMethod }: APIGatewayProxyEvent): ProxyHandler => {
  if (`${resource}/` === PROVIDER_CALL_PATH) return takeCall;
  return httpMethod === 'POST' ? pay : change;
};

/** Handles what changes an order that is there: its lines, its end, and its payment, of which the provider calls as well. */
export const handler: ProxyHandler = (event, context) => chooseHandler(event)(event, context);
