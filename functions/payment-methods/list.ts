import { paymentMethodsContract } from '../../shared/api/orders/order-parts.ts';
import { catalog, duringInit, orderReady, userByToken } from '../../shared/deps.ts';
import { answerPage } from '../../shared/http/pagination.ts';
import { route } from '../../shared/http/route.ts';
import { listPaymentMethods } from '../../shared/ordering/payment-methods.ts';
import { collecting } from '../../shared/runtime/config.ts';

await duringInit(...orderReady);

export const handler = route(paymentMethodsContract, userByToken, async (request) => {
  const { client, user } = request.caller;
  const paying = { catalog: await catalog(), client, role: user.role, collecting: collecting() };
  return answerPage(request, listPaymentMethods(paying, request.query.include));
});
