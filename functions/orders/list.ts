import { ordersContract } from '../../shared/api/orders/order-list.ts';
import { table, userByToken } from '../../shared/deps.ts';
import { toPage } from '../../shared/http/pagination.ts';
import { route } from '../../shared/http/route.ts';
import { business } from '../../shared/runtime/business.ts';
import { listOrders } from '../../shared/usecases/order-lists/list-orders.ts';

export const handler = route(ordersContract, userByToken, async (request) => {
  const deps = { table: table(), business: business() };
  return toPage(request, await listOrders(request.query, request.caller, deps));
});
