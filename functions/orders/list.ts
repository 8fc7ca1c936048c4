import { ordersContract } from '../../shared/api/orders/order-list.ts';
import { clientsReady, duringInit, table, userByToken } from '../../shared/deps.ts';
import { answerPage } from '../../shared/http/pagination.ts';
import { route } from '../../shared/http/route.ts';
import { listOrders } from '../../shared/ordering/list-orders.ts';
import { business } from '../../shared/runtime/config.ts';

await duringInit(clientsReady);

export const handler = route(ordersContract, userByToken, (request) => {
  const deps = { table: table(), business: business() };
  return answerPage(request, (query) => listOrders(query, request.caller, deps));
});
